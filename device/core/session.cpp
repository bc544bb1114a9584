#include "device/core/session.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "device/core/stored.hpp"
#include "device/core/transitions.hpp"
#include "protocol/codec.hpp"
#include "protocol/words.hpp"

namespace gadget::device {
namespace {

constexpr Transitions<Phase, SessionEvent, Phase::online, SessionEvent::ended> kTransitions;

constexpr const char* kStoredKey = "key";
constexpr const char* kStoredTrust = "trust";
constexpr std::byte kTrustMac{1};
constexpr std::byte kTrustProof{2};

constexpr std::uint16_t kCloseNormal = 1000;
constexpr std::uint16_t kClosePolicy = 1008;
constexpr const char* kLeaving = "leaving";

// The codes after which trying again soon would not help (E27), and what the person is told.
constexpr std::size_t kRefusals = 4;
constexpr char kRefusalTexts[] =
    "auth_failed\0The hub does not accept this device's key.\0"
    "bad_token\0The hub wants another access token.\0"
    "busy\0The hub has no room for another device now.\0"
    "protocol\0The hub does not speak this device's protocol.\0";
static_assert(protocol::texts_in(kRefusalTexts) == 2 * kRefusals);

}  // namespace

Session::Session(const Platform& platform, ReenrolPolicy policy)
    : policy_(policy), platform_(platform) {}

std::uint32_t Session::random() {
  std::array<std::byte, 4> bytes;  // NOLINT: filled below
  platform_.entropy.fill(bytes);
  std::uint32_t value = 0;
  for (const auto byte : bytes) value = value << 8U | std::to_integer<std::uint32_t>(byte);
  return value;
}

bool Session::step(SessionEvent event) { return kTransitions.take(phase_, event); }

bool Session::start(Ticks now) {
  if (phase_ != Phase::off) return false;
  std::array<std::byte, protocol::kKeyBytes> bytes;  // NOLINT: filled below
  if (!get_stored(platform_.store, kStoredKey, bytes)) {
    platform_.entropy.fill(bytes);
    if (!put_stored(platform_.store, kStoredKey, bytes)) {
      protocol::wipe(bytes);
      return false;
    }
  }
  key_ = protocol::Key{bytes};
  protocol::wipe(bytes);
  id_ = protocol::device_id(key_);
  std::array<std::byte, 1> trust;  // NOLINT: filled below
  if (get_stored(platform_.store, kStoredTrust, trust)) {
    accepted_by_mac_ = (trust[0] & kTrustMac) != std::byte{0};
    hub_proved_ = (trust[0] & kTrustProof) != std::byte{0};
  }
  step(SessionEvent::start);
  if (network_) network(now, true);
  return true;
}

void Session::network(Ticks now, bool up) {
  credit(now);
  network_ = up;
  if (up) {
    if (firm_ && !is_due(now, deadline_)) {
      step(SessionEvent::network_back);
    } else if (step(SessionEvent::network_up)) {
      connect(now);
    }
    return;
  }
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

void Session::hurry(Ticks now) {
  firm_ = false;
  if (phase_ == Phase::pausing) deadline_ = now;
}

void Session::reconnect(Ticks now) {
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
  std::array<std::byte, protocol::kKeyBytes> bytes;  // NOLINT: filled below
  platform_.entropy.fill(bytes);
  const bool kept = put_stored(platform_.store, kStoredKey, bytes);
  protocol::wipe(bytes);
  accepted_by_mac_ = hub_proved_ = false;
  const std::array<std::byte, 1> none{};
  return kept && put_stored(platform_.store, kStoredTrust, none);
}

void Session::connect(Ticks now) {
  ++epoch_;
  proof_ = Proof::none;
  slow_ = false;
  deadline_ = after(now, protocol::kHandshakeStepMs);
  platform_.link.connect(epoch_);
}

bool Session::transport(Ticks now, Epoch epoch) {
  if (!is_current(epoch) || !step(SessionEvent::transport)) return false;
  deadline_ = after(now, protocol::kHandshakeStepMs);
  return true;
}

bool Session::opened(Ticks now, Epoch epoch) {
  if (!is_current(epoch) || !step(SessionEvent::opened)) return false;
  std::array<std::byte, protocol::kNonceBytes> bytes;  // NOLINT: filled below
  platform_.entropy.fill(bytes);
  nonce_ = protocol::nonce_text(bytes);
  deadline_ = after(now, protocol::kHandshakeStepMs);
  return true;
}

void Session::challenge(Ticks now, const protocol::Challenge& challenge) {
  // One `auth` a connection (E32): in `proving` and later a challenge means nothing.
  if (phase_ != Phase::greeting) return;
  protocol::MacText secret;
  protocol::Auth auth;
  if (challenge.enrolled) {
    secret = protocol::auth_mac(key_, id_.text(), challenge.nonce);
    auth.mac = protocol::view(secret);
    proof_ = Proof::mac;
  } else {
    const bool may_reveal =
        !accepted_by_mac_ || consent_ || platform_.link.secure() || policy_ == ReenrolPolicy::allow;
    if (!may_reveal) return doubt(now, Doubt::unknown_here, "This hub does not know me.");
    consent_ = false;
    secret = protocol::key_text(key_);
    auth.key = protocol::view(secret);
    proof_ = Proof::key;
  }
  std::array<char, 192> room;  // NOLINT: filled below
  const auto message = protocol::write_message(auth, room);
  step(SessionEvent::challenge);
  deadline_ = after(now, protocol::kHandshakeStepMs);
  const bool sent = message && platform_.link.send_text(*message);
  protocol::wipe(std::as_writable_bytes(std::span{room}));
  protocol::wipe(std::as_writable_bytes(std::span{secret}));
  if (!sent) give_up(now);
}

bool Session::welcome(Ticks now, const protocol::Welcome& welcome) {
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
  const std::int32_t heartbeat_s = welcome.heartbeat_s.within(
      protocol::kMinHubHeartbeatS, protocol::kMaxDeviceHeartbeatS, protocol::kDefaultHeartbeatS);
  heartbeat_ms_ = static_cast<Ticks>(heartbeat_s) * 1'000;
  deadline_ = after(now, protocol::kHeartbeatsUntilDead * heartbeat_ms_);
  return true;
}

void Session::error(const protocol::ErrorMessage& error) {
  if (phase_ >= Phase::greeting) note_refusal(error.code, error.message);
}

void Session::note_refusal(const std::string_view& code, const std::string_view& message) {
  for (std::size_t i = 0; i < kRefusals; ++i) {
    if (code != protocol::text_at(kRefusalTexts, 2 * i)) continue;
    slow_ = true;
    refusal_.set(message.empty() ? protocol::text_at(kRefusalTexts, 2 * i + 1) : message);
  }
}

bool Session::ended(Ticks now, Epoch epoch, const LinkEnd& end) {
  if (!is_current(epoch)) return false;
  if (end.close_code == kClosePolicy && !slow_) note_refusal(end.reason, {});
  finish(now, end);
  return true;
}

[[gnu::noinline]] void Session::credit(Ticks now) {
  if (online() && now - online_since_ >= kLongSessionMs) backoff_.reset();
}

void Session::finish(Ticks now, const LinkEnd& end) {
  credit(now);
  if (!step(SessionEvent::ended)) return;
  if (!slow_) refusal_.clear();
  last_end_.set(end.reason);
  Ticks pause = slow_ ? Backoff::refused(random()) : backoff_.next(random());
  if (end.http_status == 503) {
    const Ticks asked = std::min(end.retry_after_s, kMaxRetryAfterS) * 1'000;
    pause = std::max(pause, asked);
  }
  firm_ = slow_ || end.http_status == 503;
  slow_ = false;
  proof_ = Proof::none;
  deadline_ = now + pause;
}

void Session::give_up(Ticks now, const char* reason) {
  if (phase_ < Phase::connecting) return;
  platform_.link.close(kCloseNormal, reason);
  finish(now, LinkEnd{.close_code = kCloseNormal, .reason = reason});
}

void Session::doubt(Ticks now, Doubt what, const char* text) {
  if (declined_ != what && doubt_ != what) {
    doubt_ = what;
    doubt_since_ = now;
  }
  slow_ = true;
  refusal_.set(text);
  platform_.link.close(kCloseNormal, kLeaving);
  finish(now, LinkEnd{.close_code = kCloseNormal, .reason = text});
}

bool Session::decide(Ticks now, bool yes) {
  const Doubt asked = doubt_;
  if (asked == Doubt::none || now - doubt_since_ < kQuestionGuardMs) return false;
  doubt_ = Doubt::none;
  declined_ = yes ? Doubt::none : asked;
  if (!yes) return true;
  if (asked == Doubt::unknown_here) consent_ = true;
  if (asked == Doubt::no_proof) store_trust(accepted_by_mac_, false);
  hurry(now);
  return true;
}

bool Session::ask_again(Ticks now) {
  if (declined_ == Doubt::none) return false;
  doubt_ = declined_;
  doubt_since_ = now;
  declined_ = Doubt::none;
  return true;
}

void Session::allow_reenrol(Ticks now) {
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
  (void)put_stored(platform_.store, kStoredTrust, value);
}

bool Session::authorizes_update(std::string_view mac, std::string_view nonce,
                                std::string_view sha256_hex, std::uint32_t size) const {
  return protocol::mac_matches(protocol::ota_mac(key_, id_.text(), nonce, sha256_hex, size), mac);
}

bool Session::alive(Ticks now, Epoch epoch) {
  if (!is_current(epoch) || phase_ < Phase::greeting) return false;
  if (online()) deadline_ = after(now, protocol::kHeartbeatsUntilDead * heartbeat_ms_);
  return true;
}

void Session::tick(Ticks now) {
  credit(now);  // at once: a session may be older than instants can be apart
  if (!is_due(now, deadline_)) return;
  firm_ = false;  // also where nothing is to be done: nobody asks in 24 days, when it would be late
  if (phase_ <= Phase::offline) return;
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
