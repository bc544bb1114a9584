// bridge_server.hpp - the shell around the bridge: its WebSockets, what it calls, and the parts
// that make Hermes the agent and the authority (docs/bridge.md).
//
// One owner: the hub's loop. Made when the setting `agent` is "hermes".
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "hub/bridge/bridge.hpp"
#include "hub/bridge/hermes_authority.hpp"
#include "hub/core/hub.hpp"
#include "wire/unix_socket.hpp"
#include "wire/websocket.hpp"

namespace gadget::hub {

inline constexpr std::string_view kHermesAgent = "hermes";  // the setting `agent`
inline constexpr std::string_view kBridgePath = "/bridge";
// What a plugin may leave unread before it is cut off.
inline constexpr std::size_t kBridgeWaitingBytes = 16UL * 1024 * 1024;

class BridgeServer {
 public:
  struct Parts {
    boost::asio::any_io_executor executor;
    std::function<void()> settle;  // after every call of the hub
    std::function<void(LogFact)> log;
    std::string version;
  };
  explicit BridgeServer(Parts parts);
  ~BridgeServer();
  BridgeServer(const BridgeServer&) = delete;
  BridgeServer& operator=(const BridgeServer&) = delete;

  // Before the hub is made. `wall_now_ms`, `store`: outlive what is made.
  [[nodiscard]] std::unique_ptr<Authority> make_authority(Store& store,
                                                          std::function<Millis()> wall_now_ms);
  [[nodiscard]] std::unique_ptr<Agent> make_agent(AgentHost& host);
  // After it. `hub` is borrowed until close(), `api` is asked until then.
  void open(Hub& hub, wire::OwnerCall api);
  // Before they end: closes all connections with 1001.
  void close();

  // What is shown of a device is another thing now (Hub::Parts).
  void device_changed(const DeviceId& device) { bridge_.device_changed(device); }
  // A plugin's connection.
  void arrived(wire::WebSocket socket);

 private:
  class Connection;
  void call(std::string path, std::string body, Bridge::OwnerDone done);

  Parts parts_;
  Bridge bridge_;
  Hub* hub_ = nullptr;
  wire::OwnerCall api_;
  std::set<std::shared_ptr<Connection>> connections_;
  // Told to calls that are still under way when this ends.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace gadget::hub
