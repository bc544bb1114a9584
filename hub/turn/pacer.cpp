#include "hub/turn/pacer.hpp"

#include <algorithm>

namespace gadget::hub {
namespace {

// What was taken is removed when it is this much, so that removing costs little for each sample.
constexpr std::size_t kCompactSamples = 4'096;

}  // namespace

Pacer::Pacer(std::uint32_t rate_hz)
    : rate_hz_(rate_hz),
      frame_samples_(static_cast<std::size_t>(rate_hz) * protocol::kAudioFrameMs / 1000) {}

void Pacer::push(std::span<const std::int16_t> samples) {
  if (taken_ >= kCompactSamples || taken_ == samples_.size()) {
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

std::int64_t Pacer::ahead_scaled(Millis now) const {
  return written_ * 1000 - (now - origin_) * static_cast<std::int64_t>(rate_hz_);
}

Pacer::Millis Pacer::ahead_ms(Millis now) const {
  return started_ ? ahead_scaled(now) / static_cast<std::int64_t>(rate_hz_) : 0;
}

Pacer::Millis Pacer::waiting_ms() const {
  return static_cast<Millis>(waiting()) * 1000 / static_cast<Millis>(rate_hz_);
}

Pacer::Millis Pacer::played_by() const {
  const auto rate = static_cast<Millis>(rate_hz_);
  return origin_ + (written_ * 1000 + rate - 1) / rate;
}

std::optional<Pacer::Millis> Pacer::next_due(Millis now) const {
  const std::size_t ready = waiting();
  if (ready == 0) return std::nullopt;
  const auto rate = static_cast<Millis>(rate_hz_);
  if (ready >= frame_samples_ || finished_) {
    if (!started_) return now;
    const Millis too_much = written_ * 1000 - protocol::kMaxAheadMs * rate;
    return too_much <= 0 ? origin_ : origin_ + (too_much + rate - 1) / rate;
  }
  // Less than a frame, and more may follow: it waits for the rest until the device would run dry.
  if (!started_) return std::nullopt;
  return origin_ + written_ * 1000 / rate;
}

std::span<const std::int16_t> Pacer::take(Millis now) {
  const auto due = next_due(now);
  if (!due || *due > now) return {};
  if (!started_ || ahead_scaled(now) < 0) {
    if (started_) ++underruns_;
    started_ = true;
    origin_ = now;
    written_ = 0;
  }
  const std::size_t count = std::min(frame_samples_, waiting());
  const std::span<const std::int16_t> frame{samples_.data() + taken_, count};
  taken_ += count;
  written_ += static_cast<std::int64_t>(count);
  return frame;
}

}  // namespace gadget::hub
