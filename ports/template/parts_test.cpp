// The small parts of the template that need no board.
#include <gtest/gtest.h>

#include "ports/template/long_press.hpp"
#include "ports/template/tick_clock.hpp"

namespace gadget::ports::port_template {
namespace {

TEST(TickClock, IsTheSameAsExactArithmeticAtEveryRateAndWidth) {
  struct Counter {
    std::uint32_t rate_hz;
    unsigned bits;
    std::uint32_t step;  // ticks between two looks
  };
  for (const Counter& counter :
       {Counter{32'768, 32, 0x1234'5678}, Counter{32'768, 24, 400'000},
        Counter{1'000, 32, 0x7FFF'FFFF}, Counter{1'000'000, 16, 65'000}, Counter{1, 32, 3},
        Counter{4'000'000'000U, 32, 0xFFFF'FFF0U}, Counter{72'000'000, 24, 1}}) {
    TickClock clock{counter.rate_hz, counter.bits};
    std::uint64_t ticks = 0;
    for (int look = 0; look < 20'000; ++look) {
      ticks += counter.step;
      const auto raw = static_cast<std::uint32_t>(ticks & (0xFFFF'FFFFU >> (32 - counter.bits)));
      const auto seconds = ticks / counter.rate_hz;
      const auto exact = seconds * 1'000 + ticks % counter.rate_hz * 1'000 / counter.rate_hz;
      ASSERT_EQ(clock.ms(raw), static_cast<std::uint32_t>(exact)) << counter.rate_hz << ' ' << look;
    }
  }
}

class LongUp : public testing::Test {
 protected:
  using Edge = LongPress::Edge;
  Edge at(device::Millis now, bool held, bool spoilt = false) {
    return press.take(now, held, spoilt, 700);
  }
  LongPress press;
};

TEST_F(LongUp, IsCancelFromItsTimeUntilItIsLetGo) {
  EXPECT_EQ(at(0, true), Edge::none);
  EXPECT_EQ(at(699, true), Edge::none);
  EXPECT_EQ(at(700, true), Edge::down);
  EXPECT_EQ(at(3'000, true), Edge::none);
  EXPECT_EQ(at(3'010, false), Edge::up);
  EXPECT_EQ(at(3'020, false), Edge::none);
  EXPECT_EQ(at(4'000, true), Edge::none);
  EXPECT_EQ(at(4'700, true), Edge::down);
}

TEST_F(LongUp, AShortOneIsNone) {
  EXPECT_EQ(at(0, true), Edge::none);
  EXPECT_EQ(at(600, false), Edge::none);
  EXPECT_EQ(at(900, true), Edge::none);
  EXPECT_EQ(at(1'500, true), Edge::none);
}

// UP and DOWN together open the settings; UP must not close them at once.
TEST_F(LongUp, TogetherWithDownIsNone) {
  EXPECT_EQ(at(0, true), Edge::none);
  EXPECT_EQ(at(100, true, true), Edge::none);
  EXPECT_EQ(at(1'100, true, true), Edge::none);
  EXPECT_EQ(at(1'200, true, false), Edge::none);
  EXPECT_EQ(at(9'000, true, false), Edge::none);
  EXPECT_EQ(at(9'100, false), Edge::none);
}

}  // namespace
}  // namespace gadget::ports::port_template
