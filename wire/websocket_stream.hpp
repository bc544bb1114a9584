// websocket_stream.hpp - inside wire/: how a Socket becomes a WebSocket. Only websocket.cpp knows
// Beast.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "wire/client.hpp"
#include "wire/lobby.hpp"
#include "wire/socket.hpp"
#include "wire/websocket.hpp"

namespace gadget::wire {

class WebSocketStream;

// Server: answers 101 and gives the connection. None: the peer went away meanwhile.
[[nodiscard]] boost::asio::awaitable<std::shared_ptr<WebSocketStream>> accept_websocket(
    std::shared_ptr<Socket> socket, std::string key, std::string subprotocol);

// Hands the place in the lobby to the connection, which gives it back on leave_lobby() or when it
// ends.
void keep_place(WebSocketStream& stream, Lobby::Place place);

// What eviction from the lobby does to an upgraded socket; to be called from its executor.
[[nodiscard]] std::function<void()> eviction(const std::shared_ptr<WebSocketStream>& stream);

// Client: sends the upgrade and checks the answer. `host` is the Host header.
[[nodiscard]] boost::asio::awaitable<tl::expected<Upgraded, UpgradeRefused>> request_websocket(
    std::shared_ptr<Socket> socket, std::string host, UpgradeOptions options);

}  // namespace gadget::wire
