// framing.hpp - how a piece of speech is laid before Moonshine, which is particular about it.
//
// Measured on 20 requests and 6 single words in three voices, whole and cut to the sound, at full
// level, -20 and -30 dB:
//   - silence of 0.2 s before and 0.4 s after a sentence: espeak-ng's words wrong fall from 19 % to
//   3 %, the others stay;
//     0.1 to 0.3 s after is worse than none;
//   - a single word wants 0.1 s before, and to be as loud as a sentence: 53 of 60 right, 31 of 60
//   without;
//   - where it gives nothing, or one word over and over, other framing often helps.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speech/recognizer.hpp"
#include "speech/segmenter.hpp"

namespace gadget::speech {

inline constexpr std::size_t kSilenceAfter = samples_of_ms(400);
inline constexpr std::size_t kSilenceBefore = samples_of_ms(200);
// Up to this much sound is a word or two.
inline constexpr std::size_t kShortPiece = samples_of_ms(1'100);
inline constexpr std::size_t kSilenceBeforeShort = samples_of_ms(100);
// Peaks, of full scale: what is quieter than the first is raised to the second, by at most so much.
inline constexpr float kQuietPeak = 0.1F;
inline constexpr float kRaisedPeak = 0.3F;
inline constexpr float kMostGain = 30.0F;

enum class Attempt : std::uint8_t { first, second };

// Floats in -1..1. `has_lead`: the piece begins before the speech in it does.
[[nodiscard]] std::vector<float> frame_piece(std::span<const std::int16_t> piece, bool has_lead,
                                             Attempt attempt);
// Nothing, a lone "you", or the same word three times and more: what the decoder gives where it did
// not understand.
[[nodiscard]] bool looks_invented(std::string_view text);

}  // namespace gadget::speech
