// connect.hpp - inside wire/: the client's way to a connected Socket.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "wire/client.hpp"
#include "wire/socket.hpp"

namespace gadget::wire {

// Resolves, connects (each address in turn), does TLS.
[[nodiscard]] boost::asio::awaitable<Result<std::shared_ptr<Socket>>> connect_socket(
    ConnectOptions options);
// TLS on a connected socket.
[[nodiscard]] boost::asio::awaitable<Result<void>> secure(std::shared_ptr<Socket> socket,
                                                          ConnectOptions options);
// "host:port", IPv6 in brackets.
[[nodiscard]] std::string host_header(const std::string& host, std::uint16_t port);

}  // namespace gadget::wire
