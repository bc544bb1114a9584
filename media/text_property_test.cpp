// What holds for every text: the shape of the results, and that time grows with the length only
// (E23).

#include <algorithm>
#include <ctime>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "media/sentences.hpp"
#include "media/text.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
}

bool has_override(std::string_view text) {
  const auto points = to_code_points(text);
  return std::any_of(points.begin(), points.end(), [](char32_t c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
           (c < 0x20 && c != '\n' && c != '\t');
  });
}

// Bytes that reach far: markup, every kind of character, and what is no UTF-8.
std::string random_text(std::mt19937& random) {
  static constexpr std::string_view kParts[] = {"*",
                                                "**",
                                                "_",
                                                "`",
                                                "```\n",
                                                "~~~\n",
                                                "#",
                                                "# ",
                                                "- ",
                                                "1. ",
                                                "> ",
                                                "|",
                                                "|---|---|\n",
                                                "\n",
                                                "\n\n",
                                                "    ",
                                                "[",
                                                "]",
                                                "(",
                                                ")",
                                                "](",
                                                "[^1]",
                                                "[^1]: ",
                                                "[a]: b\n",
                                                "![",
                                                "<",
                                                ">",
                                                "<br>",
                                                "<!--",
                                                "-->",
                                                "<div>",
                                                "&amp;",
                                                "&#x202E;",
                                                "&#0;",
                                                "\\",
                                                "http://a.b",
                                                "www.",
                                                "word",
                                                "a b",
                                                "3.14",
                                                ". ",
                                                "! ",
                                                "\u20AC5",
                                                "21\u00B0C",
                                                "\u4F60\u597D",
                                                "\u043C\u0438\u0440",
                                                "\u0645\u0631",
                                                "\u0301",
                                                "\u0338",
                                                "\U0001F468\u200D\U0001F469",
                                                "\U0001F1E9\U0001F1EA",
                                                "1\uFE0F\u20E3",
                                                "\U0001F3FD",
                                                "\u202E",
                                                "\u2066",
                                                "\xFF",
                                                "\xE2\x82",
                                                "\xF0\x9F",
                                                "\xEF\xB7\x90",
                                                "\xEF\xBF\xBF",
                                                "\x1B[31m",
                                                "\x07",
                                                "\r\n",
                                                "\t",
                                                "\u00AD",
                                                "\uFEFF",
                                                "\u2028",
                                                "$5",
                                                "%",
                                                "~~",
                                                "--",
                                                "->"};
  std::string text;
  for (auto count = random() % 80; count > 0; --count) {
    if (random() % 8 == 0) {
      text += static_cast<char>(random());
    } else if (random() % 8 == 0) {
      const auto c = static_cast<char32_t>(random() % 0x110000);
      append_utf8(text, c >= 0xD800 && c < 0xE000 ? 'x' : c);
    } else {
      text += kParts[random() % std::size(kParts)];
    }
  }
  return text;
}

TEST(TextProperty, R9_E23_WhateverComesInTheShapeHolds) {
  std::mt19937 random(2026);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random);
    const std::string cleaned = clean(text);
    ASSERT_EQ(clean(cleaned), cleaned) << text;
    ASSERT_FALSE(has_override(cleaned)) << text;
    for (const Markup markup : {Markup::plain, Markup::markdown}) {
      const std::string utf8 = shape_for_screen(text, Charset::utf8, markup);
      ASSERT_EQ(clean(utf8), utf8) << text;
      const std::string ascii = shape_for_screen(text, Charset::ascii, markup);
      ASSERT_TRUE(is_plain_ascii(ascii)) << text << "\n" << ascii;
    }
    const std::string speech = markdown_to_speech(text);
    ASSERT_EQ(clean(speech), speech) << text;
    const std::size_t max = random() % 60;
    ASSERT_LE(cut_utf8(cleaned, max).size(), max);
    ASSERT_LE(cut_middle(cleaned, max).size(), max);
    ASSERT_EQ(clean(cut_utf8(cleaned, max)), cut_utf8(cleaned, max));
    ASSERT_EQ(clean(cut_middle(cleaned, max)), cut_middle(cleaned, max));
  }
}

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

struct Case {
  const char* name;
  std::function<std::string(std::size_t)> make;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = [] {
    std::vector<Case> made;
    for (const char* part : {"*",
                             "**a ",
                             "*a_ ",
                             "a**b",
                             "[",
                             "![[](",
                             "[a](",
                             "> ",
                             ">",
                             "- ",
                             "* a\n",
                             "`",
                             "`a``b",
                             "```\n",
                             "|",
                             "|a",
                             "<",
                             "<a ",
                             "a <!--",
                             "&",
                             "&a",
                             "[a\n",
                             "\n",
                             "a\n",
                             "a",
                             " ",
                             "~a ~~b",
                             "http://",
                             "\\*",
                             "[^1]",
                             "a\n=\n",
                             "[a]:",
                             ".",
                             ". ",
                             "...",
                             "a. ",
                             "e.g. ",
                             "-",
                             "=",
                             "#",
                             "1. ",
                             "\xFF",
                             "\xE2\x82",
                             "\u00E9",
                             "\u4F60",
                             "\u043C",
                             "\u0301",
                             "\U0001F600",
                             "\U0001F1E9",
                             "\u200D",
                             "\U0001F468\u200D",
                             "\u3002",
                             "\u202E",
                             "$",
                             "$5",
                             "%",
                             "- [ ] a\n",
                             "a | b\n--- | ---\n",
                             "\t"}) {
      made.push_back({part, [part](std::size_t bytes) { return repeated(part, bytes); }});
    }
    made.push_back(
        {"brackets", [](std::size_t n) { return repeated("[", n / 2) + repeated("]", n / 2); }});
    made.push_back({"lazy quotes",
                    [](std::size_t n) { return repeated(">", n / 2) + repeated("\na", n / 2); }});
    made.push_back({"deep list, blank lines", [](std::size_t n) {
                      return repeated("- ", n / 2) + "a" + repeated("\n \n", n / 2);
                    }});
    made.push_back({"definitions and uses", [](std::size_t n) {
                      return repeated("[a]: b\n", n / 2) + repeated("\n[a]", n / 2);
                    }});
    made.push_back({"one long definition", [](std::size_t n) {
                      return "[a]: " + std::string(n / 2, 'x') + "\n\n" + repeated("[a]", n / 2);
                    }});
    made.push_back({"table of many cells", [](std::size_t n) {
                      return repeated("|a", n / 4) + "|\n" + repeated("|---", n / 2) + "|\n" +
                             repeated("|\n", n / 4);
                    }});
    made.push_back({"growing code marks", [](std::size_t n) {
                      std::string text;
                      for (std::size_t i = 1; text.size() < n; ++i)
                        text += std::string(i, '`') + "a";
                      return text;
                    }});
    return made;
  }();
  return list;
}

// Processor seconds of this thread: other programs on the machine do not count.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// Four times the text may take four times as long, with a margin; work that grows with the square
// takes sixteen times, at every attempt, while a busy machine disturbs one or the other.
void expect_linear(const std::function<void(const std::string&)>& work) {
  constexpr std::size_t kBytes = 24 * 1024;
  constexpr double kMostGrowth = 9;
  constexpr double kTooShortToTell = 0.03;  // seconds; the square of anything harmful is far above
  constexpr int kAttempts = 4;
  for (const auto& [name, make] : cases()) {
    const std::string small = make(kBytes), large = make(4 * kBytes);
    double growth = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const double large_seconds = seconds_of([&] { work(large); });
      growth =
          large_seconds < kTooShortToTell ? 0 : large_seconds / seconds_of([&] { work(small); });
      if (growth < kMostGrowth) break;
    }
    EXPECT_LT(growth, kMostGrowth) << name;
  }
}

TEST(TextLinear, E23_Screen) {
  warm_up();
  expect_linear([](const std::string& text) {
    (void)shape_for_screen(text, Charset::ascii, Markup::markdown);
  });
}

TEST(TextLinear, E23_Speech) {
  expect_linear([](const std::string& text) { (void)markdown_to_speech(text); });
}

TEST(TextLinear, E23_SentencesByteByByte) {
  expect_linear([](const std::string& text) {
    SentenceSplitter splitter;
    for (const char& c : text) (void)splitter.push(std::string_view(&c, 1));
    (void)splitter.finish();
  });
}

}  // namespace
}  // namespace gadget::media
