#include "device/websocket/sha1.hpp"

#include <bit>

namespace gadget::device::websocket {
namespace {

using State = std::array<std::uint32_t, 5>;

void add_block(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 16> w{};  // the last sixteen words of the schedule
  for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8U | block[i];
  State v = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t& word = w[i % 16];
    if (i >= 16) word = std::rotl(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ word, 1);
    const std::uint32_t b = v[1];
    const std::uint32_t c = v[2];
    const std::uint32_t d = v[3];
    std::uint32_t mixed = (b ^ c ^ d) + (i < 40 ? 0x6ED9EBA1U : 0xCA62C1D6U);
    if (i < 20) mixed = ((b & c) | (~b & d)) + 0x5A827999U;
    if (i >= 40 && i < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
    const std::uint32_t next = std::rotl(v[0], 5) + mixed + v[4] + word;
    v = {next, v[0], std::rotl(b, 30), c, d};
  }
  for (std::size_t i = 0; i < v.size(); ++i) state[i] += v[i];
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
