// hub_link.hpp - the core's Link over the board's byte stream, with device/websocket. A board whose
// SDK has a WebSocket client of its own writes a Link over that instead, and drops this file.
//
// Owner: Port; one thread. What the stream says is read in run(), never from inside a call of the
// Gadget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/core/gadget.hpp"
#include "device/websocket/client.hpp"
#include "ports/template/board.hpp"

namespace gadget::ports::port_template {

class HubLink final : public device::Link, private device::websocket::Port {
 public:
  // How long a stream that was closed may take to be gone before the next one is opened.
  static constexpr device::Millis kDrainMs = 2'000;

  // Connects to the hub of the Gadget's settings. `receive` holds one message: as many bytes as
  // GadgetConfig::max_message_bytes says (E33).
  HubLink(Board& board, std::span<std::byte> receive);

  // Whom the events are told. Before the first run().
  void attach(device::Gadget& gadget) { gadget_ = &gadget; }
  // Looks what the stream did since the last time.
  void run(device::Millis now);

  // ---- device::Link
  void connect(device::Epoch epoch) override;
  [[nodiscard]] bool send_text(std::string_view message) override;
  [[nodiscard]] bool send_binary(std::span<const std::byte> message) override;
  void close(std::uint16_t code, std::string_view reason) override;
  [[nodiscard]] bool secure() const override { return board_.stream_secure(); }

 private:
  enum class Phase : std::uint8_t {
    idle,     // no stream
    wanted,   // the core asked for a connection; the stream before may not be gone yet
    opening,  // the stream is being opened
    talking,  // WebSocket: its upgrade, then messages
    closing,  // our close frame went out; the hub's is awaited, for kCloseWaitMs
  };

  // ---- device::websocket::Port
  void random(std::span<std::byte> out) override { board_.random(out); }
  [[nodiscard]] std::size_t room() const override { return board_.stream_room(); }
  void send(std::span<const std::byte> bytes) override { board_.stream_send(bytes); }
  void on_open(std::string_view subprotocol) override;
  void on_message(const device::websocket::Message& message) override;
  void on_closed(const device::websocket::Closed& closed) override;
  void on_refused(const device::websocket::Refused& refused) override;
  void on_sign_of_life() override;

  // Whether what comes belongs to the connection that the core wants.
  [[nodiscard]] bool tells() const { return phase_ == Phase::talking && epoch_ != 0; }
  void open_stream();
  void begin_talking();
  // Takes what came, so much a step. True: nothing is left.
  [[nodiscard]] bool receive();
  void close_stream();
  // The stream is over, and with it the connection of `epoch_`.
  void end(const device::LinkEnd& how);

  Board& board_;
  std::span<std::byte> receive_;
  device::websocket::Client client_;
  device::Gadget* gadget_ = nullptr;
  Phase phase_ = Phase::idle;
  device::Epoch epoch_ = 0;  // whose events are told; 0: nobody's
  device::Millis now_ = 0;
  device::Millis closing_since_ = 0;                   // our close frame, or the stream
  std::array<char, device::kHubUrlBytes + 1> host_{};  // of the stream, with the NUL of C
};

}  // namespace gadget::ports::port_template
