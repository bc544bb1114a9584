#include "device/screen/layout.hpp"

#include <algorithm>

#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

bool is_space(char32_t code) { return code == U' ' || code == U'\t' || code == U'\r'; }

// Scripts that are written without spaces: a line may end before and after each character.
bool is_ideographic(char32_t code) {
  return (code >= 0x2E80 && code <= 0xA4CF) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFF00 && code <= 0xFFEF) || (code >= 0x20000 && code <= 0x3FFFF);
}

// Closing marks of those scripts, which no line may begin with.
bool never_first(char32_t code) {
  return code == 0x3001 || code == 0x3002 || code == 0xFF0C || code == 0xFF0E || code == 0xFF01 ||
         code == 0xFF1F || code == 0x300D || code == 0xFF09 || code == 0x30FC;
}

bool breaks_after(char32_t code) { return code == U'-' || code == 0x2013 || code == 0x2014; }

}  // namespace

bool Lines::next(Line& line) {
  if (at_ >= text_.size()) return false;
  const std::size_t begin = at_;
  std::size_t seen_end = begin;   // end of what is visible so far, without trailing spaces
  std::size_t break_end = begin;  // visible end at the last place where the line may end
  std::size_t break_next = 0;     // where the next line would begin; 0: no such place yet
  int width = 0;
  char32_t before = U' ';
  std::size_t at = begin;
  while (at < text_.size()) {
    const Character character = first_character(part(text_, at));
    if (character.code == U'\n') {
      line = {part(text_, begin, seen_end - begin), false, at + 1};
      at_ = line.end;
      return true;
    }
    const bool space = is_space(character.code);
    const bool may_break = (is_space(before) && !space) || (breaks_after(before) && !space) ||
                           ((is_ideographic(before) || is_ideographic(character.code)) &&
                            !never_first(character.code));
    if (at > begin && may_break && seen_end > begin) {
      break_end = seen_end;
      break_next = at;
    }
    const int step = advance(font_, character.code);
    // Spaces at the end of a line may hang over: they are not drawn.
    if (!space && at > begin && width + step > width_) {
      if (seen_end == begin) {  // nothing but spaces so far: an empty line
        line = {part(text_, begin, 0), false, at};
      } else if (break_next != 0) {
        line = {part(text_, begin, break_end - begin), break_end == break_next, break_next};
      } else {
        line = {part(text_, begin, at - begin), true, at};
      }
      at_ = line.end;
      return true;
    }
    width += step;
    at += character.bytes;
    if (!space) seen_end = at;
    before = character.code;
  }
  line = {part(text_, begin, seen_end - begin), false, text_.size()};
  at_ = text_.size();
  return true;
}

int count_lines(std::string_view text, const Font& font, int width, int limit) {
  Lines lines(text, font, width);
  Line line;
  int count = 0;
  while (count < limit && lines.next(line)) ++count;
  return count;
}

int count_pages(std::string_view text, const Font& font, int width, int lines_a_page) {
  if (lines_a_page <= 0) return 1;
  return std::max(1, (count_lines(text, font, width) + lines_a_page - 1) / lines_a_page);
}

}  // namespace gadget::device::screen
