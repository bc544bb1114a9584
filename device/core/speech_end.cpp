#include "device/core/speech_end.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gadget::device {
namespace {

constexpr Millis kWindowMs = 20;  // a pitch period of the deepest voice and more
// What a microphone gives in its first moments, zeros or a bump, says nothing about the room.
constexpr std::uint32_t kSettleWindows = 100 / kWindowMs;
constexpr std::uint32_t kSpanWindows = 500 / kWindowMs;  // six of them: 3 s
constexpr std::uint32_t kNoSpeechWindows = static_cast<std::uint32_t>(kNoSpeechMs / kWindowMs);
constexpr std::uint32_t kPauseWindows = static_cast<std::uint32_t>(kSpeechPauseMs / kWindowMs);

constexpr Loudness kUnknown = std::numeric_limits<Loudness>::max();
// No room is more silent than this for us: -70 dBFS. Without it digital silence would make the
// faintest hiss a voice.
constexpr Loudness kLeastFloor = 53;
constexpr Loudness kBegins = 19;  // above the floor: 7 dB
constexpr Loudness kGoesOn = 16;  // 6 dB: who speaks already may end softly
// A voice is 100 ms of sound; the click of a button and a knock are less.
constexpr std::uint8_t kVoiceWindows = 5;
// A single loud window in a pause is a click and does not prolong it.
constexpr std::uint8_t kResumeWindows = 2;
// The high-pass: the mean follows by 1/32 a sample; at 16 kHz that takes away what is below 80 Hz.
constexpr int kMeanShift = 5;

}  // namespace

Loudness loudness(std::uint32_t mean_square) {
  if (mean_square == 0) return 0;
  const int bits = static_cast<int>(std::bit_width(mean_square));
  const std::uint32_t normal = mean_square << (32 - bits);  // 1.xxx in the top bits
  return static_cast<Loudness>((bits - 1) * 8 + static_cast<int>(normal >> 28U & 7U));
}

SpeechEnd::SpeechEnd(std::uint32_t rate_hz)
    : window_samples_(
          std::max<std::uint32_t>(1, rate_hz * static_cast<std::uint32_t>(kWindowMs) / 1'000)) {
  begin();
}

void SpeechEnd::begin() {
  phase_ = SpeechPhase::waiting;
  mean_ = 0;
  power_ = 0;
  filled_ = 0;
  windows_ = 0;
  score_ = 0;
  loud_run_ = 0;
  quiet_ = 0;
  least_.fill(kUnknown);
  span_ = 0;
}

bool SpeechEnd::step(SpeechEvent event) {
  const auto to = next(phase_, event);
  if (!to) return false;
  phase_ = *to;
  return true;
}

Loudness SpeechEnd::floor() const {
  return std::max(kLeastFloor, *std::min_element(least_.begin(), least_.end()));
}

SpeechPhase SpeechEnd::feed(std::span<const std::int16_t> samples) {
  for (const std::int16_t sample : samples) {
    mean_ += ((std::int32_t{sample} * 256) - mean_) >> kMeanShift;
    const std::int32_t sound = sample - (mean_ >> 8);
    power_ += static_cast<std::uint64_t>(std::int64_t{sound} * sound);
    if (++filled_ < window_samples_) continue;
    const std::uint64_t mean_square = power_ / window_samples_;
    window_over(loudness(static_cast<std::uint32_t>(
        std::min<std::uint64_t>(mean_square, std::numeric_limits<std::uint32_t>::max()))));
    power_ = 0;
    filled_ = 0;
  }
  return phase_;
}

void SpeechEnd::window_over(Loudness now) {
  ++windows_;
  if (windows_ <= kSettleWindows) return;
  if (windows_ % kSpanWindows == 0) {
    span_ = static_cast<std::uint8_t>((span_ + 1U) % kSpans);
    least_[span_] = kUnknown;
  }
  least_[span_] = std::min(least_[span_], now);
  const int above = int{now} - floor();
  if (phase_ == SpeechPhase::waiting) {
    if (above >= kBegins) {
      ++score_;
    } else if (score_ > 0) {
      --score_;
    }
    if (score_ >= kVoiceWindows) step(SpeechEvent::voice);
    if (windows_ >= kNoSpeechWindows) step(SpeechEvent::time_over);
  } else if (phase_ == SpeechPhase::speaking) {
    ++quiet_;
    loud_run_ = above >= kGoesOn
                    ? static_cast<std::uint8_t>(std::min<unsigned>(loud_run_ + 1U, kResumeWindows))
                    : std::uint8_t{0};
    if (loud_run_ >= kResumeWindows) quiet_ = 0;
    if (quiet_ >= kPauseWindows) step(SpeechEvent::pause);
  }
}

}  // namespace gadget::device
