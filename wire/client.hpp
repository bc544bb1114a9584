// client.hpp - the device's side of a connection on Beast: for the conformance runner and the load
// generator.
//
// Runs on the executor of the awaiting coroutine. Errors are Failures: not_found (name), io,
// timeout, refused (TLS not trusted, or an HTTP status other than 101).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/failure.hpp"
#include "wire/http.hpp"
#include "wire/tls.hpp"
#include "wire/websocket.hpp"

namespace gadget::wire {

struct ConnectOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8765;
  std::shared_ptr<TlsClient> tls;  // absent: plain
  std::chrono::milliseconds timeout =
      std::chrono::seconds{10};  // for each of connecting, TLS, upgrade
  int receive_buffer_bytes = 0;  // SO_RCVBUF, for tests of slow readers; 0: the system's
};

// Has a constructor because GCC 12 destroys an aggregate among a coroutine's temporaries twice.
struct UpgradeOptions {
  UpgradeOptions();
  std::string target = "/gadget";
  std::vector<std::string> subprotocols;  // ours (T3)
  std::vector<Header> headers;            // further ones: Origin, X-Forwarded-For
  std::size_t message_limit = 1024 * 1024;
};

struct Upgraded {
  WebSocket socket;
  std::string subprotocol;  // selected by the server; empty: none
};

// The answer to an upgrade that was not granted.
struct UpgradeRefused {
  Failure failure;
  unsigned status = 0;  // HTTP status; 0: it never came to that
  int retry_after_s = 0;
};

// Connects and upgrades.
[[nodiscard]] boost::asio::awaitable<tl::expected<Upgraded, UpgradeRefused>> open_websocket(
    ConnectOptions connect, UpgradeOptions upgrade = {});

}  // namespace gadget::wire
