// client.hpp - an RFC 6455 client without I/O: bytes in, events and bytes out.
//
// For ports that have a byte stream (TCP or TLS). The port connects it, calls start(), then feeds
// whatever comes in, in pieces of any size, and sends whatever it is given. No heap, no exceptions,
// no clock: the port bounds how long the upgrade and a close may take (E27), and closes its stream
// after on_closed or on_refused. One thread; every callback may call anything of the Client,
// destruction included (B-29).
//
//   class MyPort : public websocket::Port { ... };
//   std::array<std::byte, 65536> buffer;
//   websocket::Client client{buffer, port};
//   client.start({.host = "hub.local:8765"});     // the stream is open
//   client.feed(received);                        // from the stream
//   client.send(websocket::Kind::text, message);  // once on_open came
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/websocket/frame.hpp"
#include "device/websocket/handshake.hpp"
#include "protocol/utf8.hpp"

namespace gadget::device::websocket {

// A message longer than this closes with 1009, on the header that declares it (E33).
inline constexpr std::uint32_t kMessageBytes = 1024 * 1024;

enum class Kind : std::uint8_t { text, binary };

struct Message {
  Kind kind = Kind::text;
  // In the receive buffer, valid during the callback. Of a message longer than that buffer, its
  // beginning, of a text cut at a character (E33).
  std::span<const std::byte> bytes;
  std::uint64_t total_bytes = 0;  // of the whole message
  [[nodiscard]] bool is_cut() const { return total_bytes > bytes.size(); }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

enum class ClosedBy : std::uint8_t {
  peer,   // it sent a close frame first
  us,     // close() was called; `answered` says whether its close frame came
  fault,  // it broke RFC 6455 or a limit; `code` is what it was sent
  lost,   // the stream ended without a close frame
};

struct Closed {
  ClosedBy by = ClosedBy::lost;
  std::uint16_t code = 1006;  // 1005: a close frame without code; 1006: none came
  std::string_view reason;    // valid during the callback
  bool answered = false;
};

// What the Client asks of whoever runs it.
class Port {
 public:
  // Fills `out` with random bytes for keys and masks.
  virtual void random(std::span<std::byte> out) = 0;
  // How many bytes send() takes now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  // Takes all of `bytes`, which are at most room(); they are borrowed during the call. Must not
  // call the Client.
  virtual void send(std::span<const std::byte> bytes) = 0;

  // The upgrade is done. `subprotocol`: what the server selected, empty: none; valid during the
  // callback.
  virtual void on_open(std::string_view subprotocol) = 0;
  virtual void on_message(const Message& message) = 0;
  // The end; nothing follows. Close the stream once it has sent what it was given.
  virtual void on_closed(const Closed& closed) = 0;
  // The upgrade did not come about; nothing follows. Close the stream.
  virtual void on_refused(const Refused& refused) = 0;
  // A frame came in, of any kind: the hub lives (E30).
  virtual void on_sign_of_life() {}

 protected:
  ~Port() = default;
};

class Client {
 public:
  // `receive_buffer` holds the answer's head, then one message: at least 512 bytes, and kHeadBytes
  // for the longest heads. Both outlive the Client.
  Client(std::span<std::byte> receive_buffer, Port& port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins on a stream that has just been opened; whatever was before is forgotten, without an
  // event. False: the request does not fit into the port's room, or into the receive buffer.
  [[nodiscard]] bool start(const Request& request);

  // What the stream received. Bytes after the end are ignored.
  void feed(std::span<const std::byte> received);
  // The stream ended, or was given up: leads to on_closed or on_refused, unless that came already.
  void stream_ended();

  [[nodiscard]] bool is_open() const { return phase_ == Phase::open; }

  // Sends one message as one frame. False: not open, a message in pieces is not finished, or it
  // does not fit into the port's room now; nothing of it was sent then.
  [[nodiscard]] bool send(Kind kind, std::span<const std::byte> message);
  [[nodiscard]] bool send(std::string_view text) {
    return send(Kind::text, std::as_bytes(std::span{text}));
  }

  // Sends a message larger than the port's room: begin, then pieces until `total` bytes were taken.
  // Each piece is a fragment, control frames go between (B-09). Others wait until it is finished.
  [[nodiscard]] bool begin(Kind kind, std::size_t total);
  // Sends as much of `piece` as there is room for, and says how much that was.
  [[nodiscard]] std::size_t more(std::span<const std::byte> piece);
  // Bytes of the message begun that are still to come.
  [[nodiscard]] std::size_t remaining() const { return outgoing_left_; }

  // Sends a close frame and waits for the peer's: on_closed comes then, or at stream_ended().
  // `reason` is cut at 123 bytes. Before on_open nothing is sent and on_refused does not come.
  // Further calls do nothing.
  void close(std::uint16_t code, std::string_view reason);

  // Sends what waited for room: a pong, a close frame. Call it when the stream has room again.
  void pump();

 private:
  enum class Phase : std::uint8_t {
    idle,     // not started, refused or closed
    upgrade,  // the answer's head is awaited
    open,
    closing,  // our close frame was sent, or waits for room; the peer's is awaited
  };
  enum class Reading : std::uint8_t { header, payload };

  // Tells a caller further up whether a callback destroyed, restarted or ended this connection.
  class Watch;

  [[nodiscard]] const FrameHeader& frame() const { return header_reader_.header(); }
  void reset();
  // One byte; the Client may be gone after each of them.
  void take_head(std::byte byte);
  void take_header(std::byte byte);
  void take_payload(std::byte byte);
  [[nodiscard]] bool begin_frame();
  void end_frame();
  void end_control();
  void end_close(std::span<const std::byte> payload);
  void fault(std::uint16_t code);
  void finish(ClosedBy by, std::uint16_t code, std::string_view reason = {});
  void refuse(const Refused& refused);
  [[nodiscard]] bool send_frame(Opcode opcode, bool fin, std::span<const std::byte> payload);
  void queue_close(std::uint16_t code, std::string_view reason);

  // What has no initial value here gets it by reset(), or before the first use.
  std::span<std::byte> buffer_;
  Port& port_;
  Watch* watch_ = nullptr;
  std::uint32_t generation_ = 0;
  Phase phase_;
  Reading reading_;

  // The upgrade.
  KeyText key_;
  std::string_view offered_;
  std::size_t head_size_;

  // The frame and the message that come in.
  HeaderReader header_reader_;
  std::uint32_t frame_left_;
  bool in_message_;
  Kind kind_;
  std::uint32_t message_size_;
  std::size_t kept_;          // bytes of it in the buffer
  std::size_t kept_partial_;  // of these, bytes of a last character that is not complete
  protocol::Utf8Check utf8_;
  std::array<std::byte, kControlBytes> control_;  // control_size_ of them count; so below
  std::size_t control_size_;

  // What goes out.
  bool outgoing_;
  bool outgoing_first_;
  Kind outgoing_kind_;
  std::size_t outgoing_left_;
  // The newest ping's pong or our close frame, until there is room: behind a close nothing is sent.
  std::array<std::byte, kControlBytes> waiting_;
  std::size_t waiting_size_;
  Opcode waiting_opcode_;
  bool waits_;
  std::uint16_t our_code_;
};

}  // namespace gadget::device::websocket
