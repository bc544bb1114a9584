#include "protocol/base64.hpp"

#include <array>
#include <cstdint>

namespace gadget::protocol {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// 0 to 63, or a value with bit 6 set for what is no base64 character. Keys pass through here: no
// table look-ups that a cache could betray, no early exit.
[[nodiscard]] std::uint32_t value_of(char c) {
  const auto in = [c](char low, char high) -> std::uint32_t {
    return c >= low && c <= high ? 0xFFFFFFFFU : 0U;
  };
  const auto code = static_cast<std::uint32_t>(static_cast<unsigned char>(c));
  const std::uint32_t upper = in('A', 'Z');
  const std::uint32_t lower = in('a', 'z');
  const std::uint32_t digit = in('0', '9');
  const std::uint32_t plus = in('+', '+');
  const std::uint32_t slash = in('/', '/');
  const std::uint32_t value = (upper & (code - 'A')) | (lower & (code - 'a' + 26U)) |
                              (digit & (code - '0' + 52U)) | (plus & 62U) | (slash & 63U);
  return value | (~(upper | lower | digit | plus | slash) & 0x40U);
}

}  // namespace

std::string_view base64_encode(std::span<const std::byte> bytes, std::span<char> out) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = std::to_integer<std::uint32_t>(bytes[i]) << 16U;
    if (have > 1) group |= std::to_integer<std::uint32_t>(bytes[i + 1]) << 8U;
    if (have > 2) group |= std::to_integer<std::uint32_t>(bytes[i + 2]);
    out[size++] = kAlphabet[(group >> 18U) & 63U];
    out[size++] = kAlphabet[(group >> 12U) & 63U];
    out[size++] = have > 1 ? kAlphabet[(group >> 6U) & 63U] : '=';
    out[size++] = have > 2 ? kAlphabet[group & 63U] : '=';
  }
  return {out.data(), size};
}

Expected<void> base64_decode(std::string_view text, std::span<std::byte> out) {
  if (text.size() != base64_chars(out.size())) return error(ErrorCode::bad_base64);
  const std::size_t chars = (out.size() * 8 + 5) / 6;  // the rest is padding
  std::uint32_t bad = 0;
  std::uint32_t bits = 0;  // that make no whole byte yet
  std::size_t have = 0;    // how many
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= chars) {
      bad |= text[i] == '=' ? 0U : 1U;
      continue;
    }
    const std::uint32_t value = value_of(text[i]);
    bad |= value & 0x40U;
    bits = (bits << 6U) | (value & 63U);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out[size++] = static_cast<std::byte>(bits >> have);
    bits &= (1U << have) - 1U;
  }
  bad |= bits;  // the unused bits are zero
  if (bad != 0) return error(ErrorCode::bad_base64);
  return {};
}

}  // namespace gadget::protocol
