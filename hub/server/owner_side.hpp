// owner_side.hpp - all that the owner meets of the daemon: the socket in the state folder, the TCP
// port where the settings have one, the API behind both, and what it keeps to look back at.
//
// Owned by the daemon, on its loop; logged() and the facts of the hub may come from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "hub/config/config.hpp"
#include "hub/owner/feeds.hpp"
#include "hub/owner/owner_api.hpp"
#include "wire/owner_tcp.hpp"

namespace gadget::hub {

class OwnerSide {
 public:
  // Opens the socket, which tells best that another hub runs here. Errors: refused, io.
  [[nodiscard]] static Result<std::unique_ptr<OwnerSide>> open(
      const boost::asio::any_io_executor& executor, const Config& config);

  // Sees what the hub tells of turns and devices.
  void listen_to(Hub::Parts& parts);
  // Answers from now on.
  void attach(OwnerApi::Parts parts);
  // Where path /bridge leads, on the socket and on the port. Not given: nowhere.
  void set_bridge(std::function<void(wire::WebSocket)> bridge) { bridge_ = std::move(bridge); }
  [[nodiscard]] boost::asio::awaitable<wire::OwnerResponse> answer(wire::HttpRequest request);
  // The TCP port, where the settings have one. Errors: invalid_argument (no loopback address, a bad
  // token), refused (others may read the token), unavailable, io.
  [[nodiscard]] Result<void> open_port(const Config& config,
                                       const std::function<void(std::span<std::byte>)>& random);
  void logged(LogFact::Level level, Millis wall_ms, std::string_view line) {
    feeds_->logged(level, wall_ms, line);
  }
  [[nodiscard]] std::string url() const { return port_ ? port_->url() : std::string(); }
  // The settings were read again.
  void reconfigure(const Config& config) {
    *hosts_ = config.hosts;
    if (!config.turn_texts) feeds_->forget_texts();
  }
  void stop();

 private:
  OwnerSide(const boost::asio::any_io_executor& executor, std::size_t turns_kept);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<Feeds> feeds_;
  bool keeps_turns_;
  std::shared_ptr<std::vector<std::string>> hosts_ = std::make_shared<std::vector<std::string>>();
  std::unique_ptr<OwnerApi> api_;
  std::function<void(wire::WebSocket)> bridge_;
  std::unique_ptr<wire::OwnerServer> socket_;
  std::unique_ptr<wire::OwnerTcpServer> port_;
};

}  // namespace gadget::hub
