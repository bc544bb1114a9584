#include "hub/turn/spoken_audio.hpp"

#include <algorithm>
#include <span>

namespace gadget::hub {

Result<void> SpokenAudio::add(std::vector<std::int16_t> samples, std::uint32_t rate_hz,
                              std::uint32_t to_hz) {
  if (rate_hz != added_hz_) {
    auto resampler = media::Resampler::create(rate_hz, to_hz);
    if (!resampler) return tl::unexpected(std::move(resampler.error()));
    // A voice that changes its rate within a sentence begins a new stream of samples.
    end_sentence();
    if (!resampler_) resampler_.emplace(std::move(*resampler));
    added_hz_ = rate_hz;
  }
  if (!pieces_.empty() && !pieces_.back().last && pieces_.back().samples.size() < rate_hz / 2) {
    auto& last = pieces_.back().samples;  // so that pieces are few, however small they come
    last.insert(last.end(), samples.begin(), samples.end());
  } else {
    pieces_.push_back({.samples = std::move(samples), .rate_hz = rate_hz});
  }
  return {};
}

void SpokenAudio::end_sentence() {
  if (added_hz_ == 0) return;
  pieces_.push_back({.samples = {}, .rate_hz = added_hz_, .last = true});
  added_hz_ = 0;
}

void SpokenAudio::feed(Pacer& pacer, Millis enough_ms) {
  while (!pieces_.empty()) {
    const Millis want_ms = enough_ms - pacer.waiting_ms();
    if (want_ms <= 0) return;
    Piece& piece = pieces_.front();
    convert(piece, pacer, want_ms);
    if (piece.moved == piece.samples.size()) pieces_.pop_front();
  }
}

void SpokenAudio::convert(Piece& piece, Pacer& pacer, Millis want_ms) {
  if (!resampler_ || resampler_->from_hz() != piece.rate_hz) {
    auto made = media::Resampler::create(piece.rate_hz, pacer.rate_hz());
    if (!made) return pieces_.clear();  // cannot happen: add() made one
    resampler_.emplace(std::move(*made));
  }
  const std::size_t left = piece.samples.size() - piece.moved;
  const auto want = static_cast<std::size_t>(want_ms * piece.rate_hz / 1000 + 1);
  const auto part =
      std::span<const std::int16_t>(piece.samples).subspan(piece.moved, std::min(left, want));
  piece.moved += part.size();
  converted_.clear();
  resampler_->process(part, converted_);
  if (piece.last) resampler_->flush(converted_);
  pacer.push(converted_);
}

Pacer::Millis SpokenAudio::waiting_ms() const {
  Millis sum = 0;
  for (const Piece& piece : pieces_) {
    sum += static_cast<Millis>(piece.samples.size() - piece.moved) * 1000 / piece.rate_hz;
  }
  return sum;
}

}  // namespace gadget::hub
