// crossing_test_support.hpp - a hub that only writes down what it hears, and a socket that writes
// down what it is told.
#pragma once

#include <string>
#include <vector>

#include "hub/server/gate.hpp"

namespace gadget::hub::test {

class RecordingEnd final : public SocketEnd {
 public:
  void send_text(std::string text, Kind) override { did.push_back("text " + text); }
  void send_binary(std::vector<std::byte>, Kind, std::uint8_t stream) override {
    did.push_back("binary " + std::to_string(stream));
  }
  void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes>,
                   std::span<const std::byte> payload, std::shared_ptr<const void> owner, Kind,
                   std::uint8_t stream) override {
    did.push_back("shared " + std::to_string(stream) + " " + std::to_string(payload.size()));
    kept = std::move(owner);
  }
  void tell_when_taken() override { did.emplace_back("tell"); }
  void drop_stream(std::uint8_t stream) override {
    did.push_back("drop " + std::to_string(stream));
  }
  void close(std::uint16_t code, std::string reason) override {
    did.push_back("close " + std::to_string(code) + " " + reason);
    is_open = false;
  }
  std::size_t waiting_bytes() const override { return waiting; }
  bool open() const override { return is_open; }
  void let_in() override { did.emplace_back("let in"); }
  void too_slow() override { did.emplace_back("too slow"); }

  std::vector<std::string> did;
  std::shared_ptr<const void> kept;
  std::size_t waiting = 0;
  bool is_open = true;
};

class QuietHub final : public HubConnections {
 public:
  ConnectionId next_id() override { return ++last_id; }
  void connected(ConnectionId, Peer peer, std::shared_ptr<Link> its) override {
    heard.push_back("connected " + peer.address);
    link = std::move(its);
  }
  void text(ConnectionId, std::span<char> message) override {
    heard.push_back("text " + std::string(message.data(), message.size()));
  }
  void binary(ConnectionId, std::span<const std::byte> message) override {
    heard.push_back("binary " +
                    std::string(reinterpret_cast<const char*>(message.data()), message.size()));
  }
  void alive(ConnectionId) override { heard.emplace_back("alive"); }
  void crowded_out(ConnectionId) override { heard.emplace_back("crowded out"); }
  void link_took(ConnectionId) override { heard.emplace_back("took"); }
  void disconnected(ConnectionId) override { heard.emplace_back("gone"); }
  bool authenticated(ConnectionId) const override { return is_authenticated; }

  std::vector<std::string> heard;
  std::shared_ptr<Link> link;  // of the newest connection
  ConnectionId last_id = 0;
  bool is_authenticated = false;
};

}  // namespace gadget::hub::test
