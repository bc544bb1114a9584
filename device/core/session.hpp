// session.hpp - the life of the connection to the hub, from the first attempt to the last: the
// device's identity, the handshake, the heartbeat, and when to try again (H1-H11, E27, E31, E32,
// B1-B3, N1).
//
//   off -> offline <-> pausing -> connecting -> upgrading -> greeting -> proving -> online
//                         ^___________________________________________________________|
//
// Owned and driven by Gadget; sans-I/O: the time comes in, bytes go out through Link.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "device/core/backoff.hpp"
#include "device/core/platform.hpp"
#include "device/core/text.hpp"
#include "protocol/identity.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class Phase : std::uint8_t {
  off,         // before start
  offline,     // no network
  pausing,     // a network, and a while until the next attempt
  connecting,  // name, TCP, TLS
  upgrading,   // the HTTP upgrade
  greeting,    // `hello` is sent, `challenge` must come
  proving,     // `auth` is sent, `welcome` must come
  online,
};

enum class SessionEvent : std::uint8_t {
  start,
  network_up,
  network_back,  // the same within a pause that a loss of the network does not end
  network_down,
  pause_over,
  transport,  // TCP (and TLS) is there
  opened,     // the upgrade was granted
  challenge,
  welcome,
  ended,  // closed by either side, lost, or a step took too long
};

// The whole life of a connection. Empty: that event means nothing in that phase.
[[nodiscard]] constexpr std::optional<Phase> next(Phase phase, SessionEvent event) {
  using enum Phase;
  switch (event) {
    case SessionEvent::start:
      if (phase == off) return offline;
      break;
    case SessionEvent::network_up:
      if (phase == offline) return connecting;
      break;
    case SessionEvent::network_back:
      if (phase == offline) return pausing;
      break;
    case SessionEvent::network_down:
      if (phase >= pausing) return offline;
      break;
    case SessionEvent::pause_over:
      if (phase == pausing) return connecting;
      break;
    case SessionEvent::transport:
      if (phase == connecting) return upgrading;
      break;
    case SessionEvent::opened:
      if (phase == connecting || phase == upgrading) return greeting;
      break;
    case SessionEvent::challenge:
      if (phase == greeting) return proving;
      break;
    case SessionEvent::welcome:
      if (phase == proving) return online;
      break;
    case SessionEvent::ended:
      if (phase >= connecting) return pausing;
      break;
  }
  return std::nullopt;
}

// What the person must decide before this hub is obeyed (E32, N1).
enum class Doubt : std::uint8_t {
  none,
  unknown_here,  // the hub does not know a device that it knew: may the key be sent again?
  no_proof,      // the hub does not prove that it knows the key: is it to be trusted all the same?
};

enum class ReenrolPolicy : std::uint8_t {
  ask,    // E32
  allow,  // a port without person or button says so by itself
};

class Session {
 public:
  Session(const Platform& platform, ReenrolPolicy policy);

  // Loads the key, or makes one (H1). False: it could not be kept; there is nothing to connect
  // with.
  [[nodiscard]] bool start(Ticks now);
  void network(Ticks now, bool up);
  // Ends the connection, if any, and stays off.
  void stop(std::uint16_t code, std::string_view reason);
  // As if the pause were over.
  void hurry(Ticks now);
  // Leaves the hub and comes again at once: another address, name or token.
  void reconnect(Ticks now);
  // Another key, and no trust (H1). REQUIRES: off. False: the store does not take it.
  [[nodiscard]] bool new_key();

  // Link events. False: of another connection, or out of place; nothing happened.
  bool transport(Ticks now, Epoch epoch);
  // True: send `hello` now, with hello_nonce().
  bool opened(Ticks now, Epoch epoch);
  bool ended(Ticks now, Epoch epoch, const LinkEnd& end);
  // Any inbound frame (E30).
  bool alive(Ticks now, Epoch epoch);

  // Messages (T9: only these count before `welcome`).
  void challenge(Ticks now, const protocol::Challenge& challenge);
  // True: online from now on.
  bool welcome(Ticks now, const protocol::Welcome& welcome);
  void error(const protocol::ErrorMessage& error);
  // Something could not be sent that must be: the connection is given up, with 1000.
  void give_up(Ticks now, const char* reason = "leaving");

  // The person's answer to doubt(). After a no it is not asked again until ask_again() or a
  // `welcome`: the same hub comes back every minute. False: nothing is asked, or it was asked less
  // than kQuestionGuardMs ago, and the answer was meant for something else.
  bool decide(Ticks now, bool yes);
  // The person wants to decide anew. False: there is nothing to decide.
  bool ask_again(Ticks now);
  // Permission given elsewhere: a button held at start, `reenrol` on a console (E32).
  void allow_reenrol(Ticks now);

  void tick(Ticks now);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool online() const { return phase_ == Phase::online; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  [[nodiscard]] Doubt doubt() const { return doubt_; }
  // Why the hub or we refused; shown until something else happens. Empty: no such thing.
  [[nodiscard]] std::string_view refusal() const { return refusal_.view(); }
  // How the last connection ended: "closed 1000 leaving", "connection refused".
  [[nodiscard]] std::string_view last_end() const { return last_end_.view(); }
  [[nodiscard]] const protocol::DeviceId& id() const { return id_; }
  // Whether `mac` allows the image with that digest and size (O2).
  [[nodiscard]] bool authorizes_update(std::string_view mac, std::string_view nonce,
                                       std::string_view sha256_hex, std::uint32_t size) const;
  [[nodiscard]] std::string_view hello_nonce() const { return protocol::view(nonce_); }
  [[nodiscard]] Ticks heartbeat_ms() const { return heartbeat_ms_; }
  [[nodiscard]] Ticks pause_ends() const { return deadline_; }

 private:
  enum class Proof : std::uint8_t { none, key, mac };  // what `auth` carried

  bool step(SessionEvent event);
  void connect(Ticks now);
  // E27: after a session that was long the next pause is short again.
  void credit(Ticks now);
  void finish(Ticks now, const LinkEnd& end);
  void note_refusal(const std::string_view& code, const std::string_view& message);
  void doubt(Ticks now, Doubt what, const char* text);
  void store_trust(bool accepted_by_mac, bool hub_proved);
  [[nodiscard]] std::uint32_t random();
  [[nodiscard]] bool is_current(Epoch epoch) const {
    return epoch == epoch_ && phase_ >= Phase::connecting;
  }

  // Small and often used ones first: see gadget.hpp.
  Phase phase_ = Phase::off;
  ReenrolPolicy policy_;
  Proof proof_ = Proof::none;
  Doubt doubt_ = Doubt::none;
  Doubt declined_ = Doubt::none;
  bool network_ = true;
  bool consent_ = false;  // the key may be sent once more
  bool slow_ = false;     // the next pause is that after a refusal
  bool firm_ = false;     // deadline_ is of a pause that a network that comes back does not end
  // Kept in the store as "trust".
  bool accepted_by_mac_ = false;  // E32
  bool hub_proved_ = false;       // N1
  Epoch epoch_ = 0;
  Ticks deadline_ = 0;  // of the step, the pause, or the heartbeat
  Ticks online_since_ = 0;
  Ticks heartbeat_ms_ = Ticks{protocol::kDefaultHeartbeatS} * 1'000;
  Ticks doubt_since_ = 0;  // the guard of the question began
  Backoff backoff_;
  Platform platform_;

  protocol::Key key_;
  protocol::DeviceId id_;
  protocol::NonceText nonce_{};
  FixedText<kErrorBytes> refusal_;
  FixedText<kErrorBytes> last_end_;
};

}  // namespace gadget::device
