#include "hub/server/lobby_pace.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

namespace asio = boost::asio;

// A power cut's worth of handshakes; a device that is known says something meanwhile.
TEST(LobbyPace, WhoIsKnownWaitsForAFewOfTheLobbyNotForAll) {
  constexpr int kWaiting = 100;
  asio::io_context loop;
  LobbyPace pace(loop.get_executor());
  std::vector<int> let_in;
  for (int i = 0; i < kWaiting; ++i) {
    asio::co_spawn(
        loop,
        [&pace, &let_in, i]() -> asio::awaitable<void> {
          co_await pace.turn();
          let_in.push_back(i);
        },
        asio::detached);
  }
  // A known device says something in each round: so many of the lobby were let in between.
  std::size_t most = 0;
  std::size_t before = 0;
  std::function<void()> known = [&] {
    most = std::max(most, let_in.size() - before);
    before = let_in.size();
    if (let_in.size() < kWaiting) asio::post(loop, known);
  };
  asio::post(loop, known);
  loop.run();
  ASSERT_EQ(let_in.size(), static_cast<std::size_t>(kWaiting));
  for (int i = 0; i < kWaiting; ++i) EXPECT_EQ(let_in[static_cast<std::size_t>(i)], i);
  EXPECT_GT(most, 0U);
  EXPECT_LE(most, 2 * kLobbyStepsARound);
}

TEST(LobbyPace, MayEndWhileSomebodyWaits) {
  asio::io_context loop;
  bool let_in = false;
  {
    LobbyPace pace(loop.get_executor());
    asio::co_spawn(
        loop,
        [&pace, &let_in]() -> asio::awaitable<void> {
          co_await pace.turn();
          let_in = true;
        },
        asio::detached);
    loop.poll_one();
  }
  loop.run();
  EXPECT_TRUE(let_in);
}

}  // namespace
}  // namespace gadget::hub
