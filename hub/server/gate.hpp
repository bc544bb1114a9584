// gate.hpp - the hub as a device's socket sees it: on the same loop (here), or on another one
// (crossing.hpp).
//
// All calls from the loop of the socket. Private to hub/server.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "hub/core/hub.hpp"

namespace gadget::hub {

// What the hub's side may do with a socket besides writing to it.
class SocketEnd : public Link {
 public:
  // Its device is authenticated: it leaves the lobby (E3). Once; more does nothing.
  virtual void let_in() = 0;
  // It does not take what it is given (E2): closed with 1013, what waits is lost.
  virtual void too_slow() = 0;
};

class Gate {
 public:
  using ConnectionId = HubConnections::ConnectionId;
  virtual ~Gate() = default;
  [[nodiscard]] virtual ConnectionId connected(HubConnections::Peer peer,
                                               std::shared_ptr<SocketEnd> end) = 0;
  virtual void text(ConnectionId id, std::span<char> message) = 0;
  virtual void binary(ConnectionId id, std::span<const std::byte> message) = 0;
  // Whether its device is known to be authenticated. A hub on another loop says so by let_in().
  [[nodiscard]] virtual bool authenticated(ConnectionId id) const = 0;
  virtual void alive(ConnectionId id) = 0;
  virtual void crowded_out(ConnectionId id) = 0;  // E3
  virtual void disconnected(ConnectionId id) = 0;
  // Whether the hub has taken enough of this connection's messages for another one to be read. If
  // not, `call` is called once when it has, or when the connection ends.
  [[nodiscard]] virtual bool has_room(ConnectionId id) const = 0;
  virtual void when_room(ConnectionId id, std::function<void()> call) = 0;
  // What waits in the socket's outbox has become less.
  virtual void written(ConnectionId id) = 0;
  // As Link::tell_when_taken() asked; after written().
  virtual void took(ConnectionId id) = 0;
};

// The hub is on the same loop: its functions are called.
class NearGate final : public Gate {
 public:
  // `settle` is called after every call of the hub: its next deadline may have moved.
  NearGate(HubConnections& hub, std::function<void()> settle)
      : hub_(hub), settle_(std::move(settle)) {}

  ConnectionId connected(HubConnections::Peer peer, std::shared_ptr<SocketEnd> end) override {
    const ConnectionId id = hub_.connected(std::move(peer), std::move(end));
    settle_();
    return id;
  }
  void text(ConnectionId id, std::span<char> message) override {
    hub_.text(id, message);
    settle_();
  }
  void binary(ConnectionId id, std::span<const std::byte> message) override {
    hub_.binary(id, message);
    settle_();
  }
  bool authenticated(ConnectionId id) const override { return hub_.authenticated(id); }
  void alive(ConnectionId id) override { hub_.alive(id); }
  void crowded_out(ConnectionId id) override {
    hub_.crowded_out(id);
    settle_();
  }
  void disconnected(ConnectionId id) override {
    hub_.disconnected(id);
    settle_();
  }
  bool has_room(ConnectionId) const override { return true; }
  void when_room(ConnectionId, std::function<void()> call) override { call(); }
  void written(ConnectionId) override {}
  void took(ConnectionId id) override {
    hub_.link_took(id);
    settle_();
  }

 private:
  HubConnections& hub_;
  std::function<void()> settle_;
};

}  // namespace gadget::hub
