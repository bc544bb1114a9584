// resampler.hpp - changes the sample rate of one stream of mono 16-bit audio, chunk by chunk.
//
// The stream that comes out does not depend on how the stream that goes in was cut (B-44): it is
// bit-identical to the whole buffer at once. The filter's delay is taken off at the start, and
// flush() delivers the tail, so nothing is lost at either end (B-48): N samples in give round(N *
// to / from) out. About 90 dB SNR: SpeexDSP at quality 5, or for small ratios a table of our own
// (polyphase.hpp).
//
// One object is one stream (B-45). Not thread-safe; one owner. Memory is bounded: it holds the
// filter's state only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/failure.hpp"
#include "media/polyphase.hpp"

struct SpeexResamplerState_;

namespace gadget::media {

class Resampler {
 public:
  // From `from_hz` to `to_hz`. Errors: invalid_argument beyond 4,000..192,000 Hz (kMinRateHz,
  // kMaxRateHz in wav.hpp).
  [[nodiscard]] static Result<Resampler> create(std::uint32_t from_hz, std::uint32_t to_hz);

  // Takes the next samples and appends to `out` all that can be known by now. The same rate passes
  // through.
  void process(std::span<const std::int16_t> in, std::vector<std::int16_t>& out);

  // The stream has ended: appends its tail, then is ready for a new stream, as after reset().
  void flush(std::vector<std::int16_t>& out);

  // Forgets the stream so far; the next sample is the first of a new one.
  void reset();

  [[nodiscard]] std::uint32_t from_hz() const { return from_hz_; }
  [[nodiscard]] std::uint32_t to_hz() const { return to_hz_; }

 private:
  struct Destroy {
    void operator()(SpeexResamplerState_* state) const;
  };
  using State = std::unique_ptr<SpeexResamplerState_, Destroy>;

  Resampler(std::uint32_t from_hz, std::uint32_t to_hz, State state);
  [[nodiscard]] bool passes() const { return !state_ && !table_; }
  [[nodiscard]] std::uint64_t look_ahead() const;
  void convert(std::span<const std::int16_t> in, std::vector<std::int16_t>& out);

  std::uint32_t from_hz_;
  std::uint32_t to_hz_;
  std::optional<Polyphase> table_;  // of rates in a small ratio
  State state_;                     // of others
  std::uint64_t taken_ = 0;         // samples of this stream that came in
  std::uint64_t given_ = 0;         // samples of this stream that went out
};

// A whole recording at once. Errors: as Resampler::create.
[[nodiscard]] Result<std::vector<std::int16_t>> resample(std::span<const std::int16_t> in,
                                                         std::uint32_t from_hz,
                                                         std::uint32_t to_hz);

}  // namespace gadget::media
