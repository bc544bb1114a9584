// http_io.hpp - inside wire/: reads requests from a Socket and writes answers to it. Beast parses.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/failure.hpp"
#include "wire/http.hpp"
#include "wire/socket.hpp"

namespace gadget::wire {

struct ReadRequest {
  unsigned status = 0;  // 0: complete; 400, 413, 431: what to answer; 1: the client is gone
  std::string text;
  HttpRequest request;
  unsigned http_minor = 1;
};

// Reads the head, at most `head_limit` bytes; what came behind it is unread() into the socket.
[[nodiscard]] boost::asio::awaitable<ReadRequest> read_head(std::shared_ptr<Socket> socket,
                                                            std::size_t head_limit);
// Says, once the head is there, how long the body may be; nothing: the body is not read.
using BodyLimit = std::function<std::optional<std::size_t>(const HttpRequest& head)>;
// Reads head and body.
[[nodiscard]] boost::asio::awaitable<ReadRequest> read_request(std::shared_ptr<Socket> socket,
                                                               std::size_t head_limit,
                                                               BodyLimit body_limit);

// The bytes of an answer, with its length, closing the connection.
[[nodiscard]] std::string serialize(const HttpResponse& response, bool head_only);

// Writes everything. False: the peer is gone.
[[nodiscard]] boost::asio::awaitable<bool> write_all(std::shared_ptr<Socket> socket,
                                                     std::string bytes);

}  // namespace gadget::wire
