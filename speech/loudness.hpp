// loudness.hpp - makes a quiet voice as loud as the others, without clipping.
//
// The voice hibari peaks at 0.35 to 0.4 of full scale. It is raised by 7 dB; what would then come
// near full scale is rounded off softly. Memoryless, so it needs no look-ahead and chunks may be
// cut anywhere.
#pragma once

#include <cstdint>
#include <span>

namespace gadget::speech {

inline constexpr float kVoiceGain = 2.24F;       // 7 dB (speech.md: 6 to 8)
inline constexpr float kLimiterKnee = 0.8F;      // of full scale: untouched below
inline constexpr float kLimiterCeiling = 0.98F;  // never reached

void raise(std::span<std::int16_t> samples);

}  // namespace gadget::speech
