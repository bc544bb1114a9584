// word_errors.hpp - how many words a recognizer got wrong, counted the way people would.
//
// Both texts are normalised first: lower case, no punctuation, numerals as words, and spellings
// that sound the same as one ("o'clock", "per cent"). Then Levenshtein's distance in words. For
// `speech check`, bench and tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gadget::speech {

struct WordErrors {
  std::size_t wrong = 0;
  std::size_t words = 0;  // of what was said
  [[nodiscard]] double percent() const {
    return words == 0 ? 0 : 100.0 * static_cast<double>(wrong) / static_cast<double>(words);
  }
};

[[nodiscard]] std::vector<std::string> spoken_words(std::string_view text);
[[nodiscard]] WordErrors count_word_errors(std::string_view said, std::string_view heard);

}  // namespace gadget::speech
