// connection.hpp - one device's socket: what it reads goes to the hub, what the hub writes waits in
// its outbox. Private to hub/server.
//
// Two coroutines on the loop, a reader and a writer, which own the object together with the daemon
// and the hub (as its Link). The socket is closed in this order: the hub (or too slow a reader)
// says so, what waits is written, a close frame goes out, the peer answers or time passes, the hub
// is told `disconnected`, once. Of too slow a reader the hub is told at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "hub/server/clock.hpp"
#include "hub/server/gate.hpp"
#include "hub/server/lobby_pace.hpp"
#include "hub/server/outbox.hpp"
#include "wire/websocket.hpp"

namespace gadget::hub {

// A reader that takes no byte for so long is too slow (E2).
inline constexpr std::int64_t kStalledMs = 10'000;
// What waits when a connection is closed may take so long to be written; then the close goes first.
inline constexpr std::int64_t kDrainMs = 3'000;

class SocketLink final : public SocketEnd, public std::enable_shared_from_this<SocketLink> {
 public:
  struct Parts {
    Gate* gate = nullptr;  // borrowed: the hub
    const Clock* clock = nullptr;
    LobbyPace* pace = nullptr;  // borrowed
    // It is being closed as too slow (E2); the hub has let go of it.
    std::function<void(SocketLink&)> too_slow;
    // The socket is gone and the hub knows.
    std::function<void(SocketLink&, const wire::Closed&)> ended;
  };
  SocketLink(wire::WebSocket socket, Parts parts);

  // Makes itself known to the hub and starts both coroutines.
  void start(Hub::Peer peer);
  // Looks at what takes too long; called once a second.
  void sweep();
  // Closes now, without a close frame: the daemon ends.
  void abort() { socket_.abort(); }

  [[nodiscard]] Hub::ConnectionId id() const { return id_; }
  // Nothing waits to be written, nothing is being written.
  [[nodiscard]] bool idle() const { return outbox_.waiting_bytes() == 0; }

  // Link. After close() nothing is added.
  void send_text(std::string text, Kind kind) override;
  void send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) override;
  void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                   std::span<const std::byte> payload, std::shared_ptr<const void> owner, Kind kind,
                   std::uint8_t stream) override;
  void drop_stream(std::uint8_t stream) override { outbox_.drop_stream(stream); }
  void close(std::uint16_t code, std::string reason) override;
  std::size_t waiting_bytes() const override { return outbox_.waiting_bytes(); }
  void tell_when_taken() override { tells_taken_ = true; }
  bool open() const override { return phase_ == Phase::open; }
  // SocketEnd
  void let_in() override;
  void too_slow() override;

 private:
  // The life of the writing side. Reading ends when the socket does.
  enum class Phase : std::uint8_t { open, draining, closing, ended };

  struct Farewell {
    std::uint16_t code = 0;
    std::string reason;
    std::int64_t drained_by_ms = 0;
  };

  static boost::asio::awaitable<void> read(std::shared_ptr<SocketLink> self);
  static boost::asio::awaitable<void> wait_for_room(std::shared_ptr<SocketLink> self);
  static boost::asio::awaitable<void> write(std::shared_ptr<SocketLink> self);
  void take(const wire::Message& message);
  void added(Outbox::Added added);
  void leave_hub();
  void end(const wire::Closed& closed);
  void wake() { wake_.cancel(); }

  wire::WebSocket socket_;
  Parts parts_;
  Outbox outbox_;
  boost::asio::steady_timer wake_;
  Phase phase_ = Phase::open;
  Farewell farewell_;
  Hub::ConnectionId id_ = 0;
  bool in_lobby_ = true;
  bool left_hub_ = false;
  bool tells_taken_ = false;
  // Of the write in progress: how far it was when it last moved.
  bool writing_ = false;
  std::uint64_t taken_bytes_ = 0;
  std::int64_t moved_ms_ = 0;
};

}  // namespace gadget::hub
