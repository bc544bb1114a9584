#include "speech/loudness.hpp"

#include <cmath>

namespace gadget::speech {

void raise(std::span<std::int16_t> samples) {
  constexpr float kFullScale = 32768.0F;
  constexpr float kHeadroom = kLimiterCeiling - kLimiterKnee;
  for (auto& sample : samples) {
    const float x = static_cast<float>(sample) * kVoiceGain / kFullScale;
    const float size = std::abs(x);
    const float limited =
        size <= kLimiterKnee
            ? size
            : kLimiterKnee + kHeadroom * std::tanh((size - kLimiterKnee) / kHeadroom);
    sample = static_cast<std::int16_t>(std::lround(std::copysign(limited, x) * (kFullScale - 1)));
  }
}

}  // namespace gadget::speech
