// segmenter.hpp - which parts of an utterance are decoded together, from a detector's "somebody
// speaks" per window.
//
// A *piece* is what one decode sees: from 0.2 s before speech began to 0.3 s after it ended. Short
// pauses stay inside a piece, because a sentence decoded in two halves loses its context; a piece
// is closed
//   - at a pause of `kPauseEndsPiece`, or
//   - at any pause once it is `kLongPiece` long (what remains for the end of the utterance is then
//   short), or
//   - at `kMaxPiece`, at the quietest moment of its last seconds (engines get slow far beyond
//   that).
//
// Pure arithmetic on sample positions: no audio is kept here. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>

#include "speech/recognizer.hpp"

namespace gadget::speech {

[[nodiscard]] constexpr std::size_t samples_of_ms(std::size_t ms) {
  return ms * kRecognizerRateHz / 1000;
}

// What a piece has before the detector noticed speech: 0.2 s, for first sounds are soft, and what
// the detector takes to be sure.
inline constexpr std::size_t kLead = samples_of_ms(200 + 130);
// Who speaks as the button goes down has no such lead: a piece that would begin this early begins
// at 0.
inline constexpr std::size_t kFromTheStart = samples_of_ms(300);
inline constexpr std::size_t kTrail = samples_of_ms(300);  // a last consonant
inline constexpr std::size_t kPauseEndsPiece = samples_of_ms(1500);
inline constexpr std::size_t kLongPiece = samples_of_ms(8'000);
// 89 s in one piece took 41 s to decode, 20 s takes under one.
inline constexpr std::size_t kMaxPiece = samples_of_ms(20'000);

struct Piece {
  std::size_t begin = 0;  // positions in the utterance, in samples
  std::size_t end = 0;
  std::size_t speech_end = 0;  // where speech was last heard in it: at most `end`
  friend bool operator==(const Piece&, const Piece&) = default;
  // Whether both hold the same speech; they may differ in how much silence follows it.
  [[nodiscard]] bool same_speech(const Piece& other) const {
    return begin == other.begin && speech_end == other.speech_end;
  }
};

class Segmenter {
 public:
  // The next window ends at `position`; `speech`: somebody speaks in it; `level` its loudness (any
  // monotonic unit). Returns a piece that is complete now.
  std::optional<Piece> window(std::size_t position, bool speech, float level);
  // The utterance ends at `position`: the piece that is still open.
  std::optional<Piece> finish(std::size_t position);
  // The open piece, as far as it is known (for partial text).
  [[nodiscard]] std::optional<Piece> open(std::size_t position) const;
  // Somebody speaks right now.
  [[nodiscard]] bool speaking() const { return speaking_; }

 private:
  [[nodiscard]] std::size_t end_with_trail(std::size_t position) const;
  Piece close(std::size_t end);

  bool in_piece_ = false;
  bool speaking_ = false;
  std::size_t begin_ = 0;         // of the open piece, lead included
  std::size_t speech_end_ = 0;    // where speech was last heard
  std::size_t closed_until_ = 0;  // no piece begins before the end of the last one
  std::size_t last_position_ = 0;
  float quietest_ = 0;  // in the part where a long piece may be cut
  std::size_t quietest_at_ = 0;
};

}  // namespace gadget::speech
