// utf8.hpp - UTF-8 decoded and encoded one code point at a time. No allocation but in append; safe
// from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gadget::media {

// What stands for bytes that are no UTF-8.
inline constexpr char32_t kReplacement = 0xFFFD;

// The code point at `at`, which moves behind it. A sequence that is invalid, overlong, a surrogate,
// beyond U+10FFFF or cut off gives kReplacement, once for its longest valid beginning. REQUIRES: at
// < text.size().
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);

// Appends one code point. REQUIRES: a scalar value.
void append_utf8(std::string& out, char32_t code_point);

[[nodiscard]] std::u32string to_code_points(std::string_view text);
[[nodiscard]] std::string to_utf8(std::u32string_view text);

// Whether `byte` continues a character (10xxxxxx).
[[nodiscard]] constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The largest boundary of a character that is not beyond `at`.
[[nodiscard]] std::size_t boundary_before(std::string_view text, std::size_t at);

[[nodiscard]] bool is_ascii(std::string_view text);

}  // namespace gadget::media
