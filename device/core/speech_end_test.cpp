// When somebody who tapped TALK begins to speak, and when they are done: with signals made by
// arithmetic. ports/desktop/tap_speech_test.cpp does the same with rendered speech.
#include "device/core/speech_end.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace gadget::device {
namespace {

constexpr std::uint32_t kRate = 16'000;

TEST(SpeechPhases, EveryPairOfPhaseAndEvent) {
  using enum SpeechPhase;
  using Event = SpeechEvent;
  const std::map<std::pair<SpeechPhase, Event>, SpeechPhase> table{
      {{waiting, Event::voice}, speaking},
      {{waiting, Event::time_over}, nothing},
      {{speaking, Event::pause}, ended},
  };
  for (const auto phase : {waiting, speaking, ended, nothing}) {
    for (const auto event : {Event::voice, Event::pause, Event::time_over}) {
      const auto found = table.find({phase, event});
      const auto to = next(phase, event);
      EXPECT_EQ(to.has_value(), found != table.end());
      if (to && found != table.end()) {
        EXPECT_EQ(*to, found->second);
      }
    }
  }
}

TEST(SpeechLoudness, IsALogarithmInEighths) {
  EXPECT_EQ(loudness(0), 0);
  EXPECT_EQ(loudness(1), 0);
  Loudness before = 0;
  for (std::uint32_t value = 1; value < 1'073'676'289U; value += 1 + value / 100) {
    const double exact = 8 * std::log2(static_cast<double>(value));
    ASSERT_GE(exact - loudness(value), 0) << value;
    ASSERT_LT(exact - loudness(value), 1.7) << value;  // cut, of a straight line in each octave
    ASSERT_GE(loudness(value), before);
    before = loudness(value);
  }
  EXPECT_EQ(loudness(0xFFFFFFFFU), 255);
}

// What a microphone hears: noise all the time, and a voice at times.
class Room {
 public:
  explicit Room(double noise_rms, std::uint32_t rate = kRate)
      : noise_rms_(noise_rms), rate_(rate) {}

  std::vector<std::int16_t> silence(double seconds) { return make(seconds, 0); }
  // Syllables of a quarter of a second with short dips between them.
  std::vector<std::int16_t> voice(double seconds, double rms) { return make(seconds, rms); }

  double offset = 0;   // what a cheap microphone adds
  double hum_rms = 0;  // 50 Hz
  bool dull = false;   // noise as of a fan: the low ones are louder

 private:
  double noise() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
      sum += static_cast<double>(seed_ >> 40U) / static_cast<double>(1U << 23U) - 1;
    }
    const double white = sum / std::sqrt(4.0 / 3);
    low_ += (white - low_) / 8;
    return dull ? low_ * std::sqrt(15.0) : white;
  }
  std::vector<std::int16_t> make(double seconds, double voice_rms) {
    std::vector<std::int16_t> out(static_cast<std::size_t>(seconds * rate_));
    for (auto& sample : out) {
      const double t = static_cast<double>(at_++) / rate_;
      double value = offset + noise_rms_ * noise() +
                     hum_rms * std::numbers::sqrt2 * std::sin(2 * std::numbers::pi * 50 * t);
      if (voice_rms > 0) {
        const double beat = std::sin(std::numbers::pi * 4 * t);  // four syllables a second
        double tone = 0;
        for (int harmonic = 1; harmonic <= 12; ++harmonic) {
          tone += std::sin(2 * std::numbers::pi * 140 * harmonic * t) / harmonic;
        }
        value += voice_rms * 1.8 * beat * beat * tone;
      }
      sample = static_cast<std::int16_t>(std::lround(std::fmin(32767, std::fmax(-32768, value))));
    }
    return out;
  }
  double noise_rms_;
  std::uint32_t rate_;
  std::uint64_t at_ = 0;
  std::uint64_t seed_ = 7;
  double low_ = 0;
};

// Feeds in pieces of 10 ms; the seconds until the phase was reached, or a negative number.
double feed(SpeechEnd& ear, const std::vector<std::int16_t>& samples, SpeechPhase until,
            std::uint32_t rate = kRate) {
  const std::size_t piece = rate / 100;
  for (std::size_t at = 0; at < samples.size(); at += piece) {
    const std::size_t size = std::min(piece, samples.size() - at);
    if (ear.feed(std::span{samples}.subspan(at, size)) == until) {
      return static_cast<double>(at + size) / rate;
    }
  }
  return -1;
}

constexpr double kPauseS = static_cast<double>(kSpeechPauseMs) / 1'000;

struct Case {
  double noise_rms;
  double snr_db;
  bool dull;
};

TEST(SpeechEnds, AfterAPauseInRoomsOfAnyNoise) {
  for (const Case& one :
       {Case{0, 60, false}, Case{3, 40, false}, Case{30, 30, false}, Case{100, 20, true},
        Case{300, 15, false}, Case{300, 10, true}, Case{1'000, 8, false}, Case{1'000, 6, true}}) {
    SCOPED_TRACE(testing::Message() << one.noise_rms << " " << one.snr_db << " dB");
    Room room{one.noise_rms};
    room.dull = one.dull;
    const double rms = std::fmax(one.noise_rms, 1) * std::pow(10, one.snr_db / 20);
    SpeechEnd ear{kRate};
    EXPECT_LT(feed(ear, room.silence(1.5), SpeechPhase::speaking), 0);
    const double began = feed(ear, room.voice(2.0, rms), SpeechPhase::speaking);
    EXPECT_GT(began, 0);
    EXPECT_LT(began, 0.5);
    EXPECT_LT(feed(ear, room.voice(4.0, rms), SpeechPhase::ended), 0);
    const double ended = feed(ear, room.silence(3), SpeechPhase::ended);
    EXPECT_GT(ended, kPauseS - 0.25);
    EXPECT_LT(ended, kPauseS + 0.25);
  }
}

TEST(SpeechEnds, AlsoWhenSomebodySpeaksAtOnce) {
  Room room{100};
  SpeechEnd ear{kRate};
  EXPECT_GT(feed(ear, room.voice(1.5, 2'000), SpeechPhase::speaking), 0);
  EXPECT_GT(feed(ear, room.silence(2), SpeechPhase::ended), 0);
}

TEST(SpeechEnds, ABreathEndsNothing) {
  Room room{50};
  SpeechEnd ear{kRate};
  feed(ear, room.silence(0.5), SpeechPhase::speaking);
  for (int sentence = 0; sentence < 5; ++sentence) {
    EXPECT_LT(feed(ear, room.voice(1.5, 1'500), SpeechPhase::ended), 0);
    EXPECT_LT(feed(ear, room.silence(0.6), SpeechPhase::ended), 0);
  }
  EXPECT_GT(feed(ear, room.silence(1), SpeechPhase::ended), 0);
}

TEST(SpeechEnds, AClickInThePauseProlongsNothing) {
  Room room{50};
  SpeechEnd ear{kRate};
  feed(ear, room.silence(0.5), SpeechPhase::speaking);
  feed(ear, room.voice(1.5, 1'500), SpeechPhase::ended);
  EXPECT_LT(feed(ear, room.silence(0.5), SpeechPhase::ended), 0);
  EXPECT_LT(feed(ear, std::vector<std::int16_t>(160, 20'000), SpeechPhase::ended), 0);
  EXPECT_GT(feed(ear, room.silence(0.6), SpeechPhase::ended), 0);
}

TEST(SpeechEnds, NobodySpoke) {
  Room room{200};
  room.dull = true;
  SpeechEnd ear{kRate};
  auto heard = room.silence(6);
  // The button that was tapped, and later a knock.
  for (std::size_t i = 0; i < 600; ++i)
    heard[i] = static_cast<std::int16_t>(i % 2 == 0 ? 9'000 : -9'000);
  for (std::size_t i = 40'000; i < 40'900; ++i) heard[i] = static_cast<std::int16_t>(i % 3 * 4'000);
  EXPECT_NEAR(feed(ear, heard, SpeechPhase::nothing), 5.0, 0.021);
}

TEST(SpeechEnds, HumAndOffsetAreNoVoice) {
  Room room{20};
  room.offset = 3'000;
  room.hum_rms = 150;
  SpeechEnd ear{kRate};
  EXPECT_LT(feed(ear, room.silence(2), SpeechPhase::speaking), 0);
  EXPECT_GT(feed(ear, room.voice(1, 2'000), SpeechPhase::speaking), 0);
  EXPECT_GT(feed(ear, room.silence(2), SpeechPhase::ended), 0);
}

// A fan that starts meanwhile is taken for a voice at first, then for the room.
TEST(SpeechEnds, TheFloorFollowsTheRoom) {
  Room quiet{20};
  Room fan{400};
  fan.dull = true;
  SpeechEnd ear{kRate};
  feed(ear, quiet.silence(1), SpeechPhase::speaking);
  EXPECT_GT(feed(ear, quiet.voice(1, 2'000), SpeechPhase::speaking), 0);
  const double ended = feed(ear, fan.silence(10), SpeechPhase::ended);
  EXPECT_GT(ended, 0);
  EXPECT_LT(ended, 3.5 + kPauseS);
  // And back: the next utterance is in a quiet room again.
  ear.begin();
  feed(ear, quiet.silence(0.5), SpeechPhase::speaking);
  EXPECT_GT(feed(ear, quiet.voice(1, 150), SpeechPhase::speaking), 0);
}

TEST(SpeechEnds, AtEveryRateOfAMicrophone) {
  for (const std::uint32_t rate : {4'000U, 8'000U, 11'025U, 44'100U, 48'000U}) {
    Room room{60, rate};
    SpeechEnd ear{rate};
    EXPECT_LT(feed(ear, room.silence(1), SpeechPhase::speaking, rate), 0) << rate;
    EXPECT_GT(feed(ear, room.voice(1.5, 1'500), SpeechPhase::speaking, rate), 0) << rate;
    const double ended = feed(ear, room.silence(2), SpeechPhase::ended, rate);
    EXPECT_GT(ended, kPauseS - 0.25) << rate;
    EXPECT_LT(ended, kPauseS + 0.25) << rate;
  }
}

TEST(SpeechEnds, TheLoudestSamplesThereAreOverflowNothing) {
  SpeechEnd ear{48'000};
  std::vector<std::int16_t> square(48'000);
  for (std::size_t i = 0; i < square.size(); ++i) square[i] = i / 2 % 2 == 0 ? 32'767 : -32'768;
  for (int i = 0; i < 3; ++i) (void)ear.feed(square);
  EXPECT_GT(ear.floor(), 200);
}

}  // namespace
}  // namespace gadget::device
