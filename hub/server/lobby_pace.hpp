// lobby_pace.hpp - devices that are known come first: of what those say who are still being let in,
// a little is looked at in each round of the loop.
//
// After a power cut ten thousand handshakes wait at once; without this a round would hold 128 of
// them, and everybody's turn would wait for some rounds. The steps before (TLS, the upgrade) are
// not paced. Private to hub/server. One loop's; all calls on it.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace gadget::hub {

// Messages of unknown devices a round. A handshake has two, and takes 0.14 ms of the processor in
// all (docs/numbers.md).
inline constexpr std::size_t kLobbyStepsARound = 8;

class LobbyPace {
 public:
  explicit LobbyPace(boost::asio::any_io_executor loop)
      : shared_(std::make_shared<Shared>(std::move(loop))) {}

  // Returns when it is the caller's turn, in the order of the calls.
  [[nodiscard]] boost::asio::awaitable<void> turn() { return wait(shared_); }

 private:
  struct Shared {
    explicit Shared(boost::asio::any_io_executor its) : loop(std::move(its)) {}
    boost::asio::any_io_executor loop;
    std::deque<boost::asio::steady_timer*> waiting;  // in the frames of those who wait
    bool posted = false;
  };
  static boost::asio::awaitable<void> wait(std::shared_ptr<Shared> shared);
  static void post_round(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;  // a round that is posted may outlive this
};

}  // namespace gadget::hub
