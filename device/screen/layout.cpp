#include "device/screen/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "device/screen/cluster.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

bool is_space(char32_t code) {
  return code == U' ' || code == U'\t' || code == U'\r' || code == 0x200B || code == 0x3000;
}

// Scripts that are written without spaces: a line may end before and after each character.
bool is_ideographic(char32_t code) {
  return (code >= 0x2E80 && code <= 0xA4CF) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFF00 && code <= 0xFFEF) || (code >= 0x20000 && code <= 0x3FFFF);
}

// What no line of those scripts may begin with: closing marks, small kana, what repeats or
// lengthens. Sorted.
constexpr std::uint16_t kNeverFirst[] = {
    0x21,   0x25,   0x29,   0x2C,   0x2E,   0x3A,   0x3B,   0x3F,   0x5D,   0x7D,   0xB0,   0xBB,
    0x2010, 0x2013, 0x2019, 0x201D, 0x2025, 0x2026, 0x2030, 0x2103, 0x3001, 0x3002, 0x3005, 0x3009,
    0x300B, 0x300D, 0x300F, 0x3011, 0x3015, 0x3017, 0x3019, 0x301C, 0x301F, 0x303B, 0x3041, 0x3043,
    0x3045, 0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x308E, 0x3095, 0x3096, 0x309B, 0x309C,
    0x309D, 0x309E, 0x30A0, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5, 0x30E7,
    0x30EE, 0x30F5, 0x30F6, 0x30FB, 0x30FC, 0x30FD, 0x30FE, 0xFF01, 0xFF05, 0xFF09, 0xFF0C, 0xFF0E,
    0xFF1A, 0xFF1B, 0xFF1F, 0xFF3D, 0xFF5D, 0xFF5E, 0xFF60, 0xFF61, 0xFF63, 0xFF64, 0xFF65, 0xFF67,
    0xFF68, 0xFF69, 0xFF6A, 0xFF6B, 0xFF6C, 0xFF6D, 0xFF6E, 0xFF6F, 0xFF70, 0xFF9E, 0xFF9F};
// What none may end with: opening marks and signs of money. Sorted.
constexpr std::uint16_t kNeverLast[] = {0x24,   0x28,   0x5B,   0x7B,   0xA3,   0xA5,   0xAB,
                                        0x2018, 0x201C, 0x3008, 0x300A, 0x300C, 0x300E, 0x3010,
                                        0x3014, 0x3016, 0x3018, 0x301D, 0xFF04, 0xFF08, 0xFF3B,
                                        0xFF5B, 0xFF5F, 0xFF62, 0xFFE1, 0xFFE5};

template <std::size_t Size>
constexpr bool sorted(const std::uint16_t (&codes)[Size]) {
  for (std::size_t i = 1; i < Size; ++i) {
    if (codes[i - 1] >= codes[i]) return false;
  }
  return true;
}
static_assert(sorted(kNeverFirst) && sorted(kNeverLast));

bool is_among(std::span<const std::uint16_t> codes, char32_t code) {
  return std::binary_search(codes.begin(), codes.end(), code);
}

// Whether a line may end between these two, at least one of them of a script without spaces.
bool may_part(char32_t before, char32_t code) {
  return (is_ideographic(before) || is_ideographic(code)) && !is_among(kNeverFirst, code) &&
         !is_among(kNeverLast, before);
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
    const Cluster character = first_cluster(part(text_, at));
    if (character.code == U'\n') {
      line = {part(text_, begin, seen_end - begin), false, at + 1};
      at_ = line.end;
      return true;
    }
    const bool space = is_space(character.code);
    const bool may_break = (is_space(before) && !space) || (breaks_after(before) && !space) ||
                           may_part(before, character.code);
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
