// font.hpp - bitmap fonts, measuring and drawing one line of UTF-8.
//
// The tables (font_*.cpp) are baked from DejaVu Sans and GNU Unifont by scripts/bake_font.py. A
// font is its ASCII part and, where the port has room, parts with more characters; parts nobody
// names are not linked.
//
// Texts are taken cluster by cluster (cluster.hpp): a letter with the marks that combine with it, a
// sequence of emoji. A cluster whose character the font lacks is drawn as one box, control
// characters too. A mark that the font lacks is a small box above its letter. Characters without
// width (U+200B-200D, 2060, FEFF, variation selectors, soft hyphen) are nothing.
//
// No heap; safe from any thread (the tables are constant).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/screen/canvas.hpp"

namespace gadget::device::screen {

// Where a glyph's bitmap is and how it stands on the base line.
struct Glyph {
  std::uint16_t offset;  // into the bits of its part
  std::uint16_t width : 6;
  std::uint16_t height : 5;
  std::int16_t left : 5;      // from the pen to the first column
  std::int16_t top : 6;       // rows above the base line
  std::uint16_t advance : 6;  // from this pen to the next
};
static_assert(sizeof(Glyph) == 6);

// Characters 0x20..0x7E, and what all parts of the font share.
struct AsciiFont {
  std::uint8_t height;   // from one line to the next
  std::uint8_t ascent;   // base line below the top of the line
  std::uint8_t capital;  // height of a capital letter
  std::uint8_t depth;    // bits a pixel, 2 or 4
  const std::uint8_t* bits;
  const Glyph* glyphs;
};

// More characters, sorted by code.
struct FontPart {
  const std::uint8_t* bits;
  const Glyph* glyphs;
  const std::uint16_t* codes;
  std::uint16_t count;
};

// Kana, ideographs and their signs, sorted by code: 16 x 16 pixels, drawn as they are in every size
// of letters, in the middle of the line. Four numbers a glyph, each four rows, the top left pixel
// in the highest bit.
struct WideFont {
  const std::uint64_t* rows;
  const std::uint16_t* codes;
  std::uint16_t count;
};
inline constexpr int kWideCell = 16;

struct Font {
  const AsciiFont* ascii;
  const FontPart* latin = nullptr;
  const FontPart* greek_cyrillic = nullptr;
  const WideFont* wide = nullptr;

  [[nodiscard]] int height() const { return ascii->height; }
  [[nodiscard]] int ascent() const { return ascii->ascent; }
  [[nodiscard]] int capital() const { return ascii->capital; }
};

// The sizes that the screen uses: small 13 px (bar, hints), medium 17 px (replies), large 26 px
// bold (titles, clock).
struct FontSet {
  Font small;
  Font medium;
  Font large;
};

extern const AsciiFont kSmall;
extern const AsciiFont kMedium;
extern const AsciiFont kLarge;
extern const FontPart kSmallLatin;
extern const FontPart kMediumLatin;
extern const FontPart kLargeLatin;
extern const FontPart kSmallGreekCyrillic;
extern const FontPart kMediumGreekCyrillic;
extern const FontPart kLargeGreekCyrillic;
extern const WideFont kWide;
extern const AsciiFont kMonoSmall;
extern const AsciiFont kMonoLarge;

// For `charset:"ascii"` (12 KB), and for panels whose pixels are black or white (3 KB).
inline constexpr FontSet kAsciiFonts{{&kSmall}, {&kMedium}, {&kLarge}};
inline constexpr FontSet kMonoFonts{{&kMonoSmall}, {&kMonoSmall}, {&kMonoLarge}};
// For `charset:"utf-8"`: with Latin-1, Latin Extended-A, typographic signs and combining marks (37
// KB more); with Greek and Cyrillic as well (28 KB more); and with kana and the 7,200 ideographs
// that Japan, China and Taiwan call common (259 KB more).
inline constexpr FontSet kLatinFonts{
    {&kSmall, &kSmallLatin}, {&kMedium, &kMediumLatin}, {&kLarge, &kLargeLatin}};
inline constexpr FontSet kEuropeFonts{{&kSmall, &kSmallLatin, &kSmallGreekCyrillic},
                                      {&kMedium, &kMediumLatin, &kMediumGreekCyrillic},
                                      {&kLarge, &kLargeLatin, &kLargeGreekCyrillic}};
inline constexpr FontSet kWideFonts{{&kSmall, &kSmallLatin, &kSmallGreekCyrillic, &kWide},
                                    {&kMedium, &kMediumLatin, &kMediumGreekCyrillic, &kWide},
                                    {&kLarge, &kLargeLatin, &kLargeGreekCyrillic, &kWide}};

// Whether the font has this character.
[[nodiscard]] bool has_glyph(const Font& font, char32_t code);

// Pixels that the pen moves for this character, and for a text in one line.
[[nodiscard]] int advance(const Font& font, char32_t code);
[[nodiscard]] int text_width(const Font& font, std::string_view text);

// Bytes of the longest beginning of `text`, in whole clusters, that is at most `width` pixels
// wide.
[[nodiscard]] std::size_t fitting(const Font& font, std::string_view text, int width);

// Draws `text` in one line from pen position x, the line's top at y.
void draw_text(Canvas& canvas, const Font& font, int x, int y, std::string_view text,
               Colour colour);

}  // namespace gadget::device::screen
