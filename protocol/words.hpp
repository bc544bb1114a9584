// words.hpp - texts of the code's own that stand one after the other, each with its own end:
// "red\0" "green\0" "blue\0". A table of them takes eight bytes a text more on an ARM.
//
// No allocation, no I/O; safe from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gadget::protocol {

// The text after `index` others. REQUIRES: there is one.
[[nodiscard]] const char* text_at(const char* texts, std::size_t index);

// How many there are, for a static_assert beside the enum that they name.
template <std::size_t Size>
[[nodiscard]] constexpr std::size_t texts_in(const char (&texts)[Size]) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < Size; ++i) count += texts[i] == '\0' ? 1U : 0U;
  return count;
}

// Not starts_with: the library's links the machinery of exceptions.
[[nodiscard]] bool begins_with(const std::string_view& text, const char* beginning);

}  // namespace gadget::protocol
