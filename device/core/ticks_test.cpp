// The core's own clock goes round in 49 days: nothing may depend on where it stands.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

constexpr Millis kRound = Millis{1} << 32U;

// What a device does and shows in two minutes with everything that takes time: a line for
// each half second. It begins `before` the core's clock is round; 0: with a new clock.
std::vector<std::string> life(Millis before) {
  Bench bench;
  if (before != 0) {
    for (int i = 0; i < 3; ++i) bench.gadget->tick(bench.now += kLongestStep);
    bench.gadget->tick(bench.now = kRound - before);
  }
  bench.go_online();
  bench.hub(R"({"type":"notice","text":"soon over","ttl_s":3})");
  bench.hub(R"({"type":"display","title":"card","body":"body","ttl_s":9})");
  bench.hub(R"({"type":"prompt","id":"q","text":"really?","ttl_s":5})");
  std::vector<std::string> lines;
  for (int half = 0; half < 220; ++half) {
    (void)bench.gadget->sensor(bench.now, "halves", std::to_string(half / 3));
    if (half == 16) bench.press(Button::cancel, 2'100);                     // a new conversation
    if (half == 24) (void)bench.gadget->text(bench.now, "nobody answers");  // until kAwaitTurnMs
    if (half == 70) bench.drop();
    if (half == 72) (void)bench.gadget->text(bench.now, "waits");
    if (half == 72) (void)bench.gadget->event(bench.now, "waits", {}, false);
    if (half == 74) bench.go_online();  // and then the hub is silent
    bench.pass(500);
    lines.push_back(bench.screen_now() + " | " + std::to_string(bench.sent.size()) + " | " +
                    std::to_string(bench.facts.size()) + " | " +
                    std::to_string(bench.closes.size()) + " | " + std::to_string(bench.connects) +
                    " | " + std::to_string(bench.gadget->pause_ends() - bench.now));
  }
  EXPECT_FALSE(bench.closes.empty());  // the silence was noticed
  return lines;
}

TEST(Ticks, AllIsAsEverWhenTheClockGoesRound) {
  const auto expected = life(0);
  for (const Millis before : {1, 20, 300, 700, 1'500, 4'000, 7'000, 9'500, 12'500, 25'000, 35'500,
                              37'100, 60'000, 80'000}) {
    EXPECT_EQ(life(before), expected) << before << " ms before";
  }
}

TEST(Ticks, ALeapOfAnyLengthIsLongerThanAnyPause) {
  for (const Millis leap :
       {kRound - 1'000, kRound, kRound + 1'000, kRound / 2 + 1'000, 7 * kRound}) {
    Bench bench;
    bench.go_online();
    bench.hub(R"({"type":"notice","text":"long over","ttl_s":86400})");
    bench.gadget->tick(bench.now += leap);
    EXPECT_EQ(bench.closes.size(), 1U) << leap;
    EXPECT_FALSE(bench.shows_text("long over")) << leap;
    bench.gadget->tick(bench.now += leap);
    EXPECT_EQ(bench.connects, 2) << leap;
  }
}

TEST(Ticks, APauseThatANetworkDoesNotEndIsOverAfterMonthsWithoutOne) {
  Bench bench;
  bench.start();
  bench.open();
  bench.hub(R"({"type":"error","code":"auth_failed","message":"no"})");
  LinkEnd end;
  end.close_code = 1008;
  bench.drop(end);
  bench.gadget->network(bench.now, false);
  for (int week = 0; week < 9; ++week) bench.gadget->tick(bench.now += 7 * 86'400'000LL);
  bench.gadget->network(bench.now, true);
  bench.pass(20);
  EXPECT_EQ(bench.connects, 2);
}

}  // namespace
}  // namespace gadget::device
