// socket_loops.hpp - the event loops on which devices' sockets live (`hub_loops`).
//
// One loop: sockets and hub share it, and call each other. Several: the first is the hub's alone,
// with all twins, timers and the store; each further one has a thread, a listener on the same port
// and the sockets that arrive there, for life, and talks to the hub across (crossing.hpp).
//
// All calls on the hub's loop. Private to hub/server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "hub/server/device_sockets.hpp"

namespace gadget::hub {

// A loop that did not sweep for so long stands still: the supervisor is not told that all is well
// (it ends the hub when that lasts; WatchdogSec= in the unit).
inline constexpr std::int64_t kLoopStallMs = 5'000;

class SocketLoops {
 public:
  struct Parts {
    Hub* hub = nullptr;                       // all borrowed
    boost::asio::io_context* loop = nullptr;  // the hub's
    const Clock* clock = nullptr;
    Log* log = nullptr;
    std::function<void()> settle;  // after every call of the hub
  };
  // `loops` as in `hub_loops`.
  SocketLoops(std::int64_t loops, Parts parts);
  ~SocketLoops();  // close()
  SocketLoops(const SocketLoops&) = delete;
  SocketLoops& operator=(const SocketLoops&) = delete;

  // Binds all listeners. Errors: as wire::Listener::open.
  Result<void> listen(const wire::ListenOptions& options);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Counts for requests from now on.
  void admit_by(const AdmissionOptions& options);
  // Starts the threads. REQUIRES: listen(), admit_by().
  void start();

  // Every kSweepEveryMs: sweeps the hub's own sockets, if it has any. The others do it by
  // themselves.
  void sweep();
  // A test moved the clock. True: something was or is being said to a device, which may answer.
  // `commanded_before` is what commanded() was before the hub's timers ran.
  boost::asio::awaitable<bool> swept(std::uint64_t commanded_before);
  [[nodiscard]] std::uint64_t commanded() const;

  // Listens no more.
  void stop();
  // Every connection that is left ends now.
  void abort();
  // The threads end, and every socket with them. The hub may go then.
  void close();

  // Of each loop that has sockets, in order.
  struct Load {
    std::size_t connections = 0;
    std::size_t waiting_bytes = 0;  // as last looked at
    std::int64_t late_ms = 0;       // how late that was
  };
  [[nodiscard]] std::vector<Load> loads() const;
  [[nodiscard]] std::size_t connections() const;
  // The numbers, from 2 on, of loops that have stood still for kLoopStallMs.
  [[nodiscard]] std::vector<std::size_t> stalled() const;

 private:
  class Loop;
  void each(const std::function<void(DeviceSockets&)>& call);

  const Parts parts_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::uint16_t port_ = 0;
};

}  // namespace gadget::hub
