#include "device/screen/layout.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/screen/cluster.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

const Font kFont = kLatinFonts.medium;

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> out;
  Lines lines(text, kFont, width);
  Line line;
  while (lines.next(line)) out.emplace_back(line.text);
  return out;
}

using Words = std::vector<std::string>;

TEST(Lines, EndAfterSpacesAndAtLineFeeds) {
  const int width = text_width(kFont, "one two");
  EXPECT_EQ(wrap("one two three", width), (Words{"one two", "three"}));
  EXPECT_EQ(wrap("one two   three", width), (Words{"one two", "three"}));
  EXPECT_EQ(wrap("one\ntwo\n\nthree\n", width), (Words{"one", "two", "", "three"}));
  EXPECT_EQ(wrap("one\r\ntwo", width), (Words{"one", "two"}));
  EXPECT_EQ(wrap("", width), Words{});
  EXPECT_EQ(wrap("\n", width), Words{""});
  EXPECT_EQ(wrap("  one", width), Words{"  one"}) << "indentation stays";
}

TEST(Lines, EndAfterHyphensAndBetweenIdeographs) {
  EXPECT_EQ(wrap("north-west", text_width(kFont, "north-we")), (Words{"north-", "west"}));
  const int two = 2 * advance(kFont, 0x65E5);
  EXPECT_EQ(wrap("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", two),
            (Words{"\xE6\x97\xA5\xE6\x9C\xAC", "\xE8\xAA\x9E"}));
}

TEST(Lines, LongWordsAreBroken) {
  const int width = text_width(kFont, "mmmm");
  EXPECT_EQ(wrap("mmmmmmmmmm mm", width), (Words{"mmmm", "mmmm", "mm", "mm"}));
  Lines lines("ab cd", kFont, 1);
  Line line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.text, "a") << "a character wider than the line stands alone";
  EXPECT_TRUE(line.goes_on);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.text, "b");
  EXPECT_FALSE(line.goes_on);
}

std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kPieces{"a",
                                                "W",
                                                "word",
                                                "i",
                                                " ",
                                                "  ",
                                                "\n",
                                                "-",
                                                "\t",
                                                ".",
                                                "\xC3\xA9",
                                                "\xE2\x80\xA6",
                                                "\xE6\x97\xA5",
                                                "\xE3\x80\x82",
                                                "\xF0\x9F\x98\x80",
                                                "\xFF",
                                                "\xC3",
                                                "\xE2\x80",
                                                "supercalifragilistic",
                                                "\xC2\xAD",
                                                "\r\n",
                                                "\xE2\x80\x8B",
                                                "\x01"};
  std::string text;
  const auto count = random() % 60;
  for (unsigned i = 0; i < count; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

std::string without_space(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    const bool space = c.code == U' ' || c.code == U'\n' || c.code == U'\t' || c.code == U'\r' ||
                       c.code == 0x200B || c.code == 0x3000;
    if (!space) out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

TEST(LinesProperty, FitShowEverythingAndSplitNoCharacter) {
  std::mt19937 random(4);
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random);
    const int width = static_cast<int>(random() % 150);
    Lines lines(text, kFont, width);
    Line line;
    std::string shown;
    std::size_t end = 0;
    while (lines.next(line)) {
      ASSERT_GT(line.end, end) << "a line always goes on";
      end = line.end;
      shown += line.text;
      if (text_width(kFont, line.text) > width) {
        // Only a character that is too wide itself, with what has no width.
        int wide = 0;
        for (std::string_view rest = line.text; !rest.empty();) {
          const Cluster c = first_cluster(rest);
          wide += advance(kFont, c.code) > 0 ? 1 : 0;
          rest.remove_prefix(c.bytes);
        }
        ASSERT_EQ(wide, 1) << "\"" << line.text << "\" in " << width;
      }
      // A line's bytes must read the same alone as within the text.
      std::size_t at = static_cast<std::size_t>(line.text.data() - text.data());
      for (std::string_view rest = line.text; !rest.empty();) {
        const Character alone = first_character(rest);
        const Character within = first_character(std::string_view(text).substr(at));
        ASSERT_EQ(alone.code, within.code);
        rest.remove_prefix(alone.bytes);
        at += alone.bytes;
      }
    }
    ASSERT_EQ(end, text.size());
    ASSERT_EQ(without_space(shown), without_space(text));
  }
}

TEST(Pages, AreAsManyAsTheLinesNeed) {
  EXPECT_EQ(count_pages("", kFont, 100, 3), 1);
  EXPECT_EQ(count_pages("a\nb\nc", kFont, 100, 3), 1);
  EXPECT_EQ(count_pages("a\nb\nc\nd", kFont, 100, 3), 2);
  EXPECT_EQ(count_pages("a\nb", kFont, 100, 0), 1);
  EXPECT_EQ(count_lines("a\nb\nc\nd", kFont, 100, 2), 2);
}

TEST(Utf8, BytesThatAreNoneComeOutOneByOne) {
  const auto first = [](std::string_view text) {
    const Character c = first_character(text);
    return std::pair(c.code, c.bytes);
  };
  using P = std::pair<char32_t, std::size_t>;
  EXPECT_EQ(first(""), P(0, 0));
  EXPECT_EQ(first("a"), P('a', 1));
  EXPECT_EQ(first("\xC3\xA9"), P(0xE9, 2));
  EXPECT_EQ(first("\xE2\x80\xA6"), P(0x2026, 3));
  EXPECT_EQ(first("\xF0\x9F\x98\x80"), P(0x1F600, 4));
  EXPECT_EQ(first("\xF4\x8F\xBF\xBF"), P(0x10FFFF, 4));
  for (const std::string_view bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3z", "\xE2\x80", "\xE0\x80\x80",
        "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(first(bad), P(kReplacement, 1)) << bad;
  }
}

TEST(Fonts, WhatAFontLacksIsABox) {
  std::vector<Colour> memory(std::size_t{40} * 40);
  Canvas canvas(memory, 40, 40);
  const auto drawn = [&](const Font& font, std::string_view text) {
    std::fill(memory.begin(), memory.end(), Colour{0});
    draw_text(canvas, font, 2, 2, text, 0xFFFF);
    return memory;
  };
  const auto box = drawn(kAsciiFonts.medium, "\xE6\x97\xA5");
  EXPECT_NE(box, std::vector<Colour>(memory.size()));
  EXPECT_EQ(drawn(kAsciiFonts.medium, "\xC3\xA9"), box);
  EXPECT_EQ(drawn(kLatinFonts.medium, "\xFF"), box);
  EXPECT_EQ(drawn(kLatinFonts.medium, "\x01"), box);
  EXPECT_NE(drawn(kLatinFonts.medium, "\xC3\xA9"), box);
  EXPECT_EQ(drawn(kLatinFonts.medium, "\xE2\x80\x8B"), std::vector<Colour>(memory.size()));
}

TEST(Fonts, FittingIsTheLongestBeginningInWholeCharacters) {
  const std::string text = "a\xC3\xA9\xE2\x80\xA6z";
  for (int width = 0; width < 60; ++width) {
    const std::size_t bytes = fitting(kFont, text, width);
    EXPECT_LE(text_width(kFont, text.substr(0, bytes)), width);
    EXPECT_TRUE(bytes == 0 || bytes == 1 || bytes == 3 || bytes == 6 || bytes == 7);
    if (bytes < text.size()) {
      const Character next = first_character(std::string_view(text).substr(bytes));
      EXPECT_GT(text_width(kFont, text.substr(0, bytes + next.bytes)), width);
    }
  }
}

TEST(Fonts, EveryPrintableAsciiCharacterHasAGlyphInEverySize) {
  for (const Font& font : {kAsciiFonts.small, kAsciiFonts.medium, kAsciiFonts.large}) {
    for (char32_t c = 0x21; c < 0x7F; ++c) {
      const Glyph& glyph = font.ascii->glyphs[c - 0x20];
      EXPECT_GT(glyph.width, 0) << static_cast<int>(c);
      EXPECT_LE(glyph.top, font.ascent());
      EXPECT_LE(glyph.height - glyph.top, font.height() - font.ascent());
    }
  }
}

// ---- Clusters

std::vector<std::string> clusters(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t bytes = first_cluster(text).bytes;
    out.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return out;
}

TEST(Clusters, MarksEmojiAndFlagsStayTogether) {
  using V = std::vector<std::string>;
  EXPECT_EQ(clusters("ae\u0301\u0323b"), (V{"a", "e\u0301\u0323", "b"}));
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";
  EXPECT_EQ(clusters(family + "!"), (V{family, "!"}));
  EXPECT_EQ(clusters("\U0001F44D\U0001F3FDx"), (V{"\U0001F44D\U0001F3FD", "x"}));
  EXPECT_EQ(clusters("\u2764\uFE0F\u200D\U0001F525"), (V{"\u2764\uFE0F\u200D\U0001F525"}));
  const std::string japan = "\U0001F1EF\U0001F1F5";
  const std::string france = "\U0001F1EB\U0001F1F7";
  EXPECT_EQ(clusters(japan + france), (V{japan, france}));
  EXPECT_EQ(clusters("1\uFE0F\u20E3"), (V{"1\uFE0F\u20E3"}));
  EXPECT_EQ(clusters("\u304B\u3099\u304D"), (V{"\u304B\u3099", "\u304D"}));
}

TEST(Clusters, AJoinerSwallowsNoLetters) {
  using V = std::vector<std::string>;
  EXPECT_EQ(clusters("a\u200Db"), (V{"a\u200D", "b"}));
  EXPECT_EQ(clusters("\U0001F468\u200Da"), (V{"\U0001F468\u200D", "a"}));
}

TEST(Clusters, AMarkWithoutALetterStandsAlone) {
  EXPECT_EQ(clusters("\u0301a").front(), "\u0301");
  EXPECT_GT(advance(kWideFonts.medium, 0x1F468), 0);
}

TEST(Clusters, EndlessMarksAreCutIntoPieces) {
  std::string text = "a";
  for (int i = 0; i < 1'000; ++i) text += "\u0301";
  std::size_t bytes = 0;
  for (const auto& cluster : clusters(text)) {
    EXPECT_LE(cluster.size(), 64U);
    bytes += cluster.size();
  }
  EXPECT_EQ(bytes, text.size());
}

// ---- Scripts without spaces

// The lines that `text` gives with room for `cells` ideographs.
std::vector<std::string> wide_lines(std::string_view text, int cells) {
  Lines lines(text, kWideFonts.medium, cells * kWideCell);
  Line line;
  std::vector<std::string> out;
  while (lines.next(line)) out.emplace_back(line.text);
  return out;
}

TEST(WideLines, BreakBetweenIdeographs) {
  using V = std::vector<std::string>;
  EXPECT_EQ(wide_lines("\u65E5\u672C\u8A9E\u306E", 2), (V{"\u65E5\u672C", "\u8A9E\u306E"}));
}

TEST(WideLines, NoneBeginsWithAClosingMarkOrASmallKana) {
  using V = std::vector<std::string>;
  // Room for two: the full stop takes the letter before it along.
  EXPECT_EQ(wide_lines("\u65E5\u672C\u3002", 2), (V{"\u65E5", "\u672C\u3002"}));
  EXPECT_EQ(wide_lines("\u304A\u3061\u3083", 2), (V{"\u304A", "\u3061\u3083"}));
  EXPECT_EQ(wide_lines("\u30DA\u30A2\u30FC", 2), (V{"\u30DA", "\u30A2\u30FC"}));
  EXPECT_EQ(wide_lines("\u65E5\u672C!", 2), (V{"\u65E5", "\u672C!"}));
}

TEST(WideLines, NoneEndsWithAnOpeningMark) {
  using V = std::vector<std::string>;
  EXPECT_EQ(wide_lines("\u65E5\u300C\u672C", 2), (V{"\u65E5", "\u300C\u672C"}));
}

TEST(WideLines, AnIdeographicSpaceIsASpace) {
  using V = std::vector<std::string>;
  EXPECT_EQ(wide_lines("\u65E5\u672C\u3000\u8A9E", 2), (V{"\u65E5\u672C", "\u8A9E"}));
}

// ---- Parts of fonts

TEST(FontParts, EachSetAddsItsScripts) {
  const char32_t letters[] = {U'a', 0xE9, 0x416, 0x3A9, 0x3042, 0x30A2, 0xFF71, 0x6F22, 0x9418};
  const auto known = [&](const FontSet& fonts) {
    int count = 0;
    for (const char32_t code : letters) count += has_glyph(fonts.small, code) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(known(kAsciiFonts), 1);
  EXPECT_EQ(known(kMonoFonts), 1);
  EXPECT_EQ(known(kLatinFonts), 2);
  EXPECT_EQ(known(kEuropeFonts), 4);
  EXPECT_EQ(known(kWideFonts), 9);
}

TEST(FontParts, TheWideSetHasWhatItsRuleSays) {
  const auto has = [](char32_t code) { return has_glyph(kWideFonts.medium, code); };
  for (char32_t code = 0x3041; code <= 0x3096; ++code)
    EXPECT_TRUE(has(code)) << std::uint32_t{code};
  for (char32_t code = 0x30A1; code <= 0x30FA; ++code)
    EXPECT_TRUE(has(code)) << std::uint32_t{code};
  int ideographs = 0;
  for (char32_t code = 0x4E00; code <= 0x9FFF; ++code) ideographs += has(code) ? 1 : 0;
  EXPECT_GT(ideographs, 6'500);
  EXPECT_FALSE(has(0xD55C)) << "no Hangul";
  EXPECT_FALSE(has(0x1F600));
}

int pixels_of(const FontSet& fonts, std::string_view text) {
  std::vector<Colour> pixels(200 * 30);
  Canvas canvas(pixels, 200, 30);
  draw_text(canvas, fonts.medium, 8, 4, text, 0xFFFF);
  return static_cast<int>(
      std::count_if(pixels.begin(), pixels.end(), [](Colour c) { return c != 0; }));
}

TEST(FontParts, MarksAreDrawnOverTheirLettersAndWhatIsMissingIsABox) {
  EXPECT_GT(pixels_of(kLatinFonts, "e\u0301"), pixels_of(kLatinFonts, "e"));
  EXPECT_EQ(text_width(kLatinFonts.medium, "e\u0301"), text_width(kLatinFonts.medium, "e"));
  EXPECT_GT(pixels_of(kLatinFonts, "e\u0331"), pixels_of(kLatinFonts, "e")) << "a small box";
  const int box = pixels_of(kWideFonts, "\uD55C");
  EXPECT_GT(box, 0);
  EXPECT_EQ(pixels_of(kWideFonts, "\U0001F468\u200D\U0001F469\u200D\U0001F467"), box);
  EXPECT_EQ(pixels_of(kWideFonts, "\U0001F1EF\U0001F1F5"), box);
}

}  // namespace
}  // namespace gadget::device::screen
