// frame_header.hpp - inside wire/: the header of a whole message that a server sends (RFC
// 6455, 5.2): one frame, not masked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/websocket.hpp"

namespace gadget::wire {

class FrameHeader {
 public:
  FrameHeader(MessageKind kind, std::size_t size) {
    constexpr std::size_t kSmall = 125, kMedium = 65'535;  // beyond: 2 and 8 bytes of length
    bytes_[0] = static_cast<char>(0x80U | (kind == MessageKind::text ? 1U : 2U));
    if (size <= kSmall) {
      bytes_[1] = static_cast<char>(size);
      return;
    }
    const std::size_t length_bytes = size <= kMedium ? 2 : 8;
    bytes_[1] = static_cast<char>(size <= kMedium ? 126 : 127);
    for (std::size_t i = 0; i < length_bytes; ++i) {
      bytes_[1 + length_bytes - i] = static_cast<char>((std::uint64_t{size} >> (8 * i)) & 0xffU);
    }
    count_ += length_bytes;
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), count_}; }

 private:
  std::array<char, 10> bytes_{};
  std::size_t count_ = 2;
};

}  // namespace gadget::wire
