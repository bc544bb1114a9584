#include "device/screen/cluster.hpp"

#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kKeycap = 0x20E3;
// Longest cluster, in characters: a family of four has 11. Beyond, the next one begins, so that
// a text of nothing but marks stays cheap.
constexpr int kMaxCharacters = 16;

constexpr bool within(char32_t code, char32_t first, char32_t last) {
  return code - first <= last - first;
}

bool is_flag_letter(char32_t code) { return within(code, 0x1F1E6, 0x1F1FF); }

bool is_pictograph(char32_t code) {
  return within(code, 0x1F000, 0x1FAFF) || within(code, 0x2190, 0x2BFF);
}

// Changes the look of the emoji before it: colour of skin, tags of a flag, a key around it.
bool is_modifier(char32_t code) {
  return within(code, 0x1F3FB, 0x1F3FF) || within(code, 0xE0020, 0xE007F) || code == kKeycap;
}

}  // namespace

bool is_mark(char32_t code) {
  return within(code, 0x300, 0x36F) || within(code, 0x1AB0, 0x1AFF) ||
         within(code, 0x1DC0, 0x1DFF) || (within(code, 0x20D0, 0x20FF) && code != kKeycap) ||
         within(code, 0x3099, 0x309A) || within(code, 0xFE20, 0xFE2F);
}

bool is_invisible(char32_t code) {
  return within(code, 0x200B, 0x200D) || code == 0x2060 || within(code, 0xFE00, 0xFE0F) ||
         code == 0xFEFF || code == 0xAD || code == U'\r';
}

Cluster first_cluster(std::string_view text) {
  const Character base = first_character(text);
  Cluster cluster{base.code, base.bytes, base.bytes};
  if (base.code < U' ' || is_invisible(base.code)) return cluster;
  char32_t before = base.code;
  for (int count = 1; count < kMaxCharacters; ++count) {
    // Nothing of ASCII joins anything.
    if (cluster.bytes == text.size() || (text[cluster.bytes] & 0x80) == 0) break;
    const Character next = first_character(part(text, cluster.bytes));
    const bool flag = count == 1 && is_flag_letter(base.code) && is_flag_letter(next.code);
    const bool joined = before == kJoiner && is_pictograph(base.code) && is_pictograph(next.code);
    const bool goes_on = is_mark(next.code) || is_modifier(next.code) || next.code == kJoiner ||
                         within(next.code, 0xFE00, 0xFE0F);
    if (!(flag || joined || goes_on)) break;
    cluster.bytes += next.bytes;
    before = next.code;
  }
  return cluster;
}

}  // namespace gadget::device::screen
