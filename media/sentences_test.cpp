#include "media/sentences.hpp"

#include <random>

#include <gtest/gtest.h>

#include "media/text.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

using Sentences = std::vector<std::string>;

template <class Source>
Sentences all_of(std::string_view text, std::size_t chunk = std::string_view::npos) {
  Source source;
  Sentences out;
  const auto add = [&out](Sentences more) { out.insert(out.end(), more.begin(), more.end()); };
  for (std::size_t at = 0; at < text.size();) {
    const auto piece = text.substr(at, chunk);
    add(source.push(piece));
    at += piece.size();
  }
  add(source.finish());
  return out;
}

Sentences split(std::string_view text) { return all_of<SentenceSplitter>(text); }
Sentences spoken(std::string_view text) { return all_of<SpokenReply>(text); }

TEST(Sentences, EachComesAsSoonAsItIsComplete) {
  SentenceSplitter splitter;
  EXPECT_EQ(splitter.push("Hello the"), Sentences{});
  EXPECT_EQ(splitter.push("re."), Sentences{}) << "3. may become 3.14";
  EXPECT_EQ(splitter.push(" "), Sentences{"Hello there."});
  EXPECT_EQ(splitter.push("How are you? I am"), Sentences{"How are you?"});
  EXPECT_EQ(splitter.push(" fine\n"), Sentences{"I am fine"});
  EXPECT_EQ(splitter.push("The rest"), Sentences{});
  EXPECT_EQ(splitter.finish(), Sentences{"The rest"});
  EXPECT_EQ(splitter.finish(), Sentences{});
}

TEST(Sentences, CumulativeTextGivesOnlyWhatIsNew) {
  SentenceSplitter splitter;
  EXPECT_EQ(splitter.update("One. Tw"), Sentences{"One."});
  EXPECT_EQ(splitter.update("One. Tw"), Sentences{});
  EXPECT_EQ(splitter.update("One. Two. "), Sentences{"Two."});
}

TEST(Sentences, FullStopsThatEndNothing) {
  EXPECT_EQ(split("Pi is 3.14 and e is 2.71. Good."),
            (Sentences{"Pi is 3.14 and e is 2.71.", "Good."}));
  EXPECT_EQ(split("Ask Dr. Smith, e.g. at 9:30. Bye."),
            (Sentences{"Ask Dr. Smith, e.g. at 9:30.", "Bye."}));
  EXPECT_EQ(split("J. R. Smith came."), (Sentences{"J. R. Smith came."}));
  EXPECT_EQ(split("Well... maybe. So... Yes."), (Sentences{"Well... maybe.", "So...", "Yes."}));
  EXPECT_EQ(split("At 5 p.m. we go. At 5 p.m. We go."),
            (Sentences{"At 5 p.m. we go.", "At 5 p.m.", "We go."}));
  EXPECT_EQ(split("No. 5 is up. No. It is not."), (Sentences{"No. 5 is up.", "No.", "It is not."}));
  EXPECT_EQ(split("1. Milk\n2. Eggs"), (Sentences{"1. Milk", "2. Eggs"}));
  EXPECT_EQ(split("See example.org. Now."), (Sentences{"See example.org.", "Now."}));
}

TEST(Sentences, QuotesAndBracketsBelongToTheirSentence) {
  EXPECT_EQ(split("He said \"No.\" (Really!) \u201CYes.\u201D End"),
            (Sentences{"He said \"No.\"", "(Really!)", "\u201CYes.\u201D", "End"}));
  EXPECT_EQ(split("What?! Yes!!!"), (Sentences{"What?!", "Yes!!!"}));
}

TEST(Sentences, WideFullStopsNeedNoSpace) {
  EXPECT_EQ(split("\u4F60\u597D\u3002\u5929\u6C14\u597D\uFF01\u662F\u5417\uFF1F\u597D"),
            (Sentences{"\u4F60\u597D\u3002", "\u5929\u6C14\u597D\uFF01", "\u662F\u5417\uFF1F",
                       "\u597D"}));
}

TEST(Sentences, LongOnesAreCutAtCommasThenSpacesThenAnywhere) {
  std::string commas, spaces;
  for (int i = 0; i < 60; ++i) commas += "twelve chars, ", spaces += "eleven chars ";
  for (const std::string& text : {commas, spaces, std::string(10240, 'x'), [] {
                                    std::string euro;
                                    for (int i = 0; i < 1000; ++i) euro += "\u20AC";
                                    return euro;
                                  }()}) {
    const auto pieces = split(text);
    EXPECT_GT(pieces.size(), 2U);
    for (const auto& piece : pieces) {
      EXPECT_LE(to_code_points(piece).size(), kMaxSentence);
      EXPECT_EQ(clean(piece), piece) << "no character cut";
    }
  }
  for (const auto& piece : split(commas)) EXPECT_TRUE(piece.ends_with("chars,")) << piece;
  for (const auto& piece : split(spaces)) EXPECT_TRUE(piece.ends_with("chars")) << piece;
}

// However the text is cut on its way, the sentences are the same, and none of it is lost.
TEST(SentencesProperty, ChunksDoNotMatter) {
  const std::string_view parts[] = {"Hello",
                                    " ",
                                    ". ",
                                    "...",
                                    "! ",
                                    "?",
                                    "\n",
                                    "e.g",
                                    "Dr",
                                    "3.14",
                                    ", ",
                                    "\u3002",
                                    "\u4F60",
                                    "\u2026 ",
                                    "\"",
                                    ")",
                                    "no",
                                    "No",
                                    "5",
                                    "https://example.org/a.b?c=d",
                                    "**",
                                    "`",
                                    "- ",
                                    "# ",
                                    "|",
                                    "```\n",
                                    "> ",
                                    "1. ",
                                    "[x](y)",
                                    "\xF0\x9F\x98\x80",
                                    "\n\n",
                                    "--- | ---\n",
                                    "a long run of words without an end and so on and on "};
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (auto count = random() % 60; count > 0; --count) text += parts[random() % std::size(parts)];
    const auto whole = split(text);
    const auto whole_spoken = spoken(text);
    for (const std::size_t chunk : {1U, 2U, 3U, 7U, 50U}) {
      ASSERT_EQ(all_of<SentenceSplitter>(text, chunk), whole) << text;
      ASSERT_EQ(all_of<SpokenReply>(text, chunk), whole_spoken) << text;
    }
    std::string joined, source;
    for (const auto& sentence : whole) joined += sentence;
    const auto visible = [](std::string s) {
      std::erase_if(s, [](char c) { return c == ' ' || c == '\n'; });
      return s;
    };
    ASSERT_EQ(visible(joined), visible(text));
  }
}

TEST(Spoken, SentencesComeWhileTheReplyIsWritten) {
  SpokenReply reply;
  EXPECT_EQ(reply.push("**Sure.** Here"), Sentences{"Sure."});
  EXPECT_EQ(reply.push(" is the code:\n```py\nx = 1. y\n"), Sentences{"Here is the code:"});
  EXPECT_EQ(reply.push("```\nThat "), Sentences{});
  EXPECT_EQ(reply.push("was it"), Sentences{});
  EXPECT_EQ(reply.finish(), Sentences{"That was it."});
}

TEST(Spoken, CodeAndTablesAreNotRead) {
  EXPECT_EQ(spoken("Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone."),
            (Sentences{"Look:", "Done."}));
  EXPECT_EQ(spoken("a | b\n--- | ---\n1 | 2\n\nDone."), (Sentences{"Done."}));
  EXPECT_EQ(spoken("~~~~\n~~~\ncode\n~~~~\nDone."), (Sentences{"Done."}));
  EXPECT_EQ(spoken("```\nonly code, never closed"), (Sentences{"The answer is on the screen."}));
  EXPECT_EQ(spoken(""), Sentences{});
  EXPECT_EQ(spoken("***\n---\n"), Sentences{});
}

TEST(Spoken, ItemsAndHeadingsEndWithAFullStop) {
  EXPECT_EQ(spoken("# Shopping\nBuy\n- milk\n* eggs!\n- [ ] bread\n2) oil\n"),
            (Sentences{"Shopping.", "Buy.", "milk.", "eggs!", "bread.", "2. oil."}));
  EXPECT_EQ(spoken("a line\nthat goes on. New"), (Sentences{"a line that goes on.", "New."}));
  EXPECT_EQ(spoken("> quoted\n> text"), (Sentences{"quoted text."}));
}

TEST(Spoken, AddressesAreLinks) {
  EXPECT_EQ(spoken("See [the manual](https://example.org/a_b) or https://example.org/x?y=1, or "
                   "www.example.org."),
            (Sentences{"See the manual or link, or link."}));
  EXPECT_EQ(spoken("See [this][1].\n\n[1]: https://example.org\n"), (Sentences{"See this."}));
  EXPECT_EQ(spoken("It is so[^1] and so [2].\n\n[^1]: Because.\n"),
            (Sentences{"It is so and so.", "Because."}));
  EXPECT_EQ(spoken("See https://example.org/" + std::string(900, 'x') + " now."),
            (Sentences{"See link.", "now."}));
}

TEST(Spoken, SignsAreWords) {
  struct Pair {
    const char* in;
    const char* out;
  };
  for (const auto& [in, out] : {
           Pair{"It is 21\u00B0C, not 70 \u00B0F.",
                "It is 21 degrees Celsius, not 70 degrees Fahrenheit."},
           Pair{"1\u00B0C", "1 degree Celsius."},
           Pair{"5% & 10 %", "5 percent and 10 percent."},
           Pair{"$5, $1, $1.5 million, \u20AC3.50, 4 \u20AC.",
                "5 dollars, 1 dollar, 1.5 million dollars, 3.50 euros, 4 euros."},
           Pair{"2*3*4 = 24, x**2, 2^3",
                "2 times 3 times 4 equals 24, x to the power of 2, 2 to the power of 3."},
           Pair{"5\u20137 days \u2013 or -3", "5 to 7 days, or minus 3."},
           Pair{"snake_case stays", "snake case stays."},
           Pair{"1\u00BD cups", "1 and a half cups."},
           Pair{"at 90 km/h \u2192 fast", "at 90 kilometers per hour to fast."},
           Pair{"Done \U0001F44D\U0001F3FD! (\U0001F600)", "Done!"},
           Pair{"well-known, 2024-05-01", "well-known, 2024-05-01."},
           Pair{"It\u2019s \u201Cfine\u201D\u2026", "It's \"fine\"..."},
       }) {
    EXPECT_EQ(markdown_to_speech(in), out) << in;
  }
}

}  // namespace
}  // namespace gadget::media
