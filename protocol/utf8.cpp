#include "protocol/utf8.hpp"

#include <algorithm>

namespace gadget::protocol {
namespace {

[[nodiscard]] bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// How long the character is that begins with this byte; 0: none does.
[[nodiscard]] std::size_t bytes_by_lead(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

}  // namespace

std::size_t utf8_character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = bytes_by_lead(first);
  if (size == 1) return 1;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // a surrogate
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return size;
}

bool utf8_is_cut(std::string_view text) {
  if (text.empty() || text.size() >= bytes_by_lead(static_cast<unsigned char>(text[0]))) {
    return false;
  }
  return std::all_of(text.begin() + 1, text.end(), continues);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += continues(c) ? 0U : 1U;
  return count;
}

std::string_view cut_code_points(std::string_view text, std::size_t max) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (count == max) return text.substr(0, i);
    ++count;
  }
  return text;
}

std::string_view cut_bytes(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && continues(text[end])) --end;
  return text.substr(0, end);
}

std::size_t encode_utf8(std::uint32_t code_point, std::span<char> out) {
  const auto byte = [](std::uint32_t value) {
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  if (code_point < 0x80) {
    out[0] = byte(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = byte(0xC0U | (code_point >> 6U));
    out[1] = byte(0x80U | (code_point & 0x3FU));
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = byte(0xE0U | (code_point >> 12U));
    out[1] = byte(0x80U | ((code_point >> 6U) & 0x3FU));
    out[2] = byte(0x80U | (code_point & 0x3FU));
    return 3;
  }
  out[0] = byte(0xF0U | (code_point >> 18U));
  out[1] = byte(0x80U | ((code_point >> 12U) & 0x3FU));
  out[2] = byte(0x80U | ((code_point >> 6U) & 0x3FU));
  out[3] = byte(0x80U | (code_point & 0x3FU));
  return 4;
}

}  // namespace gadget::protocol
