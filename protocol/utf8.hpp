// utf8.hpp - UTF-8, checked and cut, for every text that crosses the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gadget::protocol {

// UTF-8 (RFC 3629) across any number of pieces: no overlong forms, no surrogates, nothing beyond
// U+10FFFF.
class Utf8Check {
 public:
  // False: what has come so far can be no text.
  [[nodiscard]] bool take(std::byte byte);
  // Whether the text may end here: not within a character.
  [[nodiscard]] bool at_boundary() const { return missing_ == 0; }
  // Bytes of the character that is not complete yet.
  [[nodiscard]] std::size_t partial() const { return begun_; }

 private:
  std::uint8_t missing_ = 0;
  std::uint8_t begun_ = 0;
  std::uint8_t low_ = 0;  // the range of the next byte, within a character
  std::uint8_t high_ = 0;
};

// The length in bytes of the valid character (RFC 3629) that `text` starts with; 0 when it starts
// with none.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text);

// Whether `text` is the beginning of a character, and nothing more.
[[nodiscard]] bool utf8_is_cut(std::string_view text);

[[nodiscard]] bool is_utf8(const std::string_view& text);

// Code points of a valid text.
[[nodiscard]] std::size_t code_points(const std::string_view& text);

// At most `max` code points of the text's beginning.
[[nodiscard]] std::string_view cut_code_points(std::string_view text, std::size_t max);

// At most `max_bytes` bytes of the text's beginning, cut at a character.
[[nodiscard]] std::string_view cut_bytes(std::string_view text, std::size_t max_bytes);

// Copies at most out.size() bytes of the text's beginning, cut at a character. Returns how many.
std::size_t copy_cut(const std::string_view& text, std::span<char> out);

// Writes a code point (at most 4 bytes). REQUIRES: out.size() >= 4. Returns how many.
std::size_t encode_utf8(std::uint32_t code_point, std::span<char> out);

}  // namespace gadget::protocol
