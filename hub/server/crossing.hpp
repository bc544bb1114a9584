// crossing.hpp - how devices' sockets on a loop of their own and the hub on its loop talk.
//
//   socket's loop                                            hub's loop
//   SocketLink -- Gate --> events, in batches  ------------>  Hub
//   SocketLink <-- applied  <--  commands, in batches  -----  Link (FarLink)
//
// Nothing is shared but a few counters: what crosses is owned by the batch that it is in, batches
// keep their order, and each side looks only at what is its own. So the hub stays the single owner
// of all twins, without a lock, whatever the number of loops.
//
// Bounded both ways. To the hub: a connection that has kCrossingBytes on the way is not read from
// until the hub has taken them, nor is any while the loop has kLoopCrossingBytes on the way. From
// the hub: what is on the way counts as waiting, and beyond kOutboxBytes the device is too slow
// (E2).
//
// Outlives both loops' running. Private to hub/server.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "hub/server/gate.hpp"

namespace gadget::hub {

// One large message, or 13 s of speech: more only makes a flood wait here instead of at its sender.
inline constexpr std::size_t kCrossingBytes = 64 * 1024;
// Of all connections of one loop: what the hub works off in some ten milliseconds.
inline constexpr std::size_t kLoopCrossingBytes = 8 * 1024 * 1024;
// What a message costs besides its bytes.
inline constexpr std::size_t kCrossingMessageBytes = 128;

class Crossing final : public Gate {
 public:
  struct Parts {
    HubConnections* hub = nullptr;  // borrowed
    boost::asio::any_io_executor hub_loop;
    boost::asio::any_io_executor socket_loop;
    std::function<void()> settle;  // on the hub's loop, after its calls
  };
  explicit Crossing(Parts parts);
  ~Crossing() override;

  // ---- The socket's loop: Gate ----
  ConnectionId connected(HubConnections::Peer peer, std::shared_ptr<SocketEnd> end) override;
  void text(ConnectionId id, std::span<char> message) override;
  void binary(ConnectionId id, std::span<const std::byte> message) override;
  bool authenticated(ConnectionId) const override { return false; }
  void alive(ConnectionId id) override;
  void crowded_out(ConnectionId id) override;
  void disconnected(ConnectionId id) override;
  bool has_room(ConnectionId id) const override;
  void when_room(ConnectionId id, std::function<void()> call) override;
  void written(ConnectionId id) override;
  void took(ConnectionId id) override;
  // The loop ends: it lets go of its sockets.
  void let_go() { entries_.clear(); }

  // ---- The hub's loop ----
  // How many commands were given so far.
  [[nodiscard]] std::uint64_t commanded() const { return commanded_; }
  // Sends what the hub has said, which otherwise happens when its step is over.
  void flush_commands();

 private:
  class FarLink;

  // What both sides know of one socket. Never less than what really waits.
  struct Meter {
    std::atomic<std::size_t> on_the_way = 0;  // commands that were not applied yet
    std::atomic<std::size_t> in_outbox = 0;
    std::atomic<bool> open = true;
  };

  // From a socket to the hub.
  struct Event {
    enum class Kind : std::uint8_t { connected, text, binary, alive, crowded_out, took, gone };
    Kind kind = Kind::alive;
    bool in_lobby = false;
    ConnectionId id = 0;
    std::string bytes;
    std::unique_ptr<HubConnections::Peer> peer;  // of `connected`
    std::shared_ptr<Meter> meter;                // the same
  };
  using Events = std::vector<Event>;

  // From the hub to a socket.
  struct Command {
    enum class Kind : std::uint8_t { text, binary, drop_stream, close, let_in, too_slow, tell };
    Kind kind = Kind::text;
    Link::Kind message = Link::Kind::control;
    std::uint8_t stream = 0;
    std::uint16_t code = 0;
    ConnectionId id = 0;
    std::string text;  // or the reason of a close
    std::vector<std::byte> bytes;
    std::span<const std::byte> shared;  // behind `bytes`, in what `owner` keeps
    std::shared_ptr<const void> owner;
    std::size_t cost = 0;  // in Meter::on_the_way
  };
  using Commands = std::vector<Command>;

  // The socket's loop.
  struct Entry {
    std::shared_ptr<SocketEnd> end;
    std::shared_ptr<Meter> meter;
    std::size_t on_the_way = 0;  // bytes of events that the hub has not taken
    std::uint64_t alive_in = 0;  // the batch in which it was said
    bool in_lobby = true;
    std::function<void()> when_room;
  };
  void tell(Event event);
  void message(Event::Kind kind, ConnectionId id, std::string bytes);
  void flush_events();
  void returned(const Events& events);
  void apply(Commands& commands);
  static void apply(Command& command, SocketEnd& end);

  // The hub's loop.
  void arrived(Events& events);
  void command(Command command);

  const Parts parts_;

  // The socket's loop.
  std::unordered_map<ConnectionId, Entry> entries_;
  Events events_;  // of the batch that is being filled
  std::uint64_t batch_ = 1;
  std::size_t on_the_way_ = 0;
  std::vector<ConnectionId> waiting_;  // for room

  // The hub's loop.
  Commands commands_;
  std::uint64_t commanded_ = 0;
};

}  // namespace gadget::hub
