// connection.hpp - one socket's life, from the upgrade to its end: the handshake (H), the heartbeat
// (B) and the rules for malformed input (E1). What the device says once it is known goes to its
// Twin.
//
// Sans-I/O: fed by the shell through the hub, writes to a Link. One owner: the loop. A connection
// never outlives its socket, and its id is the epoch of all that happens on it: never used again.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hub/connection/encode.hpp"
#include "hub/connection/introduction.hpp"
#include "hub/core/context.hpp"
#include "hub/core/limits.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"

namespace gadget::hub {

// ---- The state machine ----

enum class Phase : std::uint8_t {
  hello,    // upgraded; `hello` is expected within 10 s
  auth,     // challenged; `auth` is expected within 10 s
  online,   // authenticated and welcomed
  closing,  // a close was asked for: what still comes counts as a sign of life at most
};

enum class PhaseEvent : std::uint8_t { hello_taken, auth_taken, closed };

// Nothing: that event has no place in that phase.
[[nodiscard]] constexpr std::optional<Phase> next(Phase phase, PhaseEvent event) {
  if (phase == Phase::closing) return std::nullopt;
  switch (event) {
    case PhaseEvent::hello_taken:
      return phase == Phase::hello ? std::optional(Phase::auth) : std::nullopt;
    case PhaseEvent::auth_taken:
      return phase == Phase::auth ? std::optional(Phase::online) : std::nullopt;
    case PhaseEvent::closed: return Phase::closing;
  }
  return std::nullopt;
}

// ---- What a connection asks of the hub around it ----

class Connection;

// Why an authenticated device is not let in: the code and message of its `error`.
struct Refusal {
  std::string_view code;
  std::string_view message;
};

class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  // The device proved who it is. `first` holds the record to store when this is its first contact.
  // Either the connection is let in (it is welcomed by Connection::welcome, then gets the rest), or
  // a refusal comes back.
  [[nodiscard]] virtual std::optional<Refusal> authenticated(Connection& connection,
                                                             Introduction introduction,
                                                             const protocol::Key& key,
                                                             bool first) = 0;
  // It writes nothing more. Called once, also when the socket went away by itself.
  virtual void ended(Connection& connection) = 0;
  // A connection that was closed showed that its peer is still there (E12).
  virtual void still_lives(Connection& connection) = 0;
};

// Who gets what an online device says: its Twin.
class Receiver {
 public:
  // A well-formed message; its views live as long as the call.
  virtual void received(const protocol::DeviceMessage& message) = 0;
  virtual void received(const protocol::BinaryFrame& frame) = 0;

 protected:
  ~Receiver() = default;
};

// ---- The connection ----

class Connection {
 public:
  using Id = Hub::ConnectionId;

  Connection(Context& context, ConnectionHost& host, Id id, Hub::Peer peer,
             std::shared_ptr<Link> link);

  // From the shell.
  void on_text(std::span<char> message);
  void on_binary(std::span<const std::byte> message);
  void on_alive();
  void on_gone();

  // To the device. Nothing is written in phase `closing`.
  template <class Message>
  void send(const Message& message, Link::Kind kind = Link::Kind::control) {
    send_text(encode(message, context_.buffer), kind);
  }
  // With one text cut to what the device can take (E33).
  template <class Message>
  void send_fitting(const Message& message, std::string_view Message::*text,
                    Link::Kind kind = Link::Kind::control) {
    send_text(encode_fitting(message, text, max_message(), context_.buffer), kind);
  }
  void send_text(std::string text, Link::Kind kind);
  void send_binary(protocol::Channel channel, std::uint8_t stream, std::uint16_t sequence,
                   std::span<const std::byte> payload);
  // Of what `owner` keeps; not copied.
  void send_firmware(std::uint8_t stream, std::uint16_t sequence,
                     std::span<const std::byte> payload, std::shared_ptr<const void> owner);
  void drop_stream(std::uint8_t stream);
  // What a slow link has not taken yet of speech that is over for the hub (E21).
  void drop_late_audio();
  void notice(std::string_view text);
  void welcome(bool paired, const protocol::Key& key, bool first);
  // Who gets what comes from now on, until the connection ends; null: nobody.
  void deliver_to(Receiver* receiver) { receiver_ = receiver; }
  void close(std::uint16_t code, std::string_view reason);
  // `error`, then close 1008 with its code (E2).
  void refuse(std::string_view code, std::string_view message);

  // The next of 1 to 250 (E20), but none that is the newest of another channel: an update may last
  // longer than 250 answers.
  [[nodiscard]] std::uint8_t next_stream(protocol::Channel channel);
  void count_dropped() {
    ++dropped_;
    ++context_.counters.dropped;
  }

  [[nodiscard]] Id id() const { return id_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] const Hub::Peer& peer() const { return peer_; }
  [[nodiscard]] const std::optional<DeviceId>& device() const { return device_; }  // once online
  [[nodiscard]] const protocol::Caps& caps() const { return caps_; }
  [[nodiscard]] std::size_t max_message() const {
    return static_cast<std::size_t>(caps_.max_message_bytes);
  }
  [[nodiscard]] std::size_t waiting_bytes() const { return link_->waiting_bytes(); }
  // One Twin::link_took() is wanted.
  void tell_when_taken() { link_->tell_when_taken(); }
  [[nodiscard]] bool writable() const { return phase_ != Phase::closing && link_->open(); }
  [[nodiscard]] Millis last_frame_ms() const { return last_frame_; }
  [[nodiscard]] std::uint32_t malformed() const { return malformed_; }
  [[nodiscard]] std::uint32_t dropped() const { return dropped_; }

 private:
  void move(PhaseEvent event);
  void take_hello(std::span<char> message);
  void take_auth(std::span<char> message);
  void check_proof(const protocol::Auth& auth);
  [[nodiscard]] bool token_fits(const protocol::Hello& hello) const;
  void challenge(bool enrolled);
  void online_text(std::span<char> message);
  void count_malformed(const protocol::Error& error);
  void protocol_fault(const protocol::Error& error);
  void expect_within(Millis ms, std::string_view what);
  void beat();
  void end();

  Context& context_;
  ConnectionHost& host_;
  const Id id_;
  const Hub::Peer peer_;
  std::shared_ptr<Link> link_;
  Receiver* receiver_ = nullptr;
  Phase phase_ = Phase::hello;
  std::uint8_t stream_ = 0;                       // the last one given
  std::array<std::uint8_t, 3> newest_streams_{};  // of each channel; 0: none
  std::uint8_t audio_stream_ = 0;                 // of the last frame of audio; 0: none, or dropped
  Timer timer_;                                   // the handshake's step, then the heartbeat
  Millis last_frame_ = 0;
  Millis next_ping_ = 0;
  Millis heartbeat_ms_ = 0;  // as it was told in `welcome`; a reload changes it for later ones
  std::uint32_t malformed_ = 0;
  std::uint32_t dropped_ = 0;
  protocol::Caps caps_;
  std::optional<DeviceId> device_;
  std::unique_ptr<std::deque<Millis>> malformed_times_;  // the last ones (E1); made for the first

  // Between `hello` and `auth`, and until `welcome`.
  struct Handshake {
    Introduction introduction;
    protocol::NonceText nonce{};
    std::string device_nonce;  // N1
    bool enrolled = false;
  };
  std::unique_ptr<Handshake> handshake_;
};

}  // namespace gadget::hub
