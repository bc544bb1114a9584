#include "device/model/update_rules.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gadget::device::model {
namespace {

constexpr Millis kSilenceMs = 30'000;  // O8, E38

std::string sha256_hex(std::span<const std::byte> bytes) {
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, bytes);
  const auto digits = protocol::hex(protocol::sha256_finish(hash));
  return {digits.begin(), digits.end()};
}

}  // namespace

void UpdateRules::powers(std::int64_t most) {
  connection_lost();
  phase_ = Phase::none;
  most_ = most;
  marked_ = false;
}

void UpdateRules::connection_lost() {
  if (phase_ != Phase::installed) phase_ = Phase::none;
  due_ = {};
  ready_due_ = done_retry_ = false;
  retry_.clear();
}

// ---- The hub's messages. Once installed the restart is the answer to everything.

void UpdateRules::offer(const protocol::OtaOffer& message) {
  if (most_ == 0) return fail("unsupported");
  if (phase_ == Phase::installed) return;
  if (message.size_bytes > most_) return fail("too_large");
  phase_ = Phase::offered;
  stream_ = message.stream;
  size_ = message.size_bytes;
  sha256_ = message.sha256;
  nonce_.clear();
  ready_again_ = false;
  ready_due_ = true;
  last_ = now_;
}

void UpdateRules::bad_offer() {
  if (most_ == 0) return fail("unsupported");
  if (phase_ != Phase::installed) fail("bad_offer");
}

void UpdateRules::begins(const protocol::OtaBegin& message, const protocol::Key& key,
                         std::string_view id) {
  if (phase_ == Phase::installed) return;
  if (phase_ != Phase::offered) return fail("no_offer");
  const auto right = protocol::ota_mac(key, id, nonce_, sha256_, static_cast<std::uint32_t>(size_));
  if (nonce_.empty() || message.mac != protocol::view(right)) return fail("unauthorized");
  phase_ = Phase::receiving;
  bytes_.clear();
  sequence_ = 0;
  acked_ = -1;
  blank_ = 0;
  flash_failed_ = false;
  last_ = now_;
}

void UpdateRules::ends() {
  if (phase_ == Phase::installed || phase_ == Phase::complete) return;
  if (phase_ != Phase::receiving) return fail("no_update");
  if (static_cast<std::int64_t>(bytes_.size()) < size_) return fail("size");
  phase_ = Phase::complete;
}

void UpdateRules::aborts() {
  if (phase_ != Phase::installed) phase_ = Phase::none;
}

void UpdateRules::frame(std::span<const std::byte> message) {
  const auto frame = protocol::decode_frame(message);
  if (!frame || frame->channel != protocol::Channel::firmware || frame->stream != stream_ ||
      message.size() > protocol::kMaxBinaryBytes) {
    return;
  }
  if (phase_ != Phase::receiving && phase_ != Phase::complete) return;
  if (frame->sequence != sequence_++) return fail("sequence");
  if (static_cast<std::int64_t>(bytes_.size() + frame->payload.size()) > size_) return fail("size");
  bytes_.insert(bytes_.end(), frame->payload.begin(), frame->payload.end());
  if (!frame->payload.empty()) last_ = now_;
  // A hub that goes beyond its window pays for it when the flash is slow.
  if (static_cast<std::int64_t>(bytes_.size()) >
      (acked_ < 0 ? 0 : acked_ + static_cast<std::int64_t>(protocol::kOtaWindowBytes))) {
    flash_failed_ = true;
  }
}

// ---- The gadget's

void UpdateRules::says(const protocol::OtaReady& message, bool taken) {
  verdict_.require(phase_ == Phase::offered, "O1: ota.ready without an offer");
  if (nonce_.empty()) {
    verdict_.require(std::find(nonces_.begin(), nonces_.end(), message.nonce) == nonces_.end(),
                     "O1: a nonce serves twice");
    verdict_.require(ready_due_, "O1: ota.ready of its own accord");
    nonces_.emplace_back(message.nonce);
    nonce_ = message.nonce;
  } else {
    verdict_.require(message.nonce == nonce_ && ready_again_, "O1: ota.ready twice");
  }
  ready_again_ = !taken;
  ready_due_ = false;
}

void UpdateRules::says(const protocol::OtaAck& message) {
  const bool goes = phase_ == Phase::receiving || phase_ == Phase::complete;
  verdict_.require(goes, "O2 O4: ota.ack without an update that was authorized");
  verdict_.require(message.offset <= static_cast<std::int64_t>(bytes_.size()),
                   "O4: more is acknowledged than came");
  verdict_.require(message.offset >= acked_, "O4: the acknowledgement goes back");
  verdict_.require(
      blank_ >= std::min<std::int64_t>(
                    size_, message.offset + static_cast<std::int64_t>(protocol::kOtaWindowBytes)),
      "B-62: the window opens before the flash is blank");
  verdict_.require(acked_ < 0 || message.offset == size_ || message.offset == acked_ ||
                       message.offset - acked_ >= static_cast<std::int64_t>(protocol::kOtaAckBytes),
                   "E38: an ota.ack of less than 16 KB");
  acked_ = message.offset;
  last_ = now_;
}

bool UpdateRules::sum_is_right() const { return sha256_hex(bytes_) == sha256_; }

void UpdateRules::says(const protocol::OtaDone&, bool taken) {
  verdict_.require(marked_, "O5: ota.done before the image is marked");
  verdict_.require(phase_ == Phase::complete || done_retry_, "O5: ota.done twice, or of no update");
  phase_ = Phase::installed;
  done_retry_ = !taken;
}

bool UpdateRules::may_say(std::string_view code) const {
  if (!due_.empty()) return code == due_;
  if (code == retry_) return true;
  const bool goes = phase_ == Phase::receiving || phase_ == Phase::complete;
  const bool silent = now_ - last_ >= kSilenceMs;
  if (code == "timeout") {
    return silent && (phase_ == Phase::offered || phase_ == Phase::receiving);
  }
  if (code == "flash") return goes && (flash_failed_ || silent);
  if (code == "checksum") return phase_ == Phase::complete && (flash_failed_ || !sum_is_right());
  return code == "invalid" && phase_ == Phase::complete && sum_is_right();
}

void UpdateRules::says(const protocol::OtaError& message, bool taken) {
  // A right MAC and a flash that fails at once, a frame that is one too many and another failure:
  // what was wrong first, counts.
  if (!may_say(message.code)) {
    verdict_.require(false, "O6: ota.error " + std::string{message.code} + " out of place");
  }
  verdict_.require(phase_ != Phase::installed, "O5: an error after ota.done");
  phase_ = Phase::none;  // E38: neither offer nor update is left
  due_ = {};
  ready_due_ = false;
  retry_ = taken ? "" : std::string{message.code};
}

// ---- Its flash

void UpdateRules::touches() {
  verdict_.require(phase_ == Phase::receiving, "O2: the flash is touched without a right MAC");
  blank_ = 0;
}

void UpdateRules::blanked(std::uint32_t end) {
  verdict_.require(phase_ == Phase::receiving || phase_ == Phase::complete,
                   "O2: the flash is erased without a right MAC");
  blank_ = end;
  last_ = now_;
}

void UpdateRules::marks(std::span<const std::byte> slot, bool good) {
  verdict_.require(phase_ == Phase::complete, "O5: marked before all bytes came");
  verdict_.require(
      slot.size() >= bytes_.size() && std::equal(bytes_.begin(), bytes_.end(), slot.begin()),
      "O5: marked, and the slot holds something else");
  verdict_.require(static_cast<std::int64_t>(bytes_.size()) == size_ && sum_is_right(),
                   "O5: marked with a wrong SHA-256");
  verdict_.require(good, "O5 E29: marked, and it is no image for this board");
}

void UpdateRules::end(bool ticked) {
  verdict_.require(!ready_due_, "O1: an offer without an answer");
  verdict_.require(due_.empty(), "E38: " + std::string{due_} + " is not said");
  if (ticked && phase_ == Phase::offered) {
    verdict_.require(now_ - last_ < kSilenceMs, "E38: an offer that waits for ever");
  }
}

}  // namespace gadget::device::model
