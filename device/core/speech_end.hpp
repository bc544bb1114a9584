// speech_end.hpp - hears when somebody who tapped TALK begins to speak, and when they are done.
//
// The loudness of each 20 ms, without what lies below some 80 Hz, is compared with the noise floor:
// the least loudness of the last 3 s. So it follows a fan that starts, and the dips between words
// keep it down while somebody speaks. Integer arithmetic only; about 15 operations a sample.
//
//   SpeechEnd ear{16'000};
//   ear.begin();
//   if (ear.feed(samples) == SpeechPhase::ended) ...
//
// Owned by Talk. No I/O, no heap. Source: issue of the device core ("tap"), C4 `no_speech`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "device/core/limits.hpp"

namespace gadget::device {

enum class SpeechPhase : std::uint8_t {
  waiting,   // nobody has spoken yet
  speaking,  // somebody has; they may be pausing
  ended,     // and was silent for kSpeechPauseMs since
  nothing,   // nobody spoke for kNoSpeechMs
};

enum class SpeechEvent : std::uint8_t { voice, pause, time_over };

[[nodiscard]] constexpr std::optional<SpeechPhase> next(SpeechPhase phase, SpeechEvent event) {
  using enum SpeechPhase;
  if (phase == waiting && event == SpeechEvent::voice) return speaking;
  if (phase == waiting && event == SpeechEvent::time_over) return nothing;
  if (phase == speaking && event == SpeechEvent::pause) return ended;
  return std::nullopt;
}

// Loudness in eighths of a doubling of the power: 0.376 dB a step.
using Loudness = std::uint8_t;

// Of a mean square: 0 for 0.
[[nodiscard]] Loudness loudness(std::uint32_t mean_square);

class SpeechEnd {
 public:
  explicit SpeechEnd(std::uint32_t rate_hz);

  // A new utterance.
  void begin();
  // The microphone's next samples. What comes after the end changes nothing.
  SpeechPhase feed(std::span<const std::int16_t> samples);

  [[nodiscard]] SpeechPhase phase() const { return phase_; }
  [[nodiscard]] Loudness floor() const;

 private:
  static constexpr std::size_t kSpans = 6;  // of kFloorSpanMs: how far the floor looks back

  void window_over(Loudness now);
  bool step(SpeechEvent event);

  std::uint32_t window_samples_;
  SpeechPhase phase_ = SpeechPhase::waiting;
  std::int32_t mean_ = 0;  // slow mean of the samples, times 256: what the high-pass takes away
  std::uint64_t power_ = 0;
  std::uint32_t filled_ = 0;   // samples of this window
  std::uint32_t windows_ = 0;  // since begin()
  std::uint8_t score_ = 0;     // waiting: windows of voice, less those without
  std::uint8_t loud_run_ = 0;  // speaking: windows of voice in a row
  std::uint32_t quiet_ = 0;    // speaking: windows since the last voice
  std::array<Loudness, kSpans> least_{};
  std::uint8_t span_ = 0;  // the present one in least_
};

}  // namespace gadget::device
