// A tap, then rendered speech in rooms of several noises: it is heard to begin, no pause within a
// sentence ends it, and silence after it does (device/core/speech_end.hpp).
#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "device/core/speech_end.hpp"
#include "ports/desktop/speaking.hpp"

namespace gadget::ports::desktop {
namespace {

using device::SpeechEnd;
using device::SpeechPhase;

constexpr double kBeforeS = 1.2;  // from the tap to the first word
constexpr double kAfterS = 3;

enum class Noise { white, dull };

// The recording in its noise, with silence before and after.
std::vector<std::int16_t> in_a_room(const media::Recording& speech, double snr_db, Noise kind) {
  double power = 0;
  std::size_t voiced = 0;
  for (const double sample : speech.samples) {
    if (std::fabs(sample) < 200) continue;  // the level of speech is that of its sounds
    power += sample * sample;
    ++voiced;
  }
  const double rms = std::sqrt(power / static_cast<double>(voiced)) / std::pow(10, snr_db / 20);
  const auto rate = static_cast<double>(speech.rate_hz);
  const auto before = static_cast<std::size_t>(kBeforeS * rate);
  std::vector<std::int16_t> out(before + speech.samples.size() +
                                static_cast<std::size_t>(kAfterS * rate));
  std::uint64_t seed = 3;
  double low = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      sum += static_cast<double>(seed >> 40U) / static_cast<double>(1U << 23U) - 1;
    }
    const double white = sum / std::sqrt(4.0 / 3);
    low += (white - low) / 8;
    double value = rms * (kind == Noise::white ? white : low * std::sqrt(15.0));
    if (i >= before && i - before < speech.samples.size()) value += speech.samples[i - before];
    out[i] = static_cast<std::int16_t>(std::lround(std::fmax(-32'768, std::fmin(32'767, value))));
  }
  return out;
}

struct Heard {
  std::optional<double> began_s, ended_s;
};

Heard hear(const std::vector<std::int16_t>& samples, std::uint32_t rate_hz) {
  SpeechEnd ear{rate_hz};
  Heard heard;
  const std::size_t piece = rate_hz / 100;
  for (std::size_t at = 0; at + piece <= samples.size() && !heard.ended_s; at += piece) {
    const auto phase = ear.feed(std::span{samples}.subspan(at, piece));
    const double now = static_cast<double>(at + piece) / rate_hz;
    if (phase == SpeechPhase::speaking && !heard.began_s) heard.began_s = now;
    if (phase == SpeechPhase::ended || phase == SpeechPhase::nothing) heard.ended_s = now;
  }
  return heard;
}

// Where the last sound of the recording is.
double last_sound_s(const media::Recording& speech) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < speech.samples.size(); ++i) {
    if (std::abs(int{speech.samples[i]}) > 1'000) last = i;
  }
  return kBeforeS + static_cast<double>(last) / speech.rate_hz;
}

TEST(TapSpeech, RenderedSpeechEndsWhenItIsOverAtSeveralSignalToNoiseRatios) {
  constexpr double kPauseS = static_cast<double>(device::kSpeechPauseMs) / 1'000;
  const char* const sentences[] = {
      "Yes.",
      "What time is it?",
      "Remind me in twenty minutes, to take the bread out of the oven.",
      "Add milk, eggs, and, let me think, some butter to my shopping list.",
  };
  for (const char* voice : {"rms", "slt"}) {
    for (const char* sentence : sentences) {
      const auto speech = speak(voice, sentence);
      ASSERT_TRUE(speech);
      const double over = last_sound_s(*speech);
      for (const double snr_db : {60.0, 30.0, 20.0, 10.0}) {
        for (const auto kind : {Noise::white, Noise::dull}) {
          SCOPED_TRACE(testing::Message() << voice << " " << sentence << " " << snr_db << " dB "
                                          << (kind == Noise::white ? "white" : "dull"));
          const auto heard = hear(in_a_room(*speech, snr_db, kind), speech->rate_hz);
          ASSERT_TRUE(heard.began_s);
          ASSERT_TRUE(heard.ended_s);
          EXPECT_GT(*heard.began_s, kBeforeS);
          EXPECT_LT(*heard.began_s, kBeforeS + 0.8);
          // Soft last sounds drown in the noise first.
          EXPECT_GT(*heard.ended_s, over + kPauseS - 0.55);
          EXPECT_LT(*heard.ended_s, over + kPauseS + 0.5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gadget::ports::desktop
