// server.hpp - the hub's listener: accepts, does TLS, reads the request head, asks, answers or
// upgrades.
//
// Everything of a Listener, callbacks and the WebSockets it hands out included, runs on the
// executor that it was opened with (one loop, one thread). A hub with several loops opens one
// Listener on each (PortUse) and shares the Lobby.
//
// Each step (TLS, request head) has `step_timeout` (E3). A head beyond 8 KiB gets 431, a malformed
// one 400. Bytes that a client pipelines behind its request reach the WebSocket (B-16). Never
// closes without a reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/failure.hpp"
#include "wire/http.hpp"
#include "wire/lobby.hpp"
#include "wire/tls.hpp"
#include "wire/websocket.hpp"

namespace gadget::wire {

// Longest request head, request line included. Enough for any browser's cookies-free request.
// Beyond: 431.
inline constexpr std::size_t kRequestHeadBytes = 8 * 1024;
// How long TLS and the request head may take, each (E3).
inline constexpr auto kStepTimeout = std::chrono::seconds{10};
// What an address that holds too many sockets is told to wait (503, Retry-After).
inline constexpr int kRetryAfterSeconds = 10;

// Several listeners, one on each loop of a process, can use one port: the system shares out the
// connections by their addresses. The `first` takes the port as if it was alone, so that a port
// which somebody else has is still "in use"; then the `further` ones may join it.
enum class PortUse : std::uint8_t { alone, first, further };

struct ListenOptions {
  std::string host = "127.0.0.1";  // a name or a numeric address
  std::uint16_t port = 8765;       // 0: a free one
  std::shared_ptr<TlsServer> tls;  // absent: plain
  std::shared_ptr<Lobby> lobby;    // absent: one of its own, with the usual limits
  std::chrono::milliseconds step_timeout = kStepTimeout;
  PortUse port_use = PortUse::alone;
  // Monotonic milliseconds for the step timeouts; absent: the steady clock. With a clock that a
  // test moves, call sweep() after moving it.
  std::function<std::int64_t()> now_ms;
};

// What happened to a socket before it was a WebSocket: facts for the log and the counters.
struct ListenerEvent {
  enum class Kind : std::uint8_t {
    refused_address_full,  // E3
    evicted,               // E3
    tls_failed,
    timeout,
    bad_request,    // malformed or too long a head
    gone,           // the client left before its request was complete
    answered,       // an HTTP answer, `status` says which
    accept_failed,  // out of file descriptors and the like; accepting goes on
  };
  Kind kind = Kind::gone;
  std::string_view peer_address;
  unsigned status = 0;
  std::string_view text;
};
[[nodiscard]] std::string_view name(ListenerEvent::Kind kind);

struct ListenerCalls {
  // Required. What to answer. It is not asked for requests that are malformed.
  std::function<Decision(const HttpRequest&)> decide;
  // Required. An upgraded connection, whose owner you are now. It still holds its place in the
  // lobby.
  std::function<void(WebSocket, HttpRequest, std::string subprotocol)> arrived;
  // Optional.
  std::function<void(const ListenerEvent&)> observe;
};

class Listener {
 public:
  // Errors: unavailable "port 8765 on 127.0.0.1 is in use" (hint: --port 0 picks a free one),
  // invalid_argument for a host that does not resolve or is not ours, refused for a port that needs
  // privileges.
  [[nodiscard]] static Result<std::unique_ptr<Listener>> open(
      const boost::asio::any_io_executor& executor, ListenOptions options, ListenerCalls calls);
  ~Listener();  // stops

  // The port that was really taken.
  [[nodiscard]] std::uint16_t port() const;
  // The numeric address that was really taken.
  [[nodiscard]] std::string address() const;

  // Accepts no more and closes what is still before its upgrade. WebSockets that were handed out
  // live on.
  void stop();

  // Looks at the step timeouts now (it also does so by itself, on the steady clock).
  void sweep();

 private:
  struct State;
  explicit Listener(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace gadget::wire
