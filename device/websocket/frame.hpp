// frame.hpp - the header of a WebSocket frame, byte by byte.
//
// No allocation, no I/O; safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gadget::device::websocket {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

[[nodiscard]] constexpr bool is_control(Opcode opcode) {
  return (static_cast<unsigned>(opcode) & 8U) != 0;
}

// A control frame carries no more (RFC 6455, 5.5).
inline constexpr std::size_t kControlBytes = 125;
inline constexpr std::size_t kMaxHeaderBytes = 14;

struct FrameHeader {
  bool fin = false;
  Opcode opcode = Opcode::continuation;
  std::uint64_t size = 0;
};

// Takes header bytes of frames that a server sent, one at a time.
class HeaderReader {
 public:
  enum class Step : std::uint8_t { more, complete, fault };
  // `fault`: reserved bits or opcodes, masked, a control frame that is fragmented or too long, a
  // length that is not in its shortest form or has its highest bit set.
  [[nodiscard]] Step take(std::byte byte);
  // The one that is complete, until the next byte is taken.
  [[nodiscard]] const FrameHeader& header() const { return header_; }
  void reset() { taken_ = 0; }

 private:
  FrameHeader header_;
  std::uint8_t taken_ = 0;
  std::uint8_t length_bytes_ = 0;
};

// Writes the header of a masked frame (a client's). Returns its size.
std::size_t encode_header(Opcode opcode, bool fin, std::size_t size,
                          std::span<const std::byte, 4> mask,
                          std::span<std::byte, kMaxHeaderBytes> out);

// Whether a peer may send this close code (RFC 6455, 7.4).
[[nodiscard]] constexpr bool is_close_code(std::uint16_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

}  // namespace gadget::device::websocket
