// device_sockets.hpp - the devices' sockets of one event loop: the listener, who is admitted, and
// the links of those who are connected.
//
// Everything on its loop but size(), waiting_bytes() and late_ms(). Private to hub/server.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/failure.hpp"
#include "hub/server/admission.hpp"
#include "hub/server/connection.hpp"
#include "hub/server/log.hpp"
#include "wire/server.hpp"

namespace gadget::hub {

// Connections are looked at for what takes too long (E2): a part of them at a time, so that ten
// thousand do not hold the loop for milliseconds; each of them once a second.
inline constexpr std::int64_t kSweepEveryMs = 100;
inline constexpr std::size_t kSweepParts = 10;

class DeviceSockets {
 public:
  struct Parts {
    boost::asio::any_io_executor loop;
    Gate* gate = nullptr;  // all borrowed
    const Clock* clock = nullptr;
    Log* log = nullptr;
  };
  explicit DeviceSockets(Parts parts) : parts_(std::move(parts)), pace_(parts_.loop) {}

  // Errors: as wire::Listener::open. What is asked before admit_by() is refused.
  Result<void> listen(wire::ListenOptions options);
  [[nodiscard]] std::uint16_t port() const { return listener_->port(); }
  void admit_by(AdmissionOptions options) { admission_ = std::move(options); }

  void sweep();  // every kSweepEveryMs
  // A test moved the clock: the steps before the upgrade are looked at, too.
  void sweep_all();
  // Nothing waits to be written, nothing is being written.
  [[nodiscard]] bool idle() const;

  // Listens no more; who comes is told that the server stops.
  void stop();
  // Every connection ends now, without a close frame.
  void abort();
  // The loop ends: lets go of what is left.
  void clear();

  // ---- From any thread ----
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_bytes_; }  // as last looked at
  [[nodiscard]] std::int64_t late_ms() const { return late_ms_; }  // how late the last sweep was

 private:
  wire::Decision decide(const wire::HttpRequest& request);
  void arrived(wire::WebSocket socket, const wire::HttpRequest& request);
  void observe(const wire::ListenerEvent& event);
  void ended(SocketLink& link, const wire::Closed& closed);
  void sweep_links(std::size_t most);

  const Parts parts_;
  AdmissionOptions admission_;
  LobbyPace pace_;
  std::unique_ptr<wire::Listener> listener_;
  std::map<const SocketLink*, std::shared_ptr<SocketLink>> links_;
  bool stopping_ = false;
  std::int64_t swept_ms_ = 0;
  const SocketLink* swept_ = nullptr;  // how far this round of sweeps is in links_; null: it begins
  std::size_t swept_waiting_ = 0;      // bytes that wait, of those that it has looked at
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::size_t> waiting_bytes_ = 0;
  std::atomic<std::int64_t> late_ms_ = 0;
};

}  // namespace gadget::hub
