#include "protocol/binary_frame.hpp"

namespace gadget::protocol {

Expected<BinaryFrame> decode_frame(std::span<const std::byte> message) {
  if (message.size() < kFrameHeaderBytes) return error(ErrorCode::too_short);
  const auto channel = std::to_integer<std::uint8_t>(message[0]);
  if (channel < 1 || channel > 3) return error(ErrorCode::unknown_channel);
  const auto low = std::to_integer<std::uint16_t>(message[2]);
  const auto high = std::to_integer<std::uint16_t>(message[3]);
  return BinaryFrame{static_cast<Channel>(channel), std::to_integer<std::uint8_t>(message[1]),
                     static_cast<std::uint16_t>(low | (high << 8)),
                     message.subspan(kFrameHeaderBytes)};
}

void encode_header(const BinaryFrame& frame, std::span<std::byte> out) {
  out[0] = static_cast<std::byte>(frame.channel);
  out[1] = static_cast<std::byte>(frame.stream);
  out[2] = static_cast<std::byte>(frame.sequence & 0xFFU);
  out[3] = static_cast<std::byte>(frame.sequence >> 8U);
}

}  // namespace gadget::protocol
