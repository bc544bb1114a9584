#include "protocol/audio_assembler.hpp"

#include <algorithm>
#include <bit>

#include "protocol/binary_frame.hpp"
#include "protocol/limits.hpp"

namespace gadget::protocol {

AudioAssembler::Step AudioAssembler::push(std::uint16_t sequence,
                                          std::span<const std::byte> payload) {
  Step step;
  if (started_) {
    const std::int16_t distance = sequence_distance(last_, sequence);
    if (distance == 0) {
      ++counters_.repeated;
      return step;
    }
    if (distance < 0) {
      ++counters_.late;
      return step;
    }
    if (distance > 1) {
      const auto missing = static_cast<std::uint32_t>(distance - 1);
      counters_.lost += missing;
      counters_.odd_bytes += has_half_ ? 1U : 0U;
      has_half_ = false;
      // Half of 2^16 frames of at most kMaxBinaryBytes: 32 bits are enough.
      const std::size_t wanted = std::size_t{missing} * payload.size() / 2;
      const std::size_t most = std::size_t{rate_hz_} * std::size_t{kMaxGapFillMs} / 1'000;
      step.silence_samples = static_cast<std::uint32_t>(std::min(wanted, most));
      counters_.filled_samples += step.silence_samples;
    }
  }
  started_ = true;
  last_ = sequence;
  if (payload.empty()) return step;
  if (has_half_) {
    const std::array<std::byte, 2> whole{half_, payload.front()};
    step.has_carried = true;
    step.carried = sample_at(whole, 0);
    has_half_ = false;
    payload = payload.subspan(1);
  }
  if (payload.size() % 2 != 0) {
    half_ = payload.back();
    has_half_ = true;
    payload = payload.first(payload.size() - 1);
  }
  step.samples = payload;
  return step;
}

void AudioAssembler::finish() {
  counters_.odd_bytes += has_half_ ? 1U : 0U;
  has_half_ = false;
}

void decode_samples(std::span<const std::byte> bytes, std::span<std::int16_t> out) {
  const std::size_t count = bytes.size() / 2;
  if constexpr (std::endian::native == std::endian::little) {
    const auto whole = bytes.first(2 * count);
    std::copy(whole.begin(), whole.end(), std::as_writable_bytes(out).begin());
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = sample_at(bytes, i);
  }
}

void encode_samples(std::span<const std::int16_t> samples, std::span<std::byte> out) {
  if constexpr (std::endian::native == std::endian::little) {
    const auto bytes = std::as_bytes(samples);
    std::copy(bytes.begin(), bytes.end(), out.begin());
  } else {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto value = static_cast<std::uint16_t>(samples[i]);
      out[2 * i] = static_cast<std::byte>(value & 0xFFU);
      out[2 * i + 1] = static_cast<std::byte>(value >> 8U);
    }
  }
}

}  // namespace gadget::protocol
