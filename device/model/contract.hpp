// contract.hpp - what must hold of a gadget, whatever happens: told what hub, person and board did
// and what the gadget did thereupon, it says what was wrong. It knows protocol.md, and nothing of
// how the gadget is made. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/core/platform.hpp"
#include "device/model/sound.hpp"
#include "device/model/update_rules.hpp"
#include "device/model/verdict.hpp"
#include "device/model/waiting.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"

namespace gadget::device::model {

// Whose doing the present call of the gadget is.
enum class Cause : std::uint8_t {
  none,  // nothing in particular
  time,  // a tick
  hub,
  talk_down,
  cancel_down,
  other_button,
  yes,
  no,
  cancel,
  new_session,
  text,
  event,
  sensor,
  finish,
};

class Contract {
 public:
  // The first thing that was wrong; empty: nothing.
  [[nodiscard]] const std::string& fault() const { return verdict_.fault(); }
  void require(bool holds, std::string_view rule) { verdict_.require(holds, rule); }

  // ---- The world
  // A start begins; then, when it succeeded, what its store holds. `doubtful`: the store refused
  // something meanwhile.
  // `asks`: its person agrees before the key goes out again (E32).
  void powers(bool asks);
  void has_key(std::span<const std::byte> key, unsigned trust, bool doubtful);
  void loses_key();  // a factory reset: another key, no trust
  void power_lost();
  void begin(Cause cause, Millis now);
  void network(bool up) { network_ = up; }
  void stops() { off_ = true; }
  void reconnects() {  // at once, and then as if nothing had failed
    failures_ = 0;
    counted_ = hurried_ = true;
    not_before_ = 0;
  }
  void consents() {  // the person lets the key go (E32)
    consent_ = true;
    not_before_ = 0;
  }
  void trusts_without_proof() {  // N1
    proved_ = false;
    not_before_ = 0;
  }
  void cancel_button(bool down);
  void heard(std::span<const std::int16_t> samples) { fed_ += samples.size(); }

  // ---- The link's side of the gadget
  void connects(Epoch epoch);
  void closes(std::uint16_t code, std::string_view reason);
  void says(std::string_view text, bool taken);
  void sends(std::span<const std::byte> message, bool taken);
  void listens(bool on);

  // ---- Events of the present connection, before the gadget hears of them
  void transported();
  void opened();
  void lost(const LinkEnd& end);
  void hub_says(std::string_view text);                // any text message
  void hub_sends();                                    // any binary message, or a control frame
  void hub_frame(std::span<const std::byte> message);  // of any channel

  // ---- Actions
  void runs(std::string_view name, ActionTicket ticket, bool completes);
  void finishes(ActionTicket ticket);
  [[nodiscard]] std::vector<ActionTicket> running() const;

  // ---- After the call
  // `tested`: the person has the microphone checked.
  void end(bool online, bool recording, bool tested, Millis pause_ends, bool pausing);
  // At the end of all: every action of this connection was answered (X2).
  void end_of_all();

  [[nodiscard]] bool connected() const { return wire_ != Wire::none; }
  [[nodiscard]] bool is_open() const { return wire_ == Wire::open; }
  [[nodiscard]] bool greeted() const { return hello_; }
  [[nodiscard]] bool proved() const { return auth_; }
  [[nodiscard]] bool online() const { return online_; }
  [[nodiscard]] std::string_view hello_nonce() const { return hello_nonce_; }
  [[nodiscard]] bool enrolled_key() const { return key_given_; }  // the hub has the key
  [[nodiscard]] const protocol::Key& key() const { return *key_; }
  [[nodiscard]] const protocol::DeviceId& id() const { return id_; }
  [[nodiscard]] Sound& sound() { return sound_; }
  [[nodiscard]] Waiting& waiting() { return waiting_; }
  [[nodiscard]] UpdateRules& update() { return update_; }
  [[nodiscard]] Verdict& verdict() { return verdict_; }
  [[nodiscard]] bool utterance_open() const { return utterance_.has_value(); }
  [[nodiscard]] Epoch epoch() const { return epoch_; }

 private:
  enum class Wire : std::uint8_t { none, connecting, open };
  struct Utterance {
    std::string id;
    std::int64_t stream = 0;
    std::uint32_t rate = 0;
    std::uint16_t sequence = 0;
    std::uint64_t samples = 0;
    bool tap = false;
  };
  struct Asked {  // the question that shows
    std::string id;
    Millis at = 0;
    Millis ttl = 0;
  };
  struct Act {
    enum class State : std::uint8_t { running, unsent, answered };
    std::string id;
    ActionTicket ticket = 0;
    State state = State::running;
    std::string answer;
    int runs = 0;
  };
  struct Here;   // one overload a message of the hub
  struct There;  // one overload a message of the device

  void gone(bool refused, const LinkEnd& end);
  void forget();
  [[nodiscard]] Act* find(std::string_view id);
  [[nodiscard]] Act* open_act(std::string_view id);
  void said_result(const protocol::ActionResult& result, std::string_view text, bool taken);
  void check_time(bool online);
  void check_pause(Millis pause);

  Verdict verdict_;
  Waiting waiting_{verdict_};
  UpdateRules update_{verdict_};
  Cause cause_ = Cause::none;
  Millis now_ = 0;

  // Identity and trust, across connections.
  std::optional<protocol::Key> key_;
  protocol::DeviceId id_;
  bool asks_ = true;
  bool mac_ever_ = false;  // was accepted by its MAC (E32)
  bool proved_ = false;    // the hub proved that it knows the key (N1)
  bool consent_ = false;
  bool key_given_ = false;

  // The connection.
  bool network_ = true;
  bool off_ = true;
  Wire wire_ = Wire::none;
  Epoch epoch_ = 0;
  bool transported_ = false;
  bool hello_ = false;
  bool auth_ = false;
  bool auth_key_ = false;
  std::string hello_nonce_;
  std::optional<std::string> challenge_nonce_;
  bool challenge_enrolled_ = true;
  bool online_ = false;
  bool paired_ = false;
  bool must_close_ = false;  // N1: this `welcome` is not to be obeyed
  Millis online_since_ = 0;
  Millis heartbeat_ms_ = 0;
  Millis last_inbound_ = 0;
  Millis step_since_ = 0;

  // Pauses (E27).
  std::size_t failures_ = 0;
  bool counted_ = true;  // failures_ is known
  bool refused_ = false;
  bool just_ended_ = false;
  bool hurried_ = false;
  Millis not_before_ = 0;  // of the pause after a refusal, whatever the network does
  Millis pause_least_ = 0;
  Millis pause_most_ = 0;

  // The present call.
  int pongs_due_ = 0;
  std::string ping_token_;
  std::optional<std::string> action_id_;  // that the hub asks for in this call
  int results_ = 0;                       // that were said for it
  int results_due_ = 0;
  bool may_be_mute_ = false;  // an id that cannot be echoed
  int runs_due_ = 0;          // at most

  std::optional<Asked> question_;
  std::vector<Act> acts_;
  std::optional<Utterance> utterance_;
  bool listening_ = false;
  std::uint64_t fed_ = 0;
  std::optional<Millis> cancel_since_;
  bool cancel_spoilt_ = false;  // a question showed during this press (E36)
  std::optional<Millis> last_state_;
  Sound sound_;
};

}  // namespace gadget::device::model
