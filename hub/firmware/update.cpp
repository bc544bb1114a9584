#include "hub/firmware/update.hpp"

#include <algorithm>

#include "hub/firmware/limits.hpp"
#include "hub/firmware/version.hpp"

namespace gadget::hub {

Update::Update(Context& context, UpdateHost& host, UpdateRecord record)
    : context_(context), host_(host), record_(std::move(record)) {
  // A hub that ended in the middle of a try: the try is over, the next one needs no pause.
  if (is_try(record_.phase)) {
    record_.phase = UpdatePhase::waiting;
    record_.due_wall_ms = 0;
    record_.code = "hub_restarted";
    record_.message = "the hub was restarted";
  }
  if (record_.phase == UpdatePhase::restarting) {
    const Millis left = std::clamp(record_.due_wall_ms - context_.wall(), limits::kUpdateGraceMs,
                                   limits::kUpdateRestartMs);
    timer_.set(context_.scheduler, context_.now() + left, [this] { timed_out(); });
  }
}

bool Update::move(UpdateEvent event) {
  const auto to = next(record_.phase, event);
  if (!to) return false;
  const UpdatePhase from = record_.phase;
  record_.phase = *to;
  if (is_try(from) && !is_try(*to)) end_try();
  host_.moved(*this, from);
  return true;
}

// ---- The device comes and goes ----

void Update::connected(Connection& connection, std::string_view firmware) {
  connection_ = &connection;
  firmware_ = firmware;
  look_at(firmware);
  if (record_.phase == UpdatePhase::waiting) wait_for_start();
}

void Update::disconnected() {
  connection_ = nullptr;
  if (record_.phase == UpdatePhase::waiting) timer_.clear();
  if (is_try(record_.phase)) broken_off("dropped", "the connection dropped");
}

// E43, B-64: what a hello says about the update.
void Update::look_at(std::string_view firmware) {
  const bool after_done =
      record_.phase == UpdatePhase::restarting || record_.phase == UpdatePhase::unknown;
  if (record_.phase == UpdatePhase::waiting) {
    // Its `ota.done` was lost, or somebody installed it by cable. A forced one is sent all the
    // same, unless it was sent before.
    const bool installed = record_.version_known && firmware == record_.version &&
                           (!record_.forced || (record_.tries > 0 && firmware != record_.previous));
    if (installed) move(UpdateEvent::reports_offered);
    return;
  }
  if (!after_done) return;
  timer_.clear();
  if (record_.version_known && firmware == record_.version) {
    move(UpdateEvent::reports_offered);
  } else if (!record_.version_known) {
    // An image that does not say its version: another one than before is all that can be seen.
    record_.message = "it reports " + std::string(firmware);
    if (!move(firmware == record_.previous ? UpdateEvent::silent : UpdateEvent::reports_offered)) {
      record_.message.clear();
    }
  } else if (firmware == record_.previous || compare_versions(firmware, record_.version) < 0) {
    record_.message = "it reports " + std::string(firmware);
    move(UpdateEvent::reports_previous);
  } else {
    record_.message = "it reports " + std::string(firmware);
    move(UpdateEvent::reports_other);
  }
}

bool Update::ready_to_begin() const {
  return record_.phase == UpdatePhase::waiting && connection_ != nullptr &&
         context_.wall() >= record_.due_wall_ms;
}

// The wall clock may be set meanwhile: no wait is longer than the longest pause.
void Update::wait_for_start() {
  const Millis left =
      std::clamp<Millis>(record_.due_wall_ms - context_.wall(), 0, limits::kUpdatePausesMs.back());
  if (left == 0) return host_.may_begin(*this);
  timer_.set(context_.scheduler, context_.now() + left, [this] { timed_out(); });
}

// ---- A try ----

void Update::begin(std::shared_ptr<const FirmwareImage> image) {
  timer_.clear();
  image_ = std::move(image);
  stream_ = connection_->next_stream(protocol::Channel::firmware);
  sequence_ = 0;
  written_ = acked_ = 0;
  try_ends_ms_ = context_.now() + limits::kUpdateTryMs;
  ++record_.tries;
  record_.previous = firmware_;
  record_.code.clear();
  record_.message.clear();
  move(UpdateEvent::offer);
  connection_->send(protocol::OtaOffer{.stream = stream_,
                                       .size_bytes = image_->size(),
                                       .sha256 = image_->sha256(),
                                       .version = image_->version()});
  expect_answer(limits::kUpdateAnswerMs);
}

bool Update::received(const protocol::OtaReady& ready) {
  if (record_.phase != UpdatePhase::offered) return false;
  const auto device = context_.parts.store->device(record_.device);
  if (!device || !*device) return false;
  const protocol::MacText mac =
      protocol::ota_mac((*device)->key, record_.device.text(), ready.nonce, image_->sha256(),
                        static_cast<std::uint64_t>(image_->size()));
  move(UpdateEvent::ready);
  connection_->send(protocol::OtaBegin{protocol::view(mac)});
  expect_answer(limits::kUpdateAnswerMs);
  return true;
}

// Hostile ones change nothing: beyond what was written, below what was acknowledged (B-67). One
// that does not move is no answer.
bool Update::received(const protocol::OtaAck& ack) {
  if (record_.phase == UpdatePhase::begun) {
    if (ack.offset != 0) return false;
    move(UpdateEvent::taken);
  } else if (record_.phase == UpdatePhase::sending || record_.phase == UpdatePhase::ended) {
    if (ack.offset > written_ || ack.offset < acked_) return false;
    if (ack.offset == acked_) return true;
    acked_ = ack.offset;
  } else {
    return false;
  }
  const bool all_taken = record_.phase == UpdatePhase::ended && acked_ == image_->size();
  expect_answer(all_taken ? limits::kUpdateDoneMs : limits::kUpdateAnswerMs);
  if (record_.phase == UpdatePhase::sending) fill();
  return true;
}

void Update::link_took() {
  if (connection_ != nullptr && record_.phase == UpdatePhase::sending) fill();
}

// Consecutive frames as long as the window and the link have room; the rest when the device
// acknowledged or the link has taken something. `ota.end` stays behind them.
void Update::fill() {
  const std::span<const std::byte> bytes = image_->bytes();
  const std::int64_t size = image_->size();
  while (written_ < size) {
    const std::int64_t frame =
        std::min<std::int64_t>(size - written_, std::int64_t{protocol::kOtaFrameBytes});
    if (written_ + frame - acked_ > std::int64_t{protocol::kOtaWindowBytes}) return;
    if (connection_->waiting_bytes() >= limits::kFirmwareLinkBytes) {
      return connection_->tell_when_taken();
    }
    connection_->send_firmware(
        stream_, sequence_++,
        bytes.subspan(static_cast<std::size_t>(written_), static_cast<std::size_t>(frame)), image_);
    written_ += frame;
    context_.counters.firmware_bytes += static_cast<std::uint64_t>(frame);
  }
  connection_->send(protocol::OtaEnd{}, Link::Kind::firmware);
  if (acked_ == size) expect_answer(limits::kUpdateDoneMs);
  move(UpdateEvent::all_written);
}

bool Update::received(const protocol::OtaDone& done) {
  if (record_.phase != UpdatePhase::ended) return false;
  if (record_.version_known && !done.version.empty() && done.version != record_.version) {
    context_.log(LogFact::Level::warning, "update.version_differs",
                 {{"device", std::string(record_.device.text())},
                  {"offered", record_.version},
                  {"done", one_line(done.version, limits::kUpdateMessageCodePoints)}});
  }
  record_.due_wall_ms = context_.wall() + limits::kUpdateRestartMs;
  move(UpdateEvent::done);
  timer_.set(context_.scheduler, context_.now() + limits::kUpdateRestartMs,
             [this] { timed_out(); });
  return true;
}

// Only a time-out is worth another try (E43).
bool Update::received(const protocol::OtaError& error) {
  if (!is_try(record_.phase)) return false;
  const std::string message = one_line(error.message, limits::kUpdateMessageCodePoints);
  connection_->drop_stream(stream_);
  if (error.code == "timeout") {
    broken_off(error.code, message);
  } else {
    record_.code = one_line(error.code, limits::kUpdateCodeCodePoints);
    record_.message = message;
    move(UpdateEvent::refused);
  }
  return true;
}

void Update::expect_answer(Millis ms) {
  const Millis until = std::min(context_.now() + ms, try_ends_ms_);
  timer_.set(context_.scheduler, until, [this] { timed_out(); });
}

void Update::timed_out() {
  switch (record_.phase) {
    case UpdatePhase::waiting: record_.due_wall_ms = 0; return wait_for_start();
    case UpdatePhase::restarting:
      record_.message = "it did not come back within ten minutes";
      move(UpdateEvent::silent);
      return;
    default: break;
  }
  if (!is_try(record_.phase)) return;
  abort();
  broken_off("timeout", context_.now() >= try_ends_ms_ ? "the try took longer than two hours"
                                                       : "the device did not answer in time");
}

void Update::abort() {
  if (connection_ == nullptr) return;
  connection_->drop_stream(stream_);
  connection_->send(protocol::OtaAbort{});
}

void Update::broken_off(std::string_view code, std::string_view message) {
  record_.code = code;
  record_.message = message;
  const auto tries = static_cast<std::size_t>(record_.tries);
  if (tries > limits::kUpdatePausesMs.size()) {
    move(UpdateEvent::given_up);
    return;
  }
  record_.due_wall_ms =
      context_.wall() + limits::kUpdatePausesMs[std::max<std::size_t>(tries, 1) - 1];
  move(UpdateEvent::broken_off);
  if (connection_ != nullptr && record_.phase == UpdatePhase::waiting) wait_for_start();
}

void Update::end_try() {
  timer_.clear();
  image_ = nullptr;
}

// ---- The owner, the hub ----

void Update::refuse(const Failure& why) {
  record_.code = "hub";
  record_.message = why.hint.empty() ? why.text : why.text + " (" + why.hint + ")";
  timer_.clear();
  move(UpdateEvent::refused);
}

bool Update::cancel(std::string_view why) {
  if (!next(record_.phase, UpdateEvent::cancel)) return false;
  if (is_try(record_.phase)) abort();
  timer_.clear();
  record_.code.clear();
  record_.message = why;
  return move(UpdateEvent::cancel);
}

// After `ota.end` the device may install it all the same: its next hello says so.
void Update::suspend() {
  if (!is_try(record_.phase)) return;
  abort();
  record_.code = "hub_restarted";
  record_.message = "the hub was restarted";
  record_.due_wall_ms = 0;
  move(record_.tries >= limits::kUpdateTries ? UpdateEvent::given_up : UpdateEvent::broken_off);
}

}  // namespace gadget::hub
