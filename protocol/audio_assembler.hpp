// audio_assembler.hpp - audio frames of one stream, put back together (T6, E17): the same rules up
// and down.
//
// Frames come with sequence numbers over a transport that keeps order, from peers that do not
// always. What comes out is whole samples: gaps are silence, repeats and late frames are gone, an
// odd byte waits for the next frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gadget::protocol {

class AudioAssembler {
 public:
  struct Counters {
    std::uint32_t repeated = 0;        // same number as the frame before: dropped
    std::uint32_t late = 0;            // behind, or a jump of 32,768 or more: dropped
    std::uint32_t lost = 0;            // frames missing in gaps
    std::uint32_t odd_bytes = 0;       // half samples discarded at a gap or at the end
    std::uint64_t filled_samples = 0;  // silence put where frames were lost
  };

  // What one frame adds: silence first, then `payload`'s samples.
  struct Step {
    std::uint32_t silence_samples = 0;
    bool has_carried = false;  // `carried` is a whole sample that began in the frame before
    std::int16_t carried = 0;
    std::span<const std::byte> samples;  // whole samples, s16le, borrowed from the payload
  };

  explicit AudioAssembler(std::uint32_t rate_hz) : rate_hz_(rate_hz) {}

  // Takes the next frame of the stream, in arrival order.
  [[nodiscard]] Step push(std::uint16_t sequence, std::span<const std::byte> payload);

  // The stream is complete: a half sample that waits is discarded.
  void finish();

  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  std::uint32_t rate_hz_;
  bool started_ = false;
  std::uint16_t last_ = 0;
  bool has_half_ = false;
  std::byte half_{};
  Counters counters_;
};

// Sample `index` of s16le bytes. REQUIRES: 2 * index + 1 < bytes.size().
[[nodiscard]] constexpr std::int16_t sample_at(std::span<const std::byte> bytes,
                                               std::size_t index) {
  const auto low = std::to_integer<std::uint16_t>(bytes[2 * index]);
  const auto high = std::to_integer<std::uint16_t>(bytes[2 * index + 1]);
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(low | (high << 8)));
}

// Reads whole samples of s16le bytes; an odd byte at the end is left. REQUIRES: out.size() >=
// bytes.size() / 2.
void decode_samples(std::span<const std::byte> bytes, std::span<std::int16_t> out);

// Writes samples as s16le. REQUIRES: out.size() >= 2 * samples.size().
void encode_samples(std::span<const std::int16_t> samples, std::span<std::byte> out);

}  // namespace gadget::protocol
