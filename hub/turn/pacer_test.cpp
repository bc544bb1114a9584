#include "hub/turn/pacer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace gadget::hub {
namespace {

constexpr std::uint32_t kRate = 16'000;
constexpr std::size_t kFrame = 640;

std::vector<std::int16_t> samples(std::size_t count) { return std::vector<std::int16_t>(count, 7); }

std::size_t take_all(Pacer& pacer, Pacer::Millis now) {
  std::size_t frames = 0;
  while (!pacer.take(now).empty()) ++frames;
  return frames;
}

// 0.5 s ahead is 13 frames: before the 13th, 480 ms are written.
TEST(Pacer, A4_ThirteenFramesAtOnceThenOneEach40Ms) {
  Pacer pacer{kRate};
  pacer.push(samples(100 * kFrame));
  EXPECT_EQ(take_all(pacer, 1000), 13U);
  EXPECT_EQ(pacer.next_due(1000), 1020);
  EXPECT_EQ(take_all(pacer, 1019), 0U);
  EXPECT_EQ(take_all(pacer, 1020), 1U);
  EXPECT_EQ(pacer.next_due(1020), 1060);
}

TEST(Pacer, E28_AfterAnUnderrunTheClockStartsAgainWithoutCatchingUp) {
  Pacer pacer{kRate};
  pacer.push(samples(kFrame));
  EXPECT_EQ(take_all(pacer, 1000), 1U);
  pacer.push(samples(200 * kFrame));
  EXPECT_EQ(take_all(pacer, 5000), 13U);  // not the 113 of the 4 s that were missed
  EXPECT_EQ(pacer.underruns(), 1U);
  EXPECT_EQ(pacer.next_due(5000), 5020);
}

TEST(Pacer, E28_TheLastSamplesAreAShorterFrame) {
  Pacer pacer{kRate};
  pacer.push(samples(kFrame + 100));
  EXPECT_EQ(pacer.take(0).size(), kFrame);
  EXPECT_TRUE(pacer.take(0).empty());  // more may follow
  pacer.finish();
  EXPECT_EQ(pacer.take(0).size(), 100U);
  EXPECT_TRUE(pacer.drained());
}

// Half a frame does not wait for its other half longer than the device has something to play.
TEST(Pacer, A4_NeverBehindWhileAudioIsAtHand) {
  Pacer pacer{kRate};
  pacer.push(samples(kFrame + 100));
  EXPECT_EQ(pacer.take(1000).size(), kFrame);
  EXPECT_EQ(pacer.next_due(1000), 1040);
  EXPECT_EQ(pacer.take(1040).size(), 100U);
  EXPECT_EQ(pacer.underruns(), 0U);
}

TEST(Pacer, A1_AFrameIsFortyMillisecondsAtEveryRate) {
  for (const std::uint32_t rate : {4'000U, 8'000U, 11'025U, 22'050U, 44'100U, 48'000U}) {
    Pacer pacer{rate};
    pacer.push(samples(rate));
    EXPECT_EQ(pacer.take(0).size(), rate * 40 / 1000) << rate;
  }
}

// A4: whatever the producer and the loop do, no frame is due more than 0.5 s ahead of the clock,
// nor is the clock ahead of what was written while audio is at hand; and no sample is lost.
TEST(PacerProperty, A4_NeverMoreThanHalfASecondAhead) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint16_t, std::uint16_t>>& steps) {
    const auto rate = *rc::gen::element<std::uint32_t>(4'000, 8'001, 16'000, 22'050, 48'000);
    Pacer pacer{rate};
    Pacer::Millis now = 0;
    std::size_t pushed = 0;
    std::size_t written = 0;
    std::int64_t since_start = 0;  // samples since the clock was started
    Pacer::Millis origin = 0;
    const auto write_due = [&] {
      for (;;) {
        const bool was_started = pacer.started();
        const auto underruns = pacer.underruns();
        const auto frame = pacer.take(now);
        if (frame.empty()) return;
        if (!was_started || pacer.underruns() != underruns) {
          origin = now;
          since_start = 0;
        }
        RC_ASSERT(since_start * 1000 - (now - origin) * rate <= std::int64_t{500} * rate);
        RC_ASSERT(since_start * 1000 - (now - origin) * rate >= 0);
        RC_ASSERT(frame.size() <= static_cast<std::size_t>(rate) * 40 / 1000);
        since_start += static_cast<std::int64_t>(frame.size());
        written += frame.size();
      }
    };
    for (const auto& [produced, wait] : steps) {
      pacer.push(samples(produced % 5000));
      pushed += produced % 5000;
      write_due();
      // The loop wakes when the pacer asked it to, or late.
      const Pacer::Millis end = now + wait % 700;
      while (now < end) {
        const auto due = pacer.next_due(now);
        now = due && *due < end ? std::max(*due, now + 1) : end;
        write_due();
      }
    }
    pacer.finish();
    for (int i = 0; i < 100'000 && !pacer.drained(); ++i) {
      now = std::max(now, pacer.next_due(now).value_or(now));
      write_due();
    }
    RC_ASSERT(pacer.drained());
    RC_ASSERT(written == pushed);
  }));
}

}  // namespace
}  // namespace gadget::hub
