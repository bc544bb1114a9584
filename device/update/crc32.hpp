// crc32.hpp - CRC-32 (IEEE 802.3), bit by bit: for a few bytes at a start or a change of a record.
// A header only, so that a boot loader needs no other file. No heap, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gadget::device {

// Of `bytes`, or of what had the sum `before` with `bytes` behind it.
[[nodiscard]] constexpr std::uint32_t crc32(std::span<const std::byte> bytes,
                                            std::uint32_t before = 0) {
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

}  // namespace gadget::device
