#include "device/update/updater.hpp"

#include <algorithm>

#include "protocol/utf8.hpp"

namespace gadget::device {

// Never inlined: near to `this` its members are cheaper (of an ARM).
[[gnu::noinline]] Updater::Updater(FirmwareSlots* slots, std::string_view board)
    : slots_(slots), board_(board) {}

Updater::~Updater() {
  if (hashing_) (void)protocol::sha256_finish(hash_);
}

std::int64_t Updater::max_bytes() const {
  if (slots_ == nullptr) return 0;
  return std::min(std::int64_t{slots_->max_bytes()}, protocol::kMaxOtaBytes);
}

void Updater::start(Ticks now) {
  if (slots_ == nullptr || !slots_->on_probation()) return;
  probation_ = next(probation_, ProbationEvent::boot);
  probation_ends_ = now + kProbationMs;
}

void Updater::apply(UpdateEvent event) {
  const UpdateStep step = next(phase_, event);
  phase_ = step.to;
  if (step.answer != UpdateAnswer::none) owed_ = step.answer;
  if (hashing_ && phase_ != UpdatePhase::verifying) {
    hashing_ = false;
    (void)protocol::sha256_finish(hash_);  // a hash under way may hold something of the port's
  }
}

void Updater::set_version(std::string_view version) {
  const auto kept = protocol::cut_bytes(version, version_.size());
  std::copy(kept.begin(), kept.end(), version_.begin());
  version_size_ = static_cast<std::uint8_t>(kept.size());
}

// ---- The hub's messages

void Updater::offer(Ticks now, const protocol::OtaOffer& offer,
                    std::span<const std::byte, protocol::kNonceBytes> random) {
  if (slots_ == nullptr) {
    owed_ = UpdateAnswer::unsupported;
    return;
  }
  if (phase_ >= UpdatePhase::installed) return;
  if (offer.size_bytes > max_bytes()) return apply(UpdateEvent::too_large);
  apply(UpdateEvent::offer);
  stream_ = static_cast<std::uint8_t>(offer.stream);
  size_ = static_cast<std::uint32_t>(offer.size_bytes);
  std::copy_n(offer.sha256.begin(), std::min(offer.sha256.size(), sha256_.size()), sha256_.begin());
  set_version(offer.version);
  nonce_ = protocol::nonce_text(random);
  deadline_ = now + kUpdateSilenceMs;
}

void Updater::malformed_offer() {
  if (slots_ == nullptr) {
    owed_ = UpdateAnswer::unsupported;
  } else {
    apply(UpdateEvent::bad_offer);
  }
}

void Updater::begin(Ticks now, bool authorized) {
  const bool offered = phase_ == UpdatePhase::offered;
  apply(authorized ? UpdateEvent::begin : UpdateEvent::bad_mac);
  if (!offered || phase_ != UpdatePhase::receiving) return;
  sequence_ = 0;
  opened_ = false;
  taken_ = acked_ = erased_ = done_ = 0;
  deadline_ = now + kUpdateSilenceMs;
  if (!slots_->begin()) return apply(UpdateEvent::flash_failed);
  erase_ahead(now);
}

bool Updater::frame(Ticks now, std::uint8_t stream, std::uint16_t sequence,
                    std::span<const std::byte> payload) {
  const bool ours = phase_ == UpdatePhase::receiving || phase_ == UpdatePhase::verifying;
  if (!ours || stream != stream_) return false;
  if (sequence != sequence_++) {
    apply(UpdateEvent::gap);
  } else if (payload.size() > size_ - taken_) {
    apply(UpdateEvent::overrun);
  } else if (!payload.empty()) {
    deadline_ = now + kUpdateSilenceMs;
    if (take(payload)) {
      acknowledge(now);
    } else {
      apply(UpdateEvent::flash_failed);
    }
  }
  return true;
}

bool Updater::take(std::span<const std::byte> payload) {
  while (!payload.empty()) {
    const std::uint32_t staged = taken_ % kFlashPageBytes;
    const std::size_t part = std::min<std::size_t>(payload.size(), kFlashPageBytes - staged);
    std::copy_n(payload.begin(), part, page_.begin() + staged);
    payload = payload.subspan(part);
    taken_ += static_cast<std::uint32_t>(part);
    const std::uint32_t filled = staged + static_cast<std::uint32_t>(part);
    if (filled < kFlashPageBytes && taken_ < size_) continue;
    std::fill(page_.begin() + filled, page_.end(), std::byte{0xFF});
    if (!write_page()) return false;
  }
  return true;
}

bool Updater::write_page() {
  // A hub that keeps to its window never gets ahead of the erase. One that does not pays for it
  // here, a sector at a time, where a sector is erased at once.
  while (erased_ <= done_) {
    if (slots_->erase(erased_) != FirmwareSlots::Erased::yes) return false;
    erased_ += slots_->sector_bytes();
  }
  std::array<std::byte, kFlashPageBytes> back;  // NOLINT: filled below
  const bool written = slots_->write(done_, page_) && slots_->read(done_, back) && back == page_;
  done_ += kFlashPageBytes;
  return written;
}

void Updater::end(Ticks now) {
  const bool complete = phase_ == UpdatePhase::receiving && taken_ == size_;
  apply(complete ? UpdateEvent::end : UpdateEvent::short_end);
  if (!complete) return;
  deadline_ = now;
  done_ = 0;
  protocol::sha256_start(hash_);
  hashing_ = true;
  reader_.start(board_);
}

void Updater::abort() {
  // What waits for room on the link is of an offer that is gone.
  if (phase_ < UpdatePhase::installed) owed_ = UpdateAnswer::none;
  apply(UpdateEvent::abort);
}

void Updater::link_lost() {
  owed_ = UpdateAnswer::none;  // it was for that connection
  apply(UpdateEvent::lost);
}

// ---- Time

std::uint32_t Updater::window_end() const {
  return size_ - taken_ < protocol::kOtaWindowBytes
             ? size_
             : taken_ + static_cast<std::uint32_t>(protocol::kOtaWindowBytes);
}

bool Updater::owes_ack() const {
  return !opened_ || taken_ - acked_ >= protocol::kOtaAckBytes ||
         (taken_ == size_ && acked_ != taken_);
}

void Updater::erase_ahead(Ticks now) {
  if (erased_ < window_end()) {
    switch (slots_->erase(erased_)) {
      case FirmwareSlots::Erased::yes:
        erased_ += slots_->sector_bytes();
        deadline_ = now + kUpdateSilenceMs;
        break;
      case FirmwareSlots::Erased::not_yet: break;
      case FirmwareSlots::Erased::failed: return apply(UpdateEvent::flash_failed);
    }
  }
  acknowledge(now);
}

void Updater::acknowledge(Ticks now) {
  if (!owes_ack() || erased_ < window_end()) return;
  opened_ = true;
  acked_ = taken_;
  owed_ = UpdateAnswer::ack;
  deadline_ = now + kUpdateSilenceMs;
}

bool Updater::tick(Ticks now) {
  switch (phase_) {
    case UpdatePhase::idle: break;
    case UpdatePhase::offered:
      if (is_due(now, deadline_)) apply(UpdateEvent::timeout);
      break;
    case UpdatePhase::receiving:
      erase_ahead(now);
      // The hub's silence is its own fault only when it may send, and knows it: an ack may still
      // wait for room on the link.
      if (owed_ == UpdateAnswer::ack) deadline_ = now + kUpdateSilenceMs;
      if (is_due(now, deadline_)) {
        apply(owes_ack() ? UpdateEvent::flash_failed : UpdateEvent::timeout);
      }
      break;
    case UpdatePhase::verifying: verify(now); break;
    case UpdatePhase::installed:
      if (!is_due(now, deadline_)) break;
      apply(UpdateEvent::restart);
      deadline_ = now + kCloseBeforeRebootMs;
      return true;
    case UpdatePhase::leaving:
      if (!is_due(now, deadline_) || rebooted_) break;
      rebooted_ = true;
      slots_->reboot();
      break;
  }
  if (probation_ == Probation::proven) try_confirm(now);
  if (probation_ == Probation::waiting && is_due(now, probation_ends_)) {
    probation_ = next(probation_, ProbationEvent::expired);
    slots_->roll_back();
    apply(UpdateEvent::restart);
    deadline_ = now + kCloseBeforeRebootMs;
    return true;
  }
  return false;
}

void Updater::verify(Ticks now) {
  for (std::uint32_t budget = kVerifyBytesPerTick; budget > 0 && done_ < size_;
       budget -= kFlashPageBytes) {
    const auto part = std::span{page_}.first(std::min(kFlashPageBytes, size_ - done_));
    if (!slots_->read(done_, part)) return apply(UpdateEvent::flash_failed);
    protocol::sha256_update(hash_, part);
    reader_.feed(part);
    done_ += static_cast<std::uint32_t>(part.size());
  }
  if (done_ == size_) judge(now);
}

void Updater::judge(Ticks now) {
  hashing_ = false;
  const auto sum = protocol::hex(protocol::sha256_finish(hash_));
  if (sum != sha256_) return apply(UpdateEvent::wrong_sum);
  const ImageFacts facts = reader_.facts();
  if (!slots_->accepts(facts)) return apply(UpdateEvent::wrong_image);
  if (!slots_->mark_pending()) return apply(UpdateEvent::flash_failed);
  if (!facts.version.empty()) set_version(facts.version);
  apply(UpdateEvent::verified);
  deadline_ = now + kRestartAfterMs;
}

void Updater::welcomed(Ticks now) {
  if (probation_ != Probation::waiting) return;
  probation_ = next(probation_, ProbationEvent::welcome);
  probation_ends_ = now;
  try_confirm(now);
}

void Updater::try_confirm(Ticks now) {
  if (!is_due(now, probation_ends_)) return;
  if (slots_->confirm()) {
    probation_ = next(probation_, ProbationEvent::confirmed);
  } else {
    probation_ends_ = now + kConfirmAgainMs;  // a restart before it succeeds undoes the update
  }
}

std::uint8_t Updater::percent() const {
  if (phase_ < UpdatePhase::receiving || size_ == 0) return 0;
  return static_cast<std::uint8_t>(std::uint64_t{taken_} * 100 / size_);
}

}  // namespace gadget::device
