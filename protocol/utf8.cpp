#include "protocol/utf8.hpp"

#include <algorithm>

namespace gadget::protocol {
namespace {

[[nodiscard]] bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

bool Utf8Check::take(std::byte byte) {
  const auto value = static_cast<std::uint8_t>(byte);
  if (missing_ == 0) {
    if (value < 0x80) return true;
    low_ = 0x80;
    high_ = 0xBF;
    if (value >= 0xC2 && value <= 0xDF) {
      missing_ = 1;
    } else if (value >= 0xE0 && value <= 0xEF) {
      missing_ = 2;
      if (value == 0xE0) low_ = 0xA0;   // below: overlong
      if (value == 0xED) high_ = 0x9F;  // above: surrogates
    } else if (value >= 0xF0 && value <= 0xF4) {
      missing_ = 3;
      if (value == 0xF0) low_ = 0x90;   // below: overlong
      if (value == 0xF4) high_ = 0x8F;  // above: beyond U+10FFFF
    } else {
      return false;
    }
    begun_ = 1;
    return true;
  }
  if (value < low_ || value > high_) return false;
  low_ = 0x80;
  high_ = 0xBF;
  --missing_;
  begun_ = missing_ == 0 ? 0 : static_cast<std::uint8_t>(begun_ + 1);
  return true;
}

std::size_t utf8_character_bytes(std::string_view text) {
  Utf8Check check;
  for (std::size_t i = 0; i < text.size() && check.take(static_cast<std::byte>(text[i])); ++i) {
    if (check.at_boundary()) return i + 1;
  }
  return 0;
}

bool utf8_is_cut(std::string_view text) {
  Utf8Check check;
  for (const char c : text) {
    if (!check.take(static_cast<std::byte>(c)) || check.at_boundary()) return false;
  }
  return !text.empty();
}

bool is_utf8(const std::string_view& text) {
  Utf8Check check;
  for (const char c : text) {
    if (!check.take(static_cast<std::byte>(c))) return false;
  }
  return check.at_boundary();
}

std::size_t code_points(const std::string_view& text) {
  std::size_t count = 0;
  for (const char c : text) count += continues(c) ? 0U : 1U;
  return count;
}

std::string_view cut_code_points(std::string_view text, std::size_t max) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (count == max) return {text.data(), i};
    ++count;
  }
  return text;
}

std::string_view cut_bytes(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && continues(text[end])) --end;
  return {text.data(), end};
}

std::size_t copy_cut(const std::string_view& text, std::span<char> out) {
  const auto kept = cut_bytes(text, out.size());
  std::copy(kept.begin(), kept.end(), out.begin());
  return kept.size();
}

std::size_t encode_utf8(std::uint32_t code_point, std::span<char> out) {
  const auto byte = [](std::uint32_t value) {
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  const std::size_t size = code_point < 0x80      ? 1
                           : code_point < 0x800   ? 2
                           : code_point < 0x10000 ? 3
                                                  : 4;
  for (std::size_t i = size; --i > 0; code_point >>= 6U) {
    out[i] = byte(0x80U | (code_point & 0x3FU));
  }
  // Before what is left of it, as many ones as there are bytes, and a zero.
  out[0] = byte(size == 1 ? code_point : (0xF00U >> size & 0xFFU) | code_point);
  return size;
}

}  // namespace gadget::protocol
