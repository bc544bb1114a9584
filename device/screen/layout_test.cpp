#include "device/screen/layout.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') out += c;
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
          const Character c = first_character(rest);
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

}  // namespace
}  // namespace gadget::device::screen
