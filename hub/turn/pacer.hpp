// pacer.hpp - cuts one stream of speech into frames of 40 ms and says when each may be written (A4,
// E28).
//
// Written audio runs at most 0.5 s ahead of real time, counted from the stream's first frame, so
// that a device's buffer never overflows; and never behind it while audio is at hand. When audio
// came late, or the loop did, the clock starts again at the next frame: what was missed is not
// caught up in a burst.
//
// Sans-I/O: it is given the time. One stream, one owner. Memory: what was pushed and not yet taken;
// the producer looks at waiting_ms() before it makes more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/limits.hpp"

namespace gadget::hub {

class Pacer {
 public:
  using Millis = std::int64_t;

  // REQUIRES: a rate of protocol::kMinRateHz to kMaxRateHz.
  explicit Pacer(std::uint32_t rate_hz);

  void push(std::span<const std::int16_t> samples);
  // Nothing more comes: the last samples go as a shorter frame.
  void finish() { finished_ = true; }

  // The next frame, when one is due by `now`; otherwise empty. Valid until the next call.
  [[nodiscard]] std::span<const std::int16_t> take(Millis now);

  // When take() has the next frame; nothing while it waits for audio. May lie in the past.
  [[nodiscard]] std::optional<Millis> next_due(Millis now) const;

  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] bool drained() const { return finished_ && waiting() == 0; }
  [[nodiscard]] Millis waiting_ms() const;
  // Audio written minus time since the clock was started; 0 before the first frame.
  [[nodiscard]] Millis ahead_ms(Millis now) const;
  // When a device that plays from the first frame on has played all that was written.
  [[nodiscard]] Millis played_by() const;
  [[nodiscard]] std::uint32_t underruns() const { return underruns_; }
  [[nodiscard]] std::uint32_t rate_hz() const { return rate_hz_; }

 private:
  [[nodiscard]] std::size_t waiting() const { return samples_.size() - taken_; }
  // In units of 1/rate ms, so that nothing is rounded.
  [[nodiscard]] std::int64_t ahead_scaled(Millis now) const;

  std::uint32_t rate_hz_;
  std::size_t frame_samples_;
  std::vector<std::int16_t> samples_;
  std::size_t taken_ = 0;  // of samples_, from its beginning
  bool finished_ = false;
  bool started_ = false;
  Millis origin_ = 0;         // when the clock was started
  std::int64_t written_ = 0;  // samples since then
  std::uint32_t underruns_ = 0;
};

}  // namespace gadget::hub
