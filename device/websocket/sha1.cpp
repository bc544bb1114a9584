#include "device/websocket/sha1.hpp"

#include <bit>

namespace gadget::device::websocket {
namespace {

constexpr std::size_t kRounds = 80;
constexpr std::size_t kBlockWords = 16;
constexpr std::size_t kEndBytes = 9;  // a one bit, and the size in bits

constexpr std::array<std::uint32_t, 4> kConstants{0x5A827999U, 0x6ED9EBA1U, 0x8F1BBCDCU,
                                                  0xCA62C1D6U};

using State = std::array<std::uint32_t, 5>;

// One of the eighty steps; `quarter` says with which function and constant.
void mix(State& v, std::uint32_t word, std::size_t quarter) {
  const std::uint32_t b = v[1];
  const std::uint32_t c = v[2];
  const std::uint32_t d = v[3];
  std::uint32_t mixed = b ^ c ^ d;
  if (quarter == 0) mixed = d ^ (b & (c ^ d));
  if (quarter == 2) mixed = (b & c) | (d & (b | c));
  const std::uint32_t next = std::rotl(v[0], 5) + mixed + kConstants[quarter] + v[4] + word;
  v[4] = d;
  v[3] = c;
  v[2] = std::rotl(b, 30);
  v[1] = v[0];
  v[0] = next;
}

// Byte `at` of the text as it is padded, but for its size at the very end.
std::uint32_t padded(std::string_view text, std::size_t at) {
  if (at == text.size()) return 0x80;
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0U;
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  std::array<std::uint32_t, kRounds> w;  // NOLINT: filled below
  State state = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  const std::size_t words =
      text.size() + kEndBytes <= 4 * kBlockWords ? kBlockWords : 2 * kBlockWords;
  std::size_t at = 0;
  for (std::size_t block = 0; block < words; block += kBlockWords) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      std::uint32_t word = 0;
      if (i >= kBlockWords) {
        word = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
      } else {
        for (int k = 0; k < 4; ++k) word = word << 8U | padded(text, at++);
        if (at == 4 * words) word = static_cast<std::uint32_t>(text.size() * 8);
      }
      w[i] = word;
    }
    State v = state;
    for (std::size_t i = 0; i < kRounds; ++i) mix(v, w[i], i / 20);
    for (std::size_t i = 0; i < v.size(); ++i) state[i] += v[i];
  }
  std::array<std::uint8_t, 20> digest;  // NOLINT: filled below
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace gadget::device::websocket
