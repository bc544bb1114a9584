// The connection's half of the contract: identity, handshake, heartbeat, pauses.
#include "device/model/contract.hpp"

#include <algorithm>
#include <array>

namespace gadget::device::model {
namespace {

// What a board may be unable to repeat.
constexpr std::size_t kLongestEcho = 1'000;
// C6, and the frame that was under way.
constexpr std::uint64_t kMostUtteranceMs = 60'000 + 40;

bool is_refusal(std::string_view code) {
  return code == "auth_failed" || code == "bad_token" || code == "protocol" || code == "busy";
}

}  // namespace

void Contract::powers(bool asks) {
  asks_ = asks;
  off_ = false;
}

void Contract::has_key(std::span<const std::byte> key, unsigned trust, bool doubtful) {
  require(key.size() == protocol::kKeyBytes, "H1: no key, or half of one, is kept");
  if (key.size() != protocol::kKeyBytes) return;
  const bool same = key_ && std::equal(key.begin(), key.end(), key_->reveal().begin());
  require(!key_ || same, "H1: another key after a restart");
  key_.emplace(std::span<const std::byte, protocol::kKeyBytes>{key});
  id_ = protocol::device_id(*key_);
  const bool knows_mac = (trust & 1U) != 0;
  require(doubtful || knows_mac == mac_ever_, "E32: it was forgotten that the MAC was accepted");
  if (!knows_mac) mac_ever_ = false;
  proved_ = (trust & 2U) != 0;
}

void Contract::loses_key() {
  key_.reset();
  mac_ever_ = proved_ = consent_ = key_given_ = false;
  counted_ = false;  // what it does to the pauses is left open
  not_before_ = 0;
  waiting_.clear();
}

void Contract::power_lost() {
  wire_ = Wire::none;
  off_ = network_ = true;  // up until told otherwise
  epoch_ = 0;
  failures_ = 0;
  counted_ = true;
  not_before_ = 0;
  waiting_.power_lost();
  listening_ = consent_ = false;
  cancel_since_.reset();
  forget();
}

void Contract::begin(Cause cause, Millis now) {
  cause_ = cause;
  now_ = clocked(now);
  just_ended_ = hurried_ = false;
  pongs_due_ = 0;
  action_id_.reset();
  may_be_mute_ = false;
  results_ = results_due_ = runs_due_ = 0;
  waiting_.begin(now_);
  // C8: held for 2 s, also when the hub went away meanwhile.
  if (cause == Cause::time && cancel_since_ && now_ - *cancel_since_ >= 2'000) {
    waiting_.withdraw_texts(false);
  }
  update_.begin(now_);
}

void Contract::connects(Epoch epoch) {
  require(wire_ == Wire::none, "a second connection while one is there");
  require(epoch > epoch_, "an epoch that is not new");
  require(network_, "E27: connects without a network");
  require(!off_, "connects after stop");
  require(now_ >= not_before_ || hurried_, "E27: the pause after a refusal is cut short");
  wire_ = Wire::connecting;
  epoch_ = epoch;
  transported_ = hello_ = auth_ = auth_key_ = refused_ = must_close_ = false;
  challenge_nonce_.reset();
  step_since_ = now_;
  just_ended_ = false;
}

void Contract::transported() {
  if (wire_ != Wire::connecting || transported_) return;
  transported_ = true;
  step_since_ = now_;  // each step has its own time
}

void Contract::opened() {
  if (wire_ != Wire::connecting) return;
  wire_ = Wire::open;
  step_since_ = now_;
}

void Contract::closes(std::uint16_t code, std::string_view reason) {
  require(wire_ != Wire::none, "closes a connection that is gone");
  if (reason == "heartbeat timeout") {
    require(online_ && now_ - last_inbound_ >= 3 * heartbeat_ms_,
            "B3: a heartbeat timeout too early");
    require(code == 1000, "E27: a heartbeat timeout is 1000");
  }
  // It refused: by a doubt (E32, N1).
  const bool doubts = (challenge_nonce_ && !auth_ && cause_ == Cause::hub) || must_close_;
  gone(refused_ || doubts, {});
}

void Contract::lost(const LinkEnd& end) {
  if (wire_ == Wire::none) return;
  gone(refused_ || (end.close_code == 1008 && is_refusal(end.reason)), end);
}

void Contract::gone(bool refused, const LinkEnd& end) {
  if (online_ && now_ - online_since_ >= 30'000) {
    failures_ = 0;
    counted_ = true;
  }
  constexpr std::array<Millis, 6> kSteps{1'000, 2'000, 4'000, 8'000, 15'000, 30'000};
  if (refused) {
    pause_least_ = 30'000;
    pause_most_ = 60'000;
    not_before_ = now_ + pause_least_;
  } else if (network_ && !off_) {
    pause_most_ = kSteps[std::min(failures_, kSteps.size() - 1)];
    pause_least_ = pause_most_ / 2;
    ++failures_;
  }
  if (end.http_status == 503) {
    const Millis asked = Millis{std::min(end.retry_after_s, 60U)} * 1'000;
    pause_least_ = std::max(pause_least_, asked);
    pause_most_ = std::max(pause_most_, asked);
    not_before_ = std::max(not_before_, now_ + asked);
  }
  wire_ = Wire::none;
  just_ended_ = true;
  forget();
}

void Contract::forget() {
  online_ = paired_ = false;
  update_.connection_lost();
  question_.reset();
  acts_.clear();
  utterance_.reset();
  last_state_.reset();
  sound_.cut();
}

void Contract::cancel_button(bool down) {
  if (down == cancel_since_.has_value()) return;
  cancel_since_ = down ? std::optional{now_} : std::nullopt;
  cancel_spoilt_ =
      question_ && (question_->ttl == kForever || now_ - question_->at < question_->ttl);
}

void Contract::listens(bool on) {
  require(on != listening_, "the microphone is told twice the same");
  listening_ = on;
}

void Contract::hub_sends() {
  if (wire_ == Wire::open) last_inbound_ = now_;
}

void Contract::hub_frame(std::span<const std::byte> message) {
  hub_sends();
  if (wire_ == Wire::open && online_) update_.frame(message);
}

void Contract::check_time(bool online) {
  if (cause_ != Cause::time) return;
  if (online) {
    require(now_ - last_inbound_ < 3 * heartbeat_ms_, "B3: a dead connection is kept");
  } else if (wire_ != Wire::none) {
    require(now_ - step_since_ < 10'000, "E27: a step of the handshake without end");
  }
}

void Contract::check_pause(Millis pause) {
  require(pause <= 60'000, "E27: a pause of more than a minute");
  if (!just_ended_ || hurried_ || !counted_) return;
  require(pause >= pause_least_ - 1 && pause <= pause_most_,
          "E27: the pause is not as long as it must be");
}

void Contract::end(bool online, bool recording, bool tested, Millis pause_ends, bool pausing) {
  require(online == online_, online ? "T9: online without a welcome" : "offline though welcomed");
  require(!must_close_ || wire_ == Wire::none, "N1: a hub without proof is obeyed");
  require(recording == utterance_.has_value(), "C2: recording and what was said of it differ");
  require(listening_ == (recording || tested), "the microphone is on outside of a recording");
  require(pongs_due_ == 0 || ping_token_.size() > kLongestEcho, "B1: a ping without its pong");
  require(results_ == results_due_ || (may_be_mute_ && results_ == 0),
          "X2: an action is not answered exactly once");
  require(off_ || !network_ || wire_ != Wire::none || pausing,
          "B-28: neither connected nor pausing");
  if (pausing) {
    check_pause(pause_ends - now_);
    require(cause_ != Cause::time || pause_ends > now_, "B-28: a pause that does not end");
  }
  check_time(online);
  if (online) update_.end(cause_ == Cause::time);
  if (utterance_) {
    require(utterance_->samples <= std::uint64_t{utterance_->rate} * kMostUtteranceMs / 1'000,
            "C6: an utterance of more than a minute");
  }
}

void Contract::end_of_all() {
  for (const auto& act : acts_) {
    require(act.state == Act::State::answered, "X2: an action without an answer");
  }
  waiting_.end_of_all();
}

}  // namespace gadget::device::model
