#include "speech/segmenter.hpp"

#include <algorithm>

namespace gadget::speech {
namespace {
// A piece that grows to its limit is cut at the quietest window of its last part.
constexpr std::size_t kCutSearch = samples_of_ms(5'000);
}  // namespace

std::size_t Segmenter::end_with_trail(std::size_t position) const {
  return std::min(position, speech_end_ + kTrail);
}

Piece Segmenter::close(std::size_t end) {
  in_piece_ = false;
  closed_until_ = end;
  return Piece{begin_, end, std::min(end, speech_end_)};
}

std::optional<Piece> Segmenter::window(std::size_t position, bool speech, float level) {
  const std::size_t window_begin = last_position_;
  last_position_ = position;
  speaking_ = speech;
  if (speech) {
    if (!in_piece_) {
      in_piece_ = true;
      const std::size_t begin = window_begin > kLead + kFromTheStart ? window_begin - kLead : 0;
      begin_ = std::max(closed_until_, begin);
      quietest_at_ = 0;
    }
    speech_end_ = position;
  }
  if (!in_piece_) return std::nullopt;

  const std::size_t length = position - begin_;
  if (length + kCutSearch >= kMaxPiece && (quietest_at_ == 0 || level <= quietest_)) {
    quietest_ = level;
    quietest_at_ = position;
  }
  if (length >= kMaxPiece) {
    const std::size_t cut = quietest_at_;
    const Piece piece = close(cut);
    if (speech_end_ >
        cut) {  // the rest of what is being said begins a piece of its own, without a gap
      in_piece_ = true;
      begin_ = cut;
      quietest_at_ = 0;
    }
    return piece;
  }
  const std::size_t pause = position - speech_end_;
  if (pause >= kPauseEndsPiece || (pause >= kTrail && speech_end_ - begin_ >= kLongPiece)) {
    return close(end_with_trail(position));
  }
  return std::nullopt;
}

std::optional<Piece> Segmenter::finish(std::size_t position) {
  speaking_ = false;
  if (!in_piece_) return std::nullopt;
  return close(end_with_trail(position));
}

std::optional<Piece> Segmenter::open(std::size_t position) const {
  if (!in_piece_) return std::nullopt;
  return Piece{begin_, end_with_trail(position), speech_end_};
}

}  // namespace gadget::speech
