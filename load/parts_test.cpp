#include <array>

#include <gtest/gtest.h>

#include "load/listening.hpp"
#include "load/report.hpp"

namespace gadget::load {
namespace {

TEST(PlayoutClock, RunsDryWhenNothingCameInTime) {
  constexpr std::size_t kFrame = 1'280;  // 40 ms at 16 kHz
  PlayoutClock clock;
  EXPECT_FALSE(clock.add(kFrame, 0));
  EXPECT_FALSE(clock.add(kFrame, 0));
  EXPECT_FALSE(clock.playing()) << "80 ms are too little to begin with (A5)";
  EXPECT_FALSE(clock.add(kFrame, 1'000'000)) << "what has not begun cannot run dry";
  EXPECT_TRUE(clock.playing());
  EXPECT_FALSE(clock.add(kFrame, 1'100'000)) << "20 ms are left of the first 120";
  EXPECT_TRUE(clock.add(kFrame, 1'200'000)) << "160 ms of sound, 200 ms of time";
  EXPECT_FALSE(clock.playing());
}

TEST(Times, PercentilesAreOfTheNearestRank) {
  Times times;
  EXPECT_EQ(times.percentile_ms(99), 0);
  for (int i = 100; i >= 1; --i) times.add(i * 1'000);
  EXPECT_EQ(times.percentile_ms(50), 50);
  EXPECT_EQ(times.percentile_ms(99), 99);
  EXPECT_EQ(times.worst_ms(), 100);
}

TEST(Report, SaysWhatWasMissed) {
  Report report("tea");
  report.at_most("brewing", 4.5, "min", 5);
  report.at_least("cups", 1, "", 2);
  const std::string table = report.table();
  EXPECT_NE(table.find("4.50 min  at most 5 min  met"), std::string::npos) << table;
  EXPECT_NE(table.find("1  at least 2     MISSED"), std::string::npos) << table;
  EXPECT_NE(report.json().find(R"("met":false)"), std::string::npos);
  EXPECT_EQ(readable(1'234'567), "1,234,567");
  EXPECT_EQ(readable(-12.34), "-12.3");
  EXPECT_EQ(readable(0.7), "0.70");
}

TEST(MaskedFrame, ChangesInPlace) {
  std::array<std::byte, 200> payload{};
  payload[2] = std::byte{7};
  const std::string wanted = masked_frame(2, payload);
  payload[2] = std::byte{9};
  std::string changed = masked_frame(2, payload);
  ASSERT_NE(changed, wanted);
  change_masked(changed, 8, 2, std::array{std::byte{7}, std::byte{0}});
  EXPECT_EQ(changed, wanted);
}

}  // namespace
}  // namespace gadget::load
