#include "device/core/session.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

constexpr std::string_view kStoredKey = "key";
constexpr std::string_view kStoredTrust = "trust";
constexpr std::byte kTrustMac{1};
constexpr std::byte kTrustProof{2};

constexpr std::uint16_t kCloseNormal = 1000;
constexpr std::uint16_t kClosePolicy = 1008;
constexpr const char* kLeaving = "leaving";

// The codes after which trying again soon would not help (E27), and what the person is told.
constexpr std::pair<std::string_view, const char*> kRefusals[] = {
    {"auth_failed", "The hub does not accept this device's key."},
    {"bad_token", "The hub wants another access token."},
    {"busy", "The hub has no room for another device now."},
    {"protocol", "The hub does not speak this device's protocol."}};

}  // namespace

Session::Session(const Platform& platform, ReenrolPolicy policy)
    : platform_(platform), policy_(policy) {}

std::uint32_t Session::random() {
  std::array<std::byte, 4> bytes;  // NOLINT: filled below
  platform_.entropy.fill(bytes);
  std::uint32_t value = 0;
  for (const auto byte : bytes) value = value << 8U | std::to_integer<std::uint32_t>(byte);
  return value;
}

bool Session::step(SessionEvent event) {
  const auto to = next(phase_, event);
  if (!to) return false;
  phase_ = *to;
  return true;
}

bool Session::start(Millis now) {
  if (phase_ != Phase::off) return false;
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  const auto stored = platform_.store.get(kStoredKey, bytes);
  if (stored != bytes.size()) {
    platform_.entropy.fill(bytes);
    if (!platform_.store.put(kStoredKey, bytes)) {
      protocol::wipe(bytes);
      return false;
    }
  }
  key_ = protocol::Key{bytes};
  protocol::wipe(bytes);
  id_ = protocol::device_id(key_);
  std::array<std::byte, 1> trust{};
  if (platform_.store.get(kStoredTrust, trust) == trust.size()) {
    accepted_by_mac_ = (trust[0] & kTrustMac) != std::byte{0};
    hub_proved_ = (trust[0] & kTrustProof) != std::byte{0};
  }
  step(SessionEvent::start);
  if (network_) network(now, true);
  return true;
}

void Session::network(Millis now, bool up) {
  network_ = up;
  if (up) {
    if (firm_ && now < deadline_) {
      step(SessionEvent::network_back);
    } else if (step(SessionEvent::network_up)) {
      connect(now);
    }
    return;
  }
  if (was_long(now)) backoff_.reset();
  if (phase_ >= Phase::connecting) {
    platform_.link.close(kCloseNormal, kLeaving);
    firm_ = slow_;  // it had refused
    if (firm_) deadline_ = now + Backoff::refused(random());
  }
  step(SessionEvent::network_down);
}

void Session::stop(std::uint16_t code, std::string_view reason) {
  if (phase_ >= Phase::connecting) platform_.link.close(code, reason);
  phase_ = Phase::off;
}

void Session::hurry(Millis now) {
  firm_ = false;
  if (phase_ == Phase::pausing) deadline_ = now;
}

void Session::reconnect(Millis now) {
  give_up(now);
  backoff_.reset();
  last_end_.clear();
  refusal_.clear();
  hurry(now);
}

bool Session::new_key() {
  doubt_ = declined_ = Doubt::none;
  consent_ = slow_ = firm_ = false;
  refusal_.clear();
  last_end_.clear();
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  platform_.entropy.fill(bytes);
  const bool kept = platform_.store.put(kStoredKey, bytes);
  protocol::wipe(bytes);
  accepted_by_mac_ = hub_proved_ = false;
  const std::array<std::byte, 1> none{};
  return kept && platform_.store.put(kStoredTrust, none);
}

void Session::connect(Millis now) {
  ++epoch_;
  proof_ = Proof::none;
  slow_ = false;
  deadline_ = now + protocol::kHandshakeStepMs;
  platform_.link.connect(epoch_);
}

bool Session::transport(Millis now, Epoch epoch) {
  if (!is_current(epoch) || !step(SessionEvent::transport)) return false;
  deadline_ = now + protocol::kHandshakeStepMs;
  return true;
}

bool Session::opened(Millis now, Epoch epoch) {
  if (!is_current(epoch) || !step(SessionEvent::opened)) return false;
  std::array<std::byte, protocol::kNonceBytes> bytes;  // NOLINT: filled below
  platform_.entropy.fill(bytes);
  nonce_ = protocol::nonce_text(bytes);
  deadline_ = now + protocol::kHandshakeStepMs;
  return true;
}

void Session::challenge(Millis now, const protocol::Challenge& challenge) {
  // One `auth` a connection (E32): in `proving` and later a challenge means nothing.
  if (phase_ != Phase::greeting) return;
  std::array<char, 192> room;  // NOLINT: filled below
  protocol::Expected<std::string_view> message;
  protocol::MacText secret{};
  if (challenge.enrolled) {
    secret = protocol::auth_mac(key_, id_.text(), challenge.nonce);
    message =
        protocol::write_message(protocol::Auth{.key = {}, .mac = protocol::view(secret)}, room);
    proof_ = Proof::mac;
  } else {
    const bool may_reveal =
        !accepted_by_mac_ || consent_ || platform_.link.secure() || policy_ == ReenrolPolicy::allow;
    if (!may_reveal) return doubt(now, Doubt::unknown_here, "This hub does not know me.");
    consent_ = false;
    secret = protocol::key_text(key_);
    message =
        protocol::write_message(protocol::Auth{.key = protocol::view(secret), .mac = {}}, room);
    proof_ = Proof::key;
  }
  step(SessionEvent::challenge);
  deadline_ = now + protocol::kHandshakeStepMs;
  const bool sent = message && platform_.link.send_text(*message);
  protocol::wipe(std::as_writable_bytes(std::span{room}));
  protocol::wipe(std::as_writable_bytes(std::span{secret}));
  if (!sent) give_up(now);
}

bool Session::welcome(Millis now, const protocol::Welcome& welcome) {
  if (phase_ != Phase::proving) return false;
  if (proof_ == Proof::mac) {
    const auto expected = protocol::hub_mac(key_, id_.text(), hello_nonce());
    const bool proved = protocol::mac_matches(expected, welcome.mac);
    if (hub_proved_ && !proved) {
      doubt(now, Doubt::no_proof, "This hub cannot prove that it knows me.");
      return false;
    }
    store_trust(true, proved);
    consent_ = false;  // it was for a hub that does not know us
  } else {
    // A new enrolment: there is no proof to check yet (N1). That a MAC was accepted once is never
    // forgotten: the next hub that knows nothing gets no key either (E32).
    store_trust(accepted_by_mac_, false);
  }
  step(SessionEvent::welcome);
  doubt_ = Doubt::none;
  declined_ = Doubt::none;
  refusal_.clear();
  last_end_.clear();
  online_since_ = now;
  std::int64_t heartbeat_s = protocol::kDefaultHeartbeatS;
  if (!welcome.heartbeat_s.empty()) {
    heartbeat_s = std::clamp(welcome.heartbeat_s.rounded(), protocol::kMinHubHeartbeatS,
                             protocol::kMaxDeviceHeartbeatS);
  }
  heartbeat_ms_ = heartbeat_s * 1'000;
  deadline_ = now + protocol::kHeartbeatsUntilDead * heartbeat_ms_;
  return true;
}

void Session::error(const protocol::ErrorMessage& error) {
  if (phase_ >= Phase::greeting) note_refusal(error.code, error.message);
}

void Session::note_refusal(const std::string_view& code, const std::string_view& message) {
  for (const auto& [refusal, sentence] : kRefusals) {
    if (code != refusal) continue;
    slow_ = true;
    refusal_.set(message.empty() ? sentence : message);
  }
}

bool Session::ended(Millis now, Epoch epoch, const LinkEnd& end) {
  if (!is_current(epoch)) return false;
  if (end.close_code == kClosePolicy && !slow_) note_refusal(end.reason, {});
  finish(now, end);
  return true;
}

void Session::finish(Millis now, const LinkEnd& end) {
  const bool over_long = was_long(now);
  if (!step(SessionEvent::ended)) return;
  if (over_long) backoff_.reset();
  if (!slow_) refusal_.clear();
  last_end_.set(end.reason);
  Millis pause = slow_ ? Backoff::refused(random()) : backoff_.next(random());
  if (end.http_status == 503) {
    const Millis asked = Millis{std::min(end.retry_after_s, kMaxRetryAfterS)} * 1'000;
    pause = std::max(pause, asked);
  }
  firm_ = slow_ || end.http_status == 503;
  slow_ = false;
  proof_ = Proof::none;
  deadline_ = now + pause;
}

void Session::give_up(Millis now, const char* reason) {
  if (phase_ < Phase::connecting) return;
  platform_.link.close(kCloseNormal, reason);
  finish(now, LinkEnd{.close_code = kCloseNormal, .reason = reason});
}

void Session::doubt(Millis now, Doubt what, const char* text) {
  if (declined_ != what && doubt_ != what) {
    doubt_ = what;
    doubt_open_at_ = now + kQuestionGuardMs;
  }
  slow_ = true;
  refusal_.set(text);
  platform_.link.close(kCloseNormal, kLeaving);
  finish(now, LinkEnd{.close_code = kCloseNormal, .reason = text});
}

bool Session::decide(Millis now, bool yes) {
  const Doubt asked = doubt_;
  if (asked == Doubt::none || now < doubt_open_at_) return false;
  doubt_ = Doubt::none;
  declined_ = yes ? Doubt::none : asked;
  if (!yes) return true;
  if (asked == Doubt::unknown_here) consent_ = true;
  if (asked == Doubt::no_proof) store_trust(accepted_by_mac_, false);
  hurry(now);
  return true;
}

bool Session::ask_again(Millis now) {
  if (declined_ == Doubt::none) return false;
  doubt_ = declined_;
  doubt_open_at_ = now + kQuestionGuardMs;
  declined_ = Doubt::none;
  return true;
}

void Session::allow_reenrol(Millis now) {
  consent_ = true;
  store_trust(accepted_by_mac_, false);
  doubt_ = Doubt::none;
  declined_ = Doubt::none;
  hurry(now);
}

void Session::store_trust(bool accepted_by_mac, bool hub_proved) {
  if (accepted_by_mac == accepted_by_mac_ && hub_proved == hub_proved_) return;
  accepted_by_mac_ = accepted_by_mac;
  hub_proved_ = hub_proved;
  std::array<std::byte, 1> value{};
  if (accepted_by_mac_) value[0] |= kTrustMac;
  if (hub_proved_) value[0] |= kTrustProof;
  // A store that refuses leaves the trust of this run; the next start knows less, and asks less.
  (void)platform_.store.put(kStoredTrust, value);
}

bool Session::authorizes_update(std::string_view mac, std::string_view nonce,
                                std::string_view sha256_hex, std::uint32_t size) const {
  return protocol::mac_matches(protocol::ota_mac(key_, id_.text(), nonce, sha256_hex, size), mac);
}

bool Session::alive(Millis now, Epoch epoch) {
  if (!is_current(epoch) || phase_ < Phase::greeting) return false;
  if (online()) deadline_ = now + protocol::kHeartbeatsUntilDead * heartbeat_ms_;
  return true;
}

void Session::tick(Millis now) {
  if (phase_ <= Phase::offline || now < deadline_) return;
  if (phase_ == Phase::pausing) {
    step(SessionEvent::pause_over);
    connect(now);
  } else if (online()) {
    give_up(now, "heartbeat timeout");
  } else {
    give_up(now);
    last_end_.set("The hub does not answer.");
  }
}

}  // namespace gadget::device
