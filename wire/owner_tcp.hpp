// owner_tcp.hpp - the owner's API on a TCP port of this machine's loopback, for what cannot open a
// Unix socket: HTTP/1.1, behind a gate that sees every request's head before its body is read.
//
// One request a connection. A request has 10 s, a head 8 KiB, a body what unix_socket.hpp says. Of
// the sockets whose request has not passed the gate yet at most kOwnerWaitingSockets are kept; the
// oldest goes first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "wire/unix_socket.hpp"

namespace gadget::wire {

// Beyond, the one that waits longest is closed: others of this machine cannot fill the hub with
// sockets that say nothing.
inline constexpr std::size_t kOwnerWaitingSockets = 64;

// What a request is refused with, body unread; nothing: it is let in.
using OwnerGate = std::function<std::optional<HttpResponse>(const HttpRequest& head)>;

class OwnerTcpServer {
 public:
  // `host` is a numeric loopback address. Errors: invalid_argument (any other), unavailable (port
  // in use), io.
  [[nodiscard]] static Result<std::unique_ptr<OwnerTcpServer>> open(
      const boost::asio::any_io_executor& executor, const std::string& host, std::uint16_t port,
      OwnerGate gate, OwnerCall call);
  ~OwnerTcpServer();  // stops

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8780"
  // Accepts no more, closes what is open.
  void stop();

 private:
  struct State;
  explicit OwnerTcpServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// Whether `host` is a numeric address of this machine's loopback.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace gadget::wire
