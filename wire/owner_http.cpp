#include "wire/owner_http.hpp"

#include <exception>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "wire/deadline.hpp"
#include "wire/http_io.hpp"
#include "wire/link.hpp"
#include "wire/websocket_stream.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;

std::string json_failure(std::string_view code, std::string_view text) {
  return "{\"error\":{\"code\":\"" + std::string{code} + "\",\"text\":\"" + std::string{text} +
         "\"}}\n";
}

HttpResponse refusal(unsigned status) {
  return {status,
          std::string{kJsonType},
          {},
          json_failure(status == 500 ? "internal" : "invalid_argument", status_text(status))};
}

std::size_t body_limit(const HttpRequest& head) {
  return head.header("content-type") == kFileType ? kOwnerFileBytes : kOwnerBodyBytes;
}

// Returns when the client has left. Clients send nothing after their request, so readable means
// left.
asio::awaitable<void> until_client_leaves(std::shared_ptr<Socket> socket) {
  auto [error] = co_await socket->native().async_wait(Socket::Native::wait_read, kAwait);
  static_cast<void>(error);
}

asio::awaitable<bool> write_in_time(std::shared_ptr<Socket> socket, std::string bytes) {
  const Deadline deadline{socket->executor(), kOwnerWriteTimeout, [socket] { socket->close(); }};
  const bool there = co_await write_all(socket, std::move(bytes));
  co_return there;
}

std::string chunk(std::string_view bytes) {
  char size[20];
  const int digits = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  std::string out{size, static_cast<std::size_t>(digits)};
  out.append(bytes).append("\r\n");
  return out;
}

// An answer in chunks, for as long as there are more and the client stays.
asio::awaitable<void> go_on(std::shared_ptr<Socket> socket, OwnerResponse response) {
  using namespace asio::experimental::awaitable_operators;
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(status_text(response.status)).append("\r\nContent-Type: ");
  head.append(response.content_type);
  head += "\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  if (!response.body.empty()) head += chunk(response.body);
  bool there = co_await write_in_time(socket, std::move(head));
  try {
    while (there) {
      auto next = response.more();
      auto gone = until_client_leaves(socket);
      auto first = co_await (std::move(next) || std::move(gone));
      if (first.index() == 1) co_return;
      auto& piece = std::get<0>(first);
      if (!piece) break;
      if (piece->empty()) continue;  // an empty chunk would be the end
      auto bytes = chunk(*piece);
      there = co_await write_in_time(socket, std::move(bytes));
    }
  } catch (const std::exception&) {
    co_return;  // the client sees that the answer broke off
  }
  if (there) co_await write_in_time(socket, "0\r\n\r\n");
}

// Whether the socket is somebody else's now.
asio::awaitable<bool> upgrade(std::shared_ptr<Socket> socket, HttpRequest head,
                              std::function<void(WebSocket)> arrived) {
  if (auto bad = bad_upgrade(head)) {
    auto bytes = serialize(*bad, false);
    co_await write_in_time(socket, std::move(bytes));
    co_return false;
  }
  const auto key = head.header("Sec-WebSocket-Key");
  auto stream = co_await accept_websocket(socket, key, {});
  if (!stream) co_return false;
  arrived(WebSocket{std::move(stream)});
  co_return true;
}

// Whether the socket is somebody else's now.
asio::awaitable<bool> answer(std::shared_ptr<OwnerHttp> http, std::shared_ptr<Socket> socket,
                             HttpRequest request) {
  HttpRequest head;
  head.method = request.method;
  head.headers = request.headers;
  OwnerResponse response;
  try {
    response = co_await http->call(std::move(request));
  } catch (const std::exception&) {  // a library threw where we did not expect it
    response = OwnerResponse{};
    response.status = 500;
    response.body = json_failure("internal", "a defect of the hub");
  }
  if (response.upgrade) {
    const bool given = co_await upgrade(socket, std::move(head), std::move(response.upgrade));
    co_return given;
  }
  if (response.more) {
    co_await go_on(socket, std::move(response));
    co_return false;
  }
  HttpResponse whole{response.status, std::move(response.content_type), std::move(response.headers),
                     std::move(response.body)};
  whole.headers.push_back({"Cache-Control", "no-store"});
  auto bytes = serialize(whole, false);
  co_await write_in_time(socket, std::move(bytes));
  co_return false;
}

}  // namespace

asio::awaitable<void> serve_owner(std::shared_ptr<OwnerHttp> http, std::shared_ptr<Socket> socket,
                                  std::string peer_address) {
  const auto here = http->open.insert(http->open.end(), socket);
  if (http->most_waiting != 0 && http->waiting.size() >= http->most_waiting) {
    http->waiting.front()->close();  // its own coroutine takes it out of the lists
    http->waiting.pop_front();
  }
  http->waiting.push_back(socket);
  std::optional<HttpResponse> refused;
  ReadRequest read;
  {
    const Deadline deadline{socket->executor(), kOwnerRequestTimeout,
                            [socket] { socket->close(); }};
    const auto limit = [&](const HttpRequest& head) -> std::optional<std::size_t> {
      if (http->gate) refused = http->gate(head);
      http->waiting.remove(socket);
      if (refused) return std::nullopt;
      return body_limit(head);
    };
    BodyLimit body = limit;
    read = co_await read_request(socket, kOwnerHeadBytes, std::move(body));
  }
  http->waiting.remove(socket);
  if (refused || (read.status != 0 && read.status != 1)) {
    const HttpResponse response = refused ? std::move(*refused) : refusal(read.status);
    auto bytes = serialize(response, false);
    co_await write_in_time(socket, std::move(bytes));
  } else if (read.status == 0) {
    read.request.peer_address = std::move(peer_address);
    const bool given = co_await answer(http, socket, std::move(read.request));
    if (given) {
      http->open.erase(here);
      co_return;
    }
  }
  socket->retire();
  http->open.erase(here);
}

}  // namespace gadget::wire
