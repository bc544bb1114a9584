#include "media/text.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "media/utf8.hpp"

namespace gadget::media {
namespace {

TEST(Clean, R9_ControlCharactersGoButLineFeedAndTab) {
  std::string all;
  for (int c = 0; c < 0x20; ++c) all += static_cast<char>(c);
  EXPECT_EQ(clean("a" + all + "\x7F" + "b"), "a\t\nb");
  EXPECT_EQ(clean("c1: \u0080\u0085\u009F."), "c1: .");
  EXPECT_EQ(clean("line\r\nnext\u2028third\u2029"), "line\nnext\nthird\n");
}

TEST(Clean, R9_BidirectionalOverridesGo) {
  EXPECT_EQ(clean("a\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069z"), "az");
  EXPECT_EQ(clean("\u200E\u0645\u0631\u200F"), "\u200E\u0645\u0631\u200F")
      << "marks are no overrides";
}

TEST(Clean, WhatIsNoUtf8BecomesTheReplacement) {
  EXPECT_EQ(clean("\xFF"), "\uFFFD");
  EXPECT_EQ(clean("a\xE2\x82z"), "a\uFFFDz") << "cut off: one for the longest valid beginning";
  EXPECT_EQ(clean("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(clean("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(clean("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
  EXPECT_EQ(clean("\xEF\xB7\x90"), "\uFFFD") << "noncharacter";
  EXPECT_EQ(clean("\u00E9\u20AC\U0001F600"), "\u00E9\u20AC\U0001F600");
}

struct Pair {
  const char* in;
  const char* out;
};

TEST(Fold, E23_SignsAreWrittenOut) {
  for (const auto& [in, out] : {
           Pair{"\u201Chi\u201D \u2018a\u2019 \u00ABb\u00BB", "\"hi\" 'a' <<b>>"},
           Pair{"a \u2013 b\u2014c\u2026", "a - b--c..."},
           Pair{"21\u00B0C, 70 \u00B0F, 45\u00B0", "21 deg C, 70 deg F, 45 deg"},
           Pair{"5\u2103", "5 deg C"},
           Pair{"\u20AC5, 5\u20AC, 5 \u20AC, \u00A33.50", "EUR 5, 5 EUR, 5 EUR, GBP 3.50"},
           Pair{"1\u00BD cups, \u00BE", "1 1/2 cups, 3/4"},
           Pair{"x\u00B2 \u2265 3 \u2260 4 \u00D7 5 \u2248 6", "x^2 >= 3 != 4 x 5 ~ 6"},
           Pair{"=\u0338", "!="},
           Pair{"a\u00A0b\u3000c", "a b c"},
           Pair{"zero\u200Bwidth\u00AD\uFEFF", "zerowidth"},
           Pair{"\u2022 item \u2192 next", "- item -> next"},
       }) {
    EXPECT_EQ(fold_ascii(in), out) << in;
  }
}

TEST(Fold, E23_ScriptsAreTransliterated) {
  for (const auto& [in, out] : {
           Pair{"Gr\u00FC\u00DFe aus \u0141\u00F3d\u017A, na\u00EFve \u00C6r\u00F8",
                "Grusse aus Lodz, naive AEro"},
           Pair{"e\u0301 a\u0308", "e a"},
           Pair{"\u041F\u0440\u0438\u0432\u0435\u0442, \u043C\u0438\u0440!", "Privet, mir!"},
           Pair{"\u4F60\u597D\u3002", "ni hao."},
           Pair{"\u4F60\u597D\u3002\u4F60\uFF0C\u597D\uFF01", "ni hao. ni, hao!"},
           Pair{"\u4F60\u597DABC\u5317\u4EAC9", "ni hao ABC bei jing 9"},
           Pair{"\u0391\u03B8\u03AE\u03BD\u03B1", "Athena"},
           Pair{"\u30AB\u30BF\u30AB\u30CA", "katakana"},
           Pair{"\uFF11\uFF12\uFF21", "12A"},
       }) {
    EXPECT_EQ(fold_ascii(in), out) << in;
  }
}

TEST(Fold, E23_EmojiAreNamedNeverDropped) {
  for (const auto& [in, out] : {
           Pair{"ok \U0001F44D", "ok [thumbs up]"},
           Pair{"\U0001F44D\U0001F3FD!", "[thumbs up]!"},
           Pair{"\u2764\uFE0F", "[heart]"},
           Pair{"\U0001F468\u200D\U0001F469\u200D\U0001F467", "[man woman girl]"},
           Pair{"\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7", "[flag DE][flag FR]"},
           Pair{"1\uFE0F\u20E3 #\uFE0F\u20E3", "[1] [#]"},
           Pair{"\U0001F9FF", "[nazar amulet]"},
           Pair{"\U000F0000", "?"},
           Pair{"\uFFFD", "?"},
       }) {
    EXPECT_EQ(fold_ascii(in), out) << in;
  }
}

// The same from many threads at once: each has its own copy of the rules.
TEST(Fold, ThreadsDoNotDisturbEachOther) {
  warm_up();
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (auto& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 50; ++i) result = fold_ascii("\u4F60\u597D \u043C\u0438\u0440 \u00E9");
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, "ni hao mir e");
}

TEST(Cut, E33_AtACharacterWithAnEllipsisWithinTheLimit) {
  EXPECT_EQ(cut_utf8("hello", 5), "hello");
  EXPECT_EQ(cut_utf8("hello!", 5), "he...");
  EXPECT_EQ(cut_utf8("\u00E9\u00E9\u00E9", 5), "\u00E9...");
  EXPECT_EQ(cut_utf8("\U0001F600\U0001F600", 7), "\U0001F600...");
  EXPECT_EQ(cut_utf8("\U0001F600\U0001F600", 6), "...");
  EXPECT_EQ(cut_utf8("hello", 2), "he");
  EXPECT_EQ(cut_utf8("hello", 0), "");
}

TEST(Cut, E6_AtSoManyCodePoints) {
  EXPECT_EQ(cut_code_points("\u00E9\u00E9\u00E9", 2), "\u00E9\u00E9");
  EXPECT_EQ(cut_code_points("abc", 3), "abc");
  EXPECT_EQ(cut_code_points("abc", 0), "");
  EXPECT_EQ(to_code_points(cut_code_points(std::string(5000, 'x'), 4000)).size(), 4000U);
}

TEST(Cut, E45_InTheMiddleBothEndsKept) {
  EXPECT_EQ(cut_middle("short", 10), "short");
  const std::string text =
      "Shall I delete the folder " + std::string(500, 'x') + " with all its files?";
  for (const std::size_t max : {20U, 40U, 64U, 200U}) {
    const std::string cut = cut_middle(text, max);
    EXPECT_LE(cut.size(), max);
    EXPECT_GT(cut.size() + 30, max) << "not much less than there is room for";
    EXPECT_TRUE(cut.starts_with("Shal")) << cut;
    EXPECT_TRUE(cut.ends_with("files?")) << cut;
    EXPECT_NE(cut.find(" ... "), std::string::npos);
  }
  for (std::size_t max = 0; max < 60; ++max) {
    std::string wide;
    for (int i = 0; i < 40; ++i) wide += "\u20AC";
    const std::string cut = cut_middle(wide, max);
    EXPECT_LE(cut.size(), max);
    EXPECT_EQ(clean(cut), cut) << "no character cut, at " << max;
  }
}

TEST(Shape, R9_ByCharsetAndMarkup) {
  const std::string text = "**21\u00B0C** \u202Eok";
  EXPECT_EQ(shape_for_screen(text, Charset::utf8, Markup::markdown), "21\u00B0C ok");
  EXPECT_EQ(shape_for_screen(text, Charset::ascii, Markup::markdown), "21 deg C ok");
  EXPECT_EQ(shape_for_screen(text, Charset::ascii, Markup::plain), "**21 deg C** ok");
  EXPECT_EQ(shape_for_screen("a &#x202E;b &#7;c", Charset::utf8, Markup::markdown), "a b c")
      << "references bring nothing back";
}

}  // namespace
}  // namespace gadget::media
