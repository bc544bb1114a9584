// owner_http.hpp - inside wire/: one request of the owner on one socket, whichever way it came, and
// its answer.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "wire/owner_tcp.hpp"
#include "wire/socket.hpp"

namespace gadget::wire {

inline constexpr std::size_t kOwnerHeadBytes = 8 * 1024;
// For the whole request: it comes from this machine. Beyond: the socket is closed.
inline constexpr auto kOwnerRequestTimeout = std::chrono::seconds{10};
// For one piece of an answer to be taken. A reader that stands still longer is cut off.
inline constexpr auto kOwnerWriteTimeout = std::chrono::seconds{60};

struct OwnerHttp {
  OwnerCall call;
  OwnerGate gate;                              // absent: whoever reaches the socket may
  std::list<std::shared_ptr<Socket>> open;     // all
  std::list<std::shared_ptr<Socket>> waiting;  // those of them whose request has not passed yet
  std::size_t most_waiting = 0;                // beyond, the oldest is closed; 0: any number

  void close_all() {
    for (const auto& socket : open) socket->close();
  }
};

[[nodiscard]] boost::asio::awaitable<void> serve_owner(std::shared_ptr<OwnerHttp> http,
                                                       std::shared_ptr<Socket> socket,
                                                       std::string peer_address);

}  // namespace gadget::wire
