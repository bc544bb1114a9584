#include "device/screen/font.hpp"

#include <algorithm>
#include <array>

#include "device/screen/cluster.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr char32_t kFirstAscii = 0x20;
constexpr char32_t kLastAscii = 0x7E;

// One glyph, from whichever part has it.
struct Found {
  const Glyph* glyph = nullptr;
  const std::uint8_t* bits = nullptr;
  const std::uint64_t* wide = nullptr;
  [[nodiscard]] bool missing() const { return glyph == nullptr && wide == nullptr; }
};

// Where `code` is in sorted `codes`, or `count`.
std::size_t index_of(const std::uint16_t* codes, std::size_t count, char32_t code) {
  if (code > 0xFFFF) return count;
  const std::uint16_t* const at = std::lower_bound(codes, codes + count, code);
  return at != codes + count && *at == code ? static_cast<std::size_t>(at - codes) : count;
}

Found find(const Font& font, char32_t code) {
  if (code >= kFirstAscii && code <= kLastAscii) {
    const Glyph& glyph = font.ascii->glyphs[code - kFirstAscii];
    return {&glyph, font.ascii->bits + glyph.offset};
  }
  for (const FontPart* const more : {font.latin, font.greek_cyrillic}) {
    if (more == nullptr) continue;
    const std::size_t at = index_of(more->codes, more->count, code);
    if (at == more->count) continue;
    return {more->glyphs + at, more->bits + more->glyphs[at].offset};
  }
  if (font.wide != nullptr) {
    const std::size_t at = index_of(font.wide->codes, font.wide->count, code);
    if (at != font.wide->count) return {nullptr, nullptr, font.wide->rows + 4 * at};
  }
  return {};
}

// The box that stands for a character which the font lacks: as high as a capital, a pixel of air on
// both sides.
int box_width(const Font& font) { return font.capital() * 2 / 3; }

bool is_half_width(char32_t code) { return code >= 0xFF61 && code <= 0xFF9F; }

int advance_of(const Font& font, char32_t code, const Found& found) {
  if (found.glyph != nullptr) return found.glyph->advance;
  if (found.wide != nullptr) return is_half_width(code) ? kWideCell / 2 : kWideCell;
  return box_width(font) + 2;
}

void draw_wide(Canvas& canvas, int x, int y, const std::uint64_t* rows, Colour colour) {
  std::array<std::uint8_t, kWideCell * kWideCell / 8> bits;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint8_t>(rows[i / 8] >> (56 - i % 8 * 8));
  }
  canvas.glyph(x, y, kWideCell, kWideCell, bits.data(), 1, colour);
}

// What follows the first character of a cluster: marks, over the middle of it (or of the capital
// that it might be).
void draw_marks(Canvas& canvas, const Font& font, int middle, int base, std::string_view marks,
                Colour colour) {
  int lift = 0;
  while (!marks.empty()) {
    const Character mark = first_character(marks);
    marks.remove_prefix(mark.bytes);
    if (!is_mark(mark.code)) continue;
    const Found found = find(font, mark.code);
    if (found.glyph != nullptr) {
      const Glyph& glyph = *found.glyph;
      const bool above = glyph.top > 0;
      canvas.glyph(middle - glyph.width / 2, base - glyph.top - (above ? lift : 0), glyph.width,
                   glyph.height, found.bits, font.ascii->depth, colour);
      if (above) lift += glyph.height + 1;
    } else {
      canvas.rounded_frame({middle - 1, base - font.ascent() - lift, 3, 3}, 0, 1, colour);
      lift += 4;
    }
  }
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

bool has_glyph(const Font& font, char32_t code) { return !find(font, code).missing(); }

int advance(const Font& font, char32_t code) {
  if (is_invisible(code)) return 0;
  if (code == U'\t') code = U' ';
  return advance_of(font, code, find(font, code));
}

int text_width(const Font& font, std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Cluster cluster = first_cluster(text);
    width += advance(font, cluster.code);
    text.remove_prefix(cluster.bytes);
  }
  return width;
}

std::size_t fitting(const Font& font, std::string_view text, int width) {
  std::size_t bytes = 0;
  int used = 0;
  while (bytes < text.size()) {
    const Cluster cluster = first_cluster(part(text, bytes));
    used += advance(font, cluster.code);
    if (used > width) break;
    bytes += cluster.bytes;
  }
  return bytes;
}

void draw_text(Canvas& canvas, const Font& font, int x, int y, std::string_view text,
               Colour colour) {
  const int base = y + font.ascent();
  while (!text.empty() && x < canvas.clip().right()) {
    const Cluster cluster = first_cluster(text);
    const std::string_view marks = part(text, cluster.first, cluster.bytes - cluster.first);
    text.remove_prefix(cluster.bytes);
    if (is_invisible(cluster.code)) continue;
    const char32_t code = cluster.code == U'\t' ? U' ' : cluster.code;
    const Found found = find(font, code);
    const int step = advance_of(font, code, found);
    if (found.glyph != nullptr) {
      const Glyph& glyph = *found.glyph;
      canvas.glyph(x + glyph.left, base - glyph.top, glyph.width, glyph.height, found.bits,
                   font.ascii->depth, colour);
    } else if (found.wide != nullptr) {
      draw_wide(canvas, x, y + (font.height() - kWideCell) / 2, found.wide, colour);
    } else {
      canvas.rounded_frame({x + 1, base - font.capital(), box_width(font), font.capital()}, 0, 1,
                           colour);
    }
    if (!marks.empty() && !found.missing()) {
      draw_marks(canvas, font, x + step / 2, base, marks, colour);
    }
    x += step;
  }
}

}  // namespace gadget::device::screen
