#include "hub/turn/spoken_audio.hpp"

#include <random>

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

using Samples = std::vector<std::int16_t>;
constexpr std::uint32_t kDevice = 16'000;

Samples noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Samples out(count);
  for (auto& sample : out) sample = static_cast<std::int16_t>(random());
  return out;
}

void append(Samples& to, const Samples& what) { to.insert(to.end(), what.begin(), what.end()); }

// All that is left, in as many turns as it takes; no frame is ever early.
Samples drain(SpokenAudio& audio, Pacer& pacer, Pacer::Millis enough_ms) {
  Samples out;
  for (Pacer::Millis now = 0; !pacer.drained() && now < 60'000; now += 40) {
    audio.feed(pacer, enough_ms);
    if (audio.empty()) pacer.finish();
    for (auto frame = pacer.take(now); !frame.empty(); frame = pacer.take(now)) {
      append(out, {frame.begin(), frame.end()});
    }
  }
  return out;
}

TEST(SpokenAudio, B44_TheSamplesDoNotDependOnWhenTheyAreAskedFor) {
  const Samples first = noise(30'011, 1);
  const Samples second = noise(7'003, 2);
  Samples wanted = media::resample(first, 24'000, kDevice).value();
  append(wanted, media::resample(second, 24'000, kDevice).value());
  std::mt19937 random(3);
  for (const Pacer::Millis enough_ms : {40, 137, 280, 5'000}) {
    SpokenAudio audio;
    for (const Samples& sentence : {first, second}) {
      for (std::size_t at = 0; at < sentence.size();) {
        const auto size = std::min<std::size_t>(1 + random() % 9'000, sentence.size() - at);
        const auto begin = sentence.begin() + static_cast<std::ptrdiff_t>(at);
        ASSERT_TRUE(audio.add({begin, begin + static_cast<std::ptrdiff_t>(size)}, 24'000, kDevice));
        at += size;
      }
      audio.end_sentence();
    }
    Pacer pacer(kDevice);
    EXPECT_EQ(drain(audio, pacer, enough_ms), wanted) << enough_ms;
  }
}

TEST(SpokenAudio, NoMoreIsConvertedThanWasAskedFor) {
  SpokenAudio audio;
  ASSERT_TRUE(audio.add(noise(20 * 24'000, 1), 24'000, kDevice));
  EXPECT_EQ(audio.waiting_ms(), 20'000);
  Pacer pacer(kDevice);
  audio.feed(pacer, 280);
  EXPECT_GE(pacer.waiting_ms(), 280);
  EXPECT_LE(pacer.waiting_ms(), 290);
  EXPECT_GE(audio.waiting_ms(), 19'700);
  const auto before = audio.waiting_ms();
  audio.feed(pacer, 280);
  EXPECT_EQ(audio.waiting_ms(), before);
}

TEST(SpokenAudio, ARateThatChangesLosesNothing) {
  const Samples low = noise(8'000, 1);
  const Samples high = noise(48'000, 2);
  const Samples same = noise(999, 3);
  SpokenAudio audio;
  ASSERT_TRUE(audio.add(low, 8'000, kDevice));
  ASSERT_TRUE(audio.add(high, 48'000, kDevice));
  ASSERT_TRUE(audio.add(same, kDevice, kDevice));
  audio.end_sentence();
  Samples wanted = media::resample(low, 8'000, kDevice).value();
  append(wanted, media::resample(high, 48'000, kDevice).value());
  append(wanted, same);
  Pacer pacer(kDevice);
  EXPECT_EQ(drain(audio, pacer, 280), wanted);
}

TEST(SpokenAudio, ARateBeyondTheRangeIsRefusedAndTheRestGoesOn) {
  SpokenAudio audio;
  ASSERT_TRUE(audio.add(noise(1'600, 1), kDevice, kDevice));
  const auto refused = audio.add(noise(100, 2), 1'000, kDevice);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::invalid_argument);
  ASSERT_TRUE(audio.add(noise(1'600, 3), kDevice, kDevice));
  EXPECT_EQ(audio.waiting_ms(), 200);
  audio.clear();
  EXPECT_TRUE(audio.empty());
}

// 20 s in pieces of a millisecond are few pieces, or every frame would walk over thousands.
TEST(SpokenAudio, SmallPiecesArePutTogether) {
  SpokenAudio audio;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(audio.add(noise(16, 1), kDevice, kDevice));
    ASSERT_LE(audio.pieces(), 41U);
  }
  EXPECT_EQ(audio.waiting_ms(), 20'000);
}

}  // namespace
}  // namespace gadget::hub
