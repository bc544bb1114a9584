// utf8.hpp - one character of a text at a time, whatever bytes the text has. No heap, no errors:
// bytes that are no UTF-8 come out as U+FFFD, one a byte, so that drawing them shows a box and
// nothing ever stands still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gadget::device::screen {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0 only at the end of the text
};

// Parts of a text. REQUIRES: from + size <= text.size(). (substr would link the machinery of
// exceptions.)
[[nodiscard]] constexpr std::string_view part(std::string_view text, std::size_t from,
                                              std::size_t size) {
  return {text.data() + from, size};
}
[[nodiscard]] constexpr std::string_view part(std::string_view text, std::size_t from) {
  return part(text, from, text.size() - from);
}

// The character that `text` begins with.
[[nodiscard]] Character first_character(std::string_view text);

}  // namespace gadget::device::screen
