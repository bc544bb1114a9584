#include "hub/turn/conversation.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"
#include "hub/core/phrases.hpp"
#include "hub/twin/twin.hpp"
#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

bool is_announcement(const Message& message) { return message.kind == Message::Kind::announcement; }

}  // namespace

Conversation::~Conversation() { abandon(); }

void Conversation::abandon() {
  utterance_.reset();
  frame_timer_.clear();
  waiting_.clear();
  if (!turn_) return;
  turn_->abandon();
  context_.bury(std::exchange(turn_, nullptr));
}

void Conversation::notice(std::string_view text) {
  if (Connection* const connection = twin_.outlet()) connection->notice(text);
}

// ---- Messages ----

bool Conversation::full_of_messages() const {
  const auto mine = std::count_if(waiting_.begin(), waiting_.end(),
                                  [](const Message& message) { return !is_announcement(message); });
  return static_cast<std::size_t>(mine) >= limits::kMaxWaitingMessages;
}

std::size_t Conversation::held_audio_bytes() const {
  std::size_t bytes = 0;
  for (const Message& message : waiting_) {
    if (message.heard) bytes += message.heard->audio_bytes();
  }
  return bytes;
}

void Conversation::text(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;  // C1
  if (full_of_messages()) return notice(phrases::kTooMany);
  Message message;
  message.text = std::string(protocol::cut_code_points(text, protocol::kMaxTextCodePoints));
  add(std::move(message));
}

void Conversation::event(std::string name, std::string data_json) {
  if (full_of_messages()) return notice(phrases::kTooMany);
  Message message;
  message.kind = Message::Kind::event;
  message.event_name = std::move(name);
  message.text = std::move(data_json);
  add(std::move(message));
}

void Conversation::add(Message message) {
  message.received_ms = context_.now();
  waiting_.push_back(std::move(message));
  start_next();
}

void Conversation::start_next() {
  if (turn_) return;
  std::erase_if(waiting_, [this](const Message& message) {
    return is_announcement(message) && message.expires_wall_ms <= context_.wall();
  });
  // What the hub says by itself waits while the person speaks: the device would drop it (A5).
  const auto ready = std::find_if(waiting_.begin(), waiting_.end(), [this](const Message& message) {
    return !is_announcement(message) || (!utterance_ && twin_.outlet() != nullptr);
  });
  if (ready == waiting_.end()) return;
  Message message = std::move(*ready);
  waiting_.erase(ready);
  const auto turn =
      std::make_shared<Turn>(context_, *this, context_.fresh_id("t"), std::move(message));
  turn_ = turn;
  turn->begin();
}

// Not from within the call that ended the turn before: that may be its agent's.
void Conversation::start_next_soon() {
  context_.environment.post([weak = twin_.weak_from_this()] {
    if (const auto twin = weak.lock()) twin->conversation().start_next();
  });
}

void Conversation::ended(Turn& turn) {
  if (&turn != turn_.get()) return;
  speaker_free_at_ = turn.played_by();
  barged_in_ = false;
  if (turn.announcement() && turn.message().row != 0 && turn.outcome() == TurnOutcome::success) {
    (void)context_.parts.store->drop_waiting(turn.message().row);
  }
  context_.bury(std::exchange(turn_, nullptr));
  if (!waiting_.empty()) start_next_soon();
  twin_.settle();
}

void Conversation::drop_messages() { std::erase_if(waiting_, std::not_fn(is_announcement)); }

void Conversation::cancel() {
  drop_messages();
  if (turn_) turn_->cancel(CancelCause::button);
  drop_late_audio();
}

// On a slow link a turn is over before its speech was written; it is to be silent all the same.
void Conversation::drop_late_audio() {
  if (Connection* const connection = twin_.outlet()) connection->drop_late_audio();
}

void Conversation::new_session() {
  cancel();
  context_.agent->session_new(twin_.id());
}

// ---- Utterances ----

void Conversation::start(const protocol::UtteranceStart& start) {
  const bool fits = start.format == "pcm16" && start.rate_hz >= protocol::kMinRateHz &&
                    start.rate_hz <= protocol::kMaxRateHz;
  if (!fits) return notice(phrases::kBadAudio);
  if (utterance_ && utterance_->listening()) notice(phrases::kReplacedUtterance);
  Utterance::Options options;
  options.stream = static_cast<std::uint8_t>(start.stream);
  options.rate_hz = static_cast<std::uint32_t>(start.rate_hz);
  options.keep_audio = context_.agent->flags().takes_audio;
  options.partial = [weak = twin_.weak_from_this()](std::string text) {
    if (const auto twin = weak.lock()) twin->conversation().show_partial(std::move(text));
  };
  utterance_ = std::make_unique<Utterance>(context_, std::move(options));
  if (turn_) {
    barged_in_ = turn_->barge_in() || barged_in_;
    turn_->hold_speech(true);
  }
  drop_late_audio();
  last_frame_ms_ = context_.now();
  watch_frames();
}

void Conversation::watch_frames() {
  frame_timer_.set(context_.scheduler, last_frame_ms_ + limits::kNoFrameMs, [this] {
    if (context_.now() < last_frame_ms_ + limits::kNoFrameMs) return watch_frames();
    discard_utterance(utterance_->listening() ? phrases::kNoFrames : std::string_view());
  });
}

void Conversation::frame(const protocol::BinaryFrame& frame) {
  if (!utterance_ || utterance_->stream() != frame.stream) {
    if (Connection* const connection = twin_.outlet()) connection->count_dropped();
    return;
  }
  last_frame_ms_ = context_.now();
  if (!utterance_->listening()) return;
  if (utterance_->push(frame) == Utterance::Room::more) return;
  notice(phrases::kTooLong);  // E18: what was heard is used; its end is still awaited
  utterance_complete();
}

void Conversation::end(const protocol::UtteranceEnd& end) {
  if (!utterance_ || utterance_->stream() != end.stream) {
    if (Connection* const connection = twin_.outlet()) connection->count_dropped();
    return;
  }
  if (utterance_->listening()) {
    if (!utterance_->long_enough()) return discard_utterance(phrases::kTooShort);
    utterance_complete();
  }
  close_utterance();
}

void Conversation::cancel_utterance(const protocol::UtteranceCancel& cancel) {
  if (utterance_ && utterance_->stream() == cancel.stream) return discard_utterance({});
  if (Connection* const connection = twin_.outlet()) connection->count_dropped();
}

// It becomes a message: now a turn that it interrupted is over (E42).
void Conversation::utterance_complete() {
  if (std::exchange(barged_in_, false) && turn_) turn_->cancel(CancelCause::speech);
  Message message;
  message.kind = Message::Kind::spoken;
  message.heard = utterance_->finish();
  const bool too_much =
      held_audio_bytes() + message.heard->audio_bytes() > limits::kMaxHeldAudioBytes;
  if (!full_of_messages() && !(turn_ && too_much)) return add(std::move(message));
  context_.bury(std::shared_ptr<speech::RecognizerSession>(std::move(message.heard->session)));
  notice(phrases::kTooMany);
}

void Conversation::discard_utterance(std::string_view why) {
  barged_in_ = false;
  clear_partial();
  if (!why.empty()) notice(why);
  close_utterance();
}

void Conversation::close_utterance() {
  utterance_.reset();
  frame_timer_.clear();
  speaker_free_at_ = 0;  // a device that recorded has stopped playing
  if (turn_) turn_->hold_speech(false);
  start_next();
}

void Conversation::show_partial(std::string text) {
  Connection* const connection = twin_.outlet();
  const Millis now = context_.now();
  const bool too_soon = now < partial_sent_ms_ + limits::kPartialIntervalMs;
  if (connection == nullptr || !utterance_ || too_soon) return;
  partial_sent_ms_ = now;
  partial_shown_ = true;
  const std::string shaped = plain(text, connection->caps().charset());
  connection->send_fitting(protocol::Status{.text = shaped}, &protocol::Status::text);
}

void Conversation::clear_partial() {
  Connection* const connection = twin_.outlet();
  if (std::exchange(partial_shown_, false) && connection != nullptr) {
    connection->send(protocol::Status{.text = {}});
  }
}

// ---- What the hub says by itself ----

void Conversation::announce(Message announcement) {
  announcement.kind = Message::Kind::announcement;
  if (twin_.outlet() == nullptr) return to_outbox(announcement);
  const auto theirs =
      static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), is_announcement));
  if (theirs >= limits::kMaxWaitingAnnouncements) {
    waiting_.erase(std::find_if(waiting_.begin(), waiting_.end(), is_announcement));
    context_.log(LogFact::Level::warning, "announcement.dropped", {{"device", twin_.id_text()}});
  }
  add(std::move(announcement));
}

void Conversation::to_outbox(const Message& announcement) {
  if (announcement.row != 0) return;  // it is there already
  Store& store = *context_.parts.store;
  auto stored = store.waiting(twin_.id());
  for (std::size_t i = 0; stored && stored->size() - i >= limits::kMaxOutbox; ++i) {
    (void)store.drop_waiting((*stored)[i].row);
  }
  const auto put = store.put_waiting({.row = 0,
                                      .device = twin_.id(),
                                      .text = announcement.text,
                                      .card_title = announcement.card_title,
                                      .card_body = announcement.card_body,
                                      .created_wall_ms = context_.wall(),
                                      .expires_wall_ms = announcement.expires_wall_ms});
  if (put) return;
  context_.log(LogFact::Level::error, "store.failed", {{"text", put.error().text}});
}

void Conversation::load_outbox() {
  auto stored = context_.parts.store->waiting(twin_.id());
  if (!stored) return;
  for (WaitingRecord& record : *stored) {
    if (record.expires_wall_ms <= context_.wall()) {
      (void)context_.parts.store->drop_waiting(record.row);
      continue;
    }
    Message message;
    message.kind = Message::Kind::announcement;
    message.text = std::move(record.text);
    message.card_title = std::move(record.card_title);
    message.card_body = std::move(record.card_body);
    message.expires_wall_ms = record.expires_wall_ms;
    message.row = record.row;
    message.received_ms = context_.now();
    waiting_.push_back(std::move(message));
  }
}

// ---- The connection, and the end ----

void Conversation::connected() {
  speaker_free_at_ = 0;
  if (const auto turn = turn_) turn->connected();
  load_outbox();
  start_next();
}

void Conversation::disconnected() {
  utterance_.reset();
  frame_timer_.clear();
  barged_in_ = false;
  partial_shown_ = false;
  stop();
  if (const auto turn = turn_)
    turn->announcement() ? turn->cancel(CancelCause::other) : turn->disconnected();
}

void Conversation::stop() {
  for (const Message& message : waiting_) {
    if (is_announcement(message)) to_outbox(message);
  }
  std::erase_if(waiting_, is_announcement);
  if (turn_ && turn_->announcement()) to_outbox(turn_->message());
}

void Conversation::expired(Turn& turn) {
  if (turn.reply().empty()) return;
  Message reply;
  reply.kind = Message::Kind::announcement;
  reply.text = turn.reply();
  reply.expires_wall_ms = context_.wall() + limits::kOutboxTtlMs;
  to_outbox(reply);
}

void Conversation::revoke() {
  utterance_.reset();
  frame_timer_.clear();
  waiting_.clear();
  if (turn_) turn_->cancel(CancelCause::other);
}

}  // namespace gadget::hub
