// cluster.hpp - what a person sees as one character of a text: a letter with the marks that combine
// with it, an emoji with all that is joined to it, a flag. Nothing is ever split inside one.
//
// A rule of thumb of a few ranges instead of the tables of Unicode: what it does not know stands
// alone, and nothing is ever lost. No heap; safe from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gadget::device::screen {

struct Cluster {
  char32_t code = 0;      // the character that it begins with
  std::size_t first = 0;  // bytes of that
  std::size_t bytes = 0;  // of all; 0 only at the end of the text
};

// The cluster that `text` begins with.
[[nodiscard]] Cluster first_cluster(std::string_view text);

// Combines with the letter before it (U+0300-036F and their like): stands nowhere by itself.
[[nodiscard]] bool is_mark(char32_t code);

// Has neither width nor picture.
[[nodiscard]] bool is_invisible(char32_t code);

}  // namespace gadget::device::screen
