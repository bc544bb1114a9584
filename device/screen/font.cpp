#include "device/screen/font.hpp"

#include <algorithm>

#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr char32_t kFirstAscii = 0x20;
constexpr char32_t kLastAscii = 0x7E;

struct Found {
  const Glyph* glyph = nullptr;  // null: the font lacks it
  const std::uint8_t* bits = nullptr;
};

Found find(const Font& font, char32_t code) {
  if (code >= kFirstAscii && code <= kLastAscii) {
    const Glyph& glyph = font.ascii->glyphs[code - kFirstAscii];
    return {&glyph, font.ascii->bits + glyph.offset};
  }
  if (font.more == nullptr || code > 0xFFFF) return {};
  const std::uint16_t* const end = font.more->codes + font.more->count;
  const std::uint16_t* const at = std::lower_bound(font.more->codes, end, code);
  if (at == end || *at != code) return {};
  const Glyph& glyph = font.more->glyphs[at - font.more->codes];
  return {&glyph, font.more->bits + glyph.offset};
}

bool zero_width(char32_t code) {
  return (code >= 0x200B && code <= 0x200D) || code == 0x2060 || code == 0xFE0F || code == 0xFEFF ||
         code == 0xAD || code == U'\r';
}

// The box that stands for a character which the font lacks: as high as a capital, a pixel of air on
// both sides.
int box_width(const Font& font) { return font.capital() * 2 / 3; }

int advance_of(const Font& font, const Glyph* glyph) {
  return glyph != nullptr ? glyph->advance : box_width(font) + 2;
}

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {kReplacement, 1};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {kReplacement, 1};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {kReplacement, 1};
  return {code, length};
}

int advance(const Font& font, char32_t code) {
  if (zero_width(code)) return 0;
  if (code == U'\t') code = U' ';
  return advance_of(font, find(font, code).glyph);
}

int text_width(const Font& font, std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += advance(font, character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::size_t fitting(const Font& font, std::string_view text, int width) {
  std::size_t bytes = 0;
  int used = 0;
  while (bytes < text.size()) {
    const Character character = first_character(part(text, bytes));
    used += advance(font, character.code);
    if (used > width) break;
    bytes += character.bytes;
  }
  return bytes;
}

void draw_text(Canvas& canvas, const Font& font, int x, int y, std::string_view text,
               Colour colour) {
  const int base = y + font.ascent();
  while (!text.empty() && x < canvas.clip().right()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes);
    if (zero_width(character.code)) continue;
    const char32_t code = character.code == U'\t' ? U' ' : character.code;
    const Found found = find(font, code);
    if (found.glyph != nullptr) {
      const Glyph& glyph = *found.glyph;
      canvas.glyph(x + glyph.left, base - glyph.top, glyph.width, glyph.height, found.bits,
                   font.ascii->depth, colour);
    } else {
      canvas.rounded_frame({x + 1, base - font.capital(), box_width(font), font.capital()}, 0, 1,
                           colour);
    }
    x += advance_of(font, found.glyph);
  }
}

}  // namespace gadget::device::screen
