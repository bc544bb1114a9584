// http.hpp - what wire/ knows of HTTP: the request head that a decision is made on, and a short
// answer.
//
// Plain values, owned; safe from any thread. Header names compare without case; a header that comes
// more than once counts as one list (B-17).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gadget::wire {

struct Header {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;           // "GET"
  std::string target;           // as sent: "/gadget/?x=1"
  std::vector<Header> headers;  // in the order they came
  std::string body;             // the owner socket reads it, the listener never does
  std::string peer_address;     // numeric: "127.0.0.1", "2001:db8::1"; empty on the owner socket
  std::uint16_t peer_port = 0;
  bool tls = false;  // came over TLS

  // The target without its query: "/gadget/".
  [[nodiscard]] std::string_view path() const;
  // What follows the question mark; empty when there is none.
  [[nodiscard]] std::string_view query() const;
  // The value of a header, of a repeated one all values joined by ", "; empty when absent.
  [[nodiscard]] std::string header(std::string_view name) const;
  [[nodiscard]] bool has_header(std::string_view name) const;
  // The elements of a comma-separated header, trimmed, in order.
  [[nodiscard]] std::vector<std::string> elements(std::string_view name) const;
  // Whether that list has `token` (without case).
  [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;
  // GET with `Upgrade: websocket` and `Connection: upgrade` among the tokens. False: E8's 426 is
  // the answer.
  [[nodiscard]] bool wants_websocket() const;
  // The subprotocols that the client offers, in its order (T3).
  [[nodiscard]] std::vector<std::string> subprotocols() const;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type;     // empty: no such header
  std::vector<Header> headers;  // further ones; length and connection are the listener's
  std::string body;
};

// The answer "yes, speak WebSocket".
struct Upgrade {
  std::string subprotocol;  // the selected one; empty: none is selected (T3)
  // Whose place in the lobby this socket takes (E3: behind a proxy, the forwarded address). Empty:
  // the TCP peer's.
  std::string lobby_address;
};

using Decision = std::variant<HttpResponse, Upgrade>;

// The usual phrase of a status: 404 "Not Found".
[[nodiscard]] std::string_view status_text(unsigned status);

// A one-line text/plain answer.
[[nodiscard]] HttpResponse plain_response(unsigned status, std::string text);

// What is wrong with a request to speak WebSocket (RFC 6455 4.2.1); nothing: it is in order.
[[nodiscard]] std::optional<HttpResponse> bad_upgrade(const HttpRequest& request);

// E8's answer to a request for the device path that is no upgrade.
[[nodiscard]] HttpResponse upgrade_required();

}  // namespace gadget::wire
