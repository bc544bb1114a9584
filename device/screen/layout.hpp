// layout.hpp - a text as lines of at most so many pixels, and as pages of so many lines. Lines are
// found one after the other while drawing: nothing is stored, nothing is copied, a line is a view
// into the text.
//
// Lines end at line feeds, after spaces and hyphens, and between characters of scripts without
// spaces (CJK), where none begins with a small kana or a closing mark, nor ends with an opening
// one. A word that is longer than a line is broken between two clusters (cluster.hpp). A cluster
// wider than the line stands alone on it, so that the text always goes on. No heap; safe from any
// thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "device/screen/font.hpp"

namespace gadget::device::screen {

struct Line {
  std::string_view text;  // without the spaces at which it was wrapped
  bool goes_on = false;   // the next line continues the same word
  std::size_t end = 0;    // where the next line begins in the text
};

class Lines {
 public:
  Lines(std::string_view text, const Font& font, int width)
      : text_(text), font_(font), width_(width) {}

  // The next line into `line`; false at the end of the text. An empty text has no lines.
  bool next(Line& line);

 private:
  std::string_view text_;
  Font font_;
  int width_;
  std::size_t at_ = 0;
};

// How many lines `text` takes, counting no further than `limit`.
[[nodiscard]] int count_lines(std::string_view text, const Font& font, int width,
                              int limit = 0x7FFF);

// How many pages of `lines_a_page` lines; at least 1.
[[nodiscard]] int count_pages(std::string_view text, const Font& font, int width, int lines_a_page);

}  // namespace gadget::device::screen
