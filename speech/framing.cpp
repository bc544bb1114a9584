#include "speech/framing.hpp"

#include <algorithm>
#include <cmath>

#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

constexpr float kFullScale = 32768.0F;
// The second attempt differs in lead, level and in a breath of noise instead of digital silence.
constexpr std::size_t kOtherLead = samples_of_ms(300);
constexpr float kBreath = 0.001F;

// Even noise in -1..1 that is the same every time.
class Noise {
 public:
  float next() {
    state_ = state_ * 1'664'525U + 1'013'904'223U;
    return static_cast<float>(static_cast<std::int32_t>(state_)) / 2147483648.0F;
  }

 private:
  std::uint32_t state_ = 1;
};

}  // namespace

std::vector<float> frame_piece(std::span<const std::int16_t> piece, bool has_lead,
                               Attempt attempt) {
  const bool brief = piece.size() <= kShortPiece;
  float peak = 1.0F / kFullScale;
  for (const auto s : piece) peak = std::max(peak, std::abs(static_cast<float>(s)) / kFullScale);
  const bool level = brief || attempt == Attempt::second ? peak != kRaisedPeak : peak < kQuietPeak;
  const float gain = level ? std::min(kRaisedPeak / peak, kMostGain) : 1.0F;

  std::size_t lead = has_lead ? 0 : brief ? kSilenceBeforeShort : kSilenceBefore;
  if (attempt == Attempt::second) lead = brief ? kSilenceBefore : kOtherLead;
  std::vector<float> out(lead + piece.size() + kSilenceAfter);
  std::transform(piece.begin(), piece.end(), out.begin() + static_cast<std::ptrdiff_t>(lead),
                 [gain](std::int16_t s) { return static_cast<float>(s) * gain / kFullScale; });
  if (attempt == Attempt::second || brief) {
    Noise noise;
    for (auto& sample : out) sample += kBreath * noise.next();
  }
  return out;
}

bool looks_invented(std::string_view text) {
  constexpr std::size_t kTimes = 3;
  const auto words = spoken_words(text);
  if (words.empty()) return true;
  if (words.size() == 1 && words[0] == "you") return true;  // what it makes of a click
  return words.size() >= kTimes && std::all_of(words.begin(), words.end(),
                                               [&](const auto& word) { return word == words[0]; });
}

}  // namespace gadget::speech
