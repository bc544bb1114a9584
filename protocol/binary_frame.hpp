// binary_frame.hpp - the 4-byte header that every binary WebSocket message starts with (T5).
//
//   offset 0  u8      channel   1 audio, 2 image, 3 firmware
//   offset 1  u8      stream    from the matching *.start or ota.offer
//   offset 2  u16 LE  sequence  wraps at 65535
//   offset 4  ...     payload   borrowed: valid as long as the bytes it was decoded from
//
// No allocation, no I/O; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/error.hpp"
#include "protocol/limits.hpp"

namespace gadget::protocol {

enum class Channel : std::uint8_t { audio = 1, image = 2, firmware = 3 };

struct BinaryFrame {
  Channel channel = Channel::audio;
  std::uint8_t stream = 0;
  std::uint16_t sequence = 0;
  std::span<const std::byte> payload;
};

// Decodes one binary message. Errors: `too_short` below 4 bytes (malformed), `unknown_channel`
// (dropped, E1).
[[nodiscard]] Expected<BinaryFrame> decode_frame(std::span<const std::byte> message);

// Writes the header of `frame` into the first 4 bytes of `out`. REQUIRES: out.size() >=
// kFrameHeaderBytes.
void encode_header(const BinaryFrame& frame, std::span<std::byte> out);

// The signed distance from `from` to `to` on the 16-bit circle: 1 is the next frame, 0 a repeat,
// negative late.
[[nodiscard]] constexpr std::int16_t sequence_distance(std::uint16_t from, std::uint16_t to) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(to - from));
}

}  // namespace gadget::protocol
