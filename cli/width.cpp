#include "cli/width.hpp"

#include <algorithm>
#include <array>

#include "protocol/utf8.hpp"

namespace gadget::cli {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode 15, East Asian Width W and F, in blocks.
constexpr std::array kWide{
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x2329, 0x232a},
    Range{0x23e9, 0x23ec},   Range{0x25fd, 0x25fe},   Range{0x2614, 0x2615},
    Range{0x2648, 0x2653},   Range{0x26a1, 0x26a1},   Range{0x26bd, 0x26be},
    Range{0x2705, 0x2705},   Range{0x274c, 0x274c},   Range{0x2753, 0x2757},
    Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},   Range{0xa960, 0xa97f},
    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x16fe0, 0x1b2ff},
    Range{0x1f004, 0x1f004}, Range{0x1f18e, 0x1f19a}, Range{0x1f200, 0x1f320},
    Range{0x1f32d, 0x1f64f}, Range{0x1f680, 0x1f6ff}, Range{0x1f7e0, 0x1f7f0},
    Range{0x1f900, 0x1faff}, Range{0x20000, 0x3fffd}};
// Marks that combine, and variation selectors.
constexpr std::array kNone{Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},
                           Range{0x064b, 0x065f}, Range{0x0900, 0x0902}, Range{0x093c, 0x093c},
                           Range{0x0941, 0x0948}, Range{0x0e31, 0x0e31}, Range{0x0e34, 0x0e3a},
                           Range{0x0e47, 0x0e4e}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},
                           Range{0x20d0, 0x20ff}, Range{0x302a, 0x302d}, Range{0x3099, 0x309a},
                           Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0x1f3fb, 0x1f3ff}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t point) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), point,
                       [](char32_t p, const Range& range) { return p < range.first; });
  return after != ranges.begin() && point <= std::prev(after)->last;
}

char32_t point_of(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t point = byte(0) & (0x7fU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) point = (point << 6U) | (byte(i) & 0x3fU);
  return point;
}

std::size_t width_of(char32_t point) {
  if (is_in(kNone, point)) return 0;
  return is_in(kWide, point) ? 2 : 1;
}

// Takes the first character off; what is no UTF-8 counts byte by byte.
std::string_view take(std::string_view& text) {
  const std::size_t size = std::max<std::size_t>(1, protocol::utf8_character_bytes(text));
  const std::string_view character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) columns += width_of(point_of(take(text)));
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::string out;
  std::size_t taken = 0;
  while (!text.empty()) {
    const std::string_view character = take(text);
    taken += width_of(point_of(character));
    if (taken > columns - 1) break;
    out += character;
  }
  return out + "\xe2\x80\xa6";
}

}  // namespace gadget::cli
