#include "device/websocket/frame.hpp"

namespace gadget::device::websocket {

HeaderReader::Step HeaderReader::take(std::byte byte) {
  const auto value = static_cast<std::uint8_t>(byte);
  if (taken_ == 0) {
    header_.size = 0;
    length_bytes_ = 0;
    header_.fin = (value & 0x80U) != 0;
    const auto opcode = static_cast<std::uint8_t>(value & 0x0FU);
    header_.opcode = static_cast<Opcode>(opcode);
    if ((value & 0x70U) != 0) return Step::fault;  // no extension is negotiated (T10)
    if ((opcode & 7U) > 2) return Step::fault;     // there are 0 to 2, and 8 to 10
    if (is_control(header_.opcode) && !header_.fin) return Step::fault;
    taken_ = 1;
    return Step::more;
  }
  if (taken_ == 1) {
    if ((value & 0x80U) != 0) return Step::fault;  // a server does not mask
    const auto size = static_cast<std::uint8_t>(value & 0x7FU);
    if (is_control(header_.opcode) && size > kControlBytes) return Step::fault;
    taken_ = 2;
    if (size == 126) length_bytes_ = 2;
    if (size == 127) length_bytes_ = 8;
    if (length_bytes_ > 0) return Step::more;
    header_.size = size;
    taken_ = 0;
    return Step::complete;
  }
  if (length_bytes_ == 8 && taken_ == 2 && (value & 0x80U) != 0) return Step::fault;
  header_.size = header_.size << 8U | value;
  ++taken_;
  if (taken_ < 2 + length_bytes_) return Step::more;
  taken_ = 0;
  const std::uint64_t least = length_bytes_ == 2 ? 126 : 65'536;
  return header_.size < least ? Step::fault : Step::complete;
}

std::size_t encode_header(Opcode opcode, bool fin, std::size_t size,
                          std::span<const std::byte, 4> mask,
                          std::span<std::byte, kMaxHeaderBytes> out) {
  const std::size_t length_bytes = size < 126 ? 0 : size < 65'536 ? 2 : 8;
  const std::size_t first = length_bytes == 0 ? size : length_bytes == 2 ? 126 : 127;
  out[0] = static_cast<std::byte>((fin ? 0x80U : 0U) | static_cast<unsigned>(opcode));
  out[1] = static_cast<std::byte>(0x80U | first);
  for (std::size_t i = length_bytes; i > 0; --i) {
    out[1 + i] = static_cast<std::byte>(size & 0xFFU);
    size >>= 8U;
  }
  for (std::size_t i = 0; i < mask.size(); ++i) out[2 + length_bytes + i] = mask[i];
  return 2 + length_bytes + mask.size();
}

}  // namespace gadget::device::websocket
