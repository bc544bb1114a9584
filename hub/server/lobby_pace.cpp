#include "hub/server/lobby_pace.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gadget::hub {

namespace asio = boost::asio;

asio::awaitable<void> LobbyPace::wait(std::shared_ptr<Shared> shared) {
  asio::steady_timer mine(shared->loop, asio::steady_timer::time_point::max());
  shared->waiting.push_back(&mine);
  post_round(shared);
  boost::system::error_code ignored;
  co_await mine.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// What is posted runs when the sockets have been asked once more.
void LobbyPace::post_round(const std::shared_ptr<Shared>& shared) {
  if (std::exchange(shared->posted, true)) return;
  asio::post(shared->loop, [shared] {
    shared->posted = false;
    for (std::size_t i = 0; i < kLobbyStepsARound && !shared->waiting.empty(); ++i) {
      shared->waiting.front()->cancel();
      shared->waiting.pop_front();
    }
    if (!shared->waiting.empty()) post_round(shared);
  });
}

}  // namespace gadget::hub
