#include "device/websocket/sha1.hpp"

#include <bit>

namespace gadget::device::websocket {
namespace {

using State = std::array<std::uint32_t, 5>;

void add_block(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 4; ++j) w[i] = w[i] << 8U | block[4 * i + j];
  }
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0;
    if (i < 20) {
      mixed = ((b & c) | (~b & d)) + 0x5A827999U;
    } else if (i < 40) {
      mixed = (b ^ c ^ d) + 0x6ED9EBA1U;
    } else if (i < 60) {
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
    } else {
      mixed = (b ^ c ^ d) + 0xCA62C1D6U;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  // The text, a one bit, zeros, and its length in bits: one or two blocks.
  std::array<std::uint8_t, 128> padded{};
  const std::size_t size = text.size() < kSha1TextBytes ? text.size() : kSha1TextBytes;
  for (std::size_t i = 0; i < size; ++i) padded[i] = static_cast<std::uint8_t>(text[i]);
  padded[size] = 0x80;
  const std::size_t end = size + 9 <= 64 ? 64 : 128;
  padded[end - 1] = static_cast<std::uint8_t>(size * 8);
  padded[end - 2] = static_cast<std::uint8_t>(size * 8 >> 8U);

  State state = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  for (std::size_t at = 0; at < end; at += 64) add_block(state, padded.data() + at);
  std::array<std::uint8_t, 20> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace gadget::device::websocket
