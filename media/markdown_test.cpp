#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "media/text.hpp"

namespace gadget::media {
namespace {

namespace fs = std::filesystem;

struct Pair {
  const char* in;
  const char* out;
};

TEST(Markdown, R9_MarkupGoesTextStays) {
  for (const auto& [in, out] : {
           Pair{"**bold *and nested* text** ***both***", "bold and nested text both"},
           Pair{"snake_case and 2*3*4, 5*(6*7), x**2", "snake_case and 2*3*4, 5*(6*7), x**2"},
           Pair{"`a*b*c` and ``x`y``", "a*b*c and x`y"},
           Pair{"~~gone~~ \\*not\\*", "gone *not*"},
           Pair{"[text](http://a.b) <https://c.d> https://e.f/g_h_i [](http://j.k)",
                "text https://c.d https://e.f/g_h_i http://j.k"},
           Pair{"[text][1]\n\n[1]: http://a.b", "text"},
           Pair{"![a cat](c.png) ![](d.png)", "a cat [image]"},
           Pair{"so[^1].\n\n[^1]: word", "so[1].\n\n[1] word"},
           Pair{"&amp; &lt;b&gt; &#65;&#x42; &nosuch; &#0;", "& <b> AB &nosuch; \uFFFD"},
           Pair{"a<br>b <b>c</b> List<String> 1 < 2 > 0 <!-- no -->d",
                "a\nb c List<String> 1 < 2 > 0 d"},
           Pair{"<div>\n<p>Hello</p>\n</div>", "Hello"},
           Pair{"**unfinished", "**unfinished"},
           Pair{"\u4E2D\u6587**\u7C97\u4F53**\u4E2D\u6587", "\u4E2D\u6587\u7C97\u4F53\u4E2D\u6587"},
       }) {
    EXPECT_EQ(markdown_to_screen(in), out) << in;
  }
}

TEST(Markdown, R9_LinesAndBlocksKeepTheirPlaces) {
  for (const auto& [in, out] : {
           Pair{"one\ntwo\n\nthree", "one\ntwo\n\nthree"},
           Pair{"# Head\n\ntext\n\nHead\n====\ntext", "Head\ntext\n\nHead\ntext"},
           Pair{"Buy:\n\n* milk\n+ eggs\n\nBye", "Buy:\n- milk\n\n- eggs\n\nBye"},
           Pair{"- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d"},
           Pair{"3. c\n4. d", "3. c\n4. d"},
           Pair{"- a\n\n- b\n\n  more", "- a\n- b\n  more"},
           Pair{"- [ ] open\n- [x] done", "- [ ] open\n- [x] done"},
           Pair{"> quote\n> more\n\ntext", "quote\nmore\n\ntext"},
           Pair{"```c\nint a;\n\n  b|c\n```\nend", "int a;\n\n  b|c\n\nend"},
           Pair{"| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |", "a, b\n1, 2\n3,"},
           Pair{"a\n\n---\n\nb", "a\n\nb"},
           Pair{"a\n\n\n\n\nb\n\n", "a\n\nb"},
       }) {
    EXPECT_EQ(markdown_to_screen(in), out) << in;
  }
}

// More than one piece: fences that a cut would leave stay code, nothing is lost.
TEST(Markdown, LongTextsAreRenderedInPieces) {
  std::string code = "Start **now**\n\n```\n";
  for (int i = 0; i < 6000; ++i) code += "x = **" + std::to_string(i) + "**\n";
  code += "```\n\n**end**";
  const std::string plain = markdown_to_screen(code);
  EXPECT_TRUE(plain.starts_with("Start now\n\nx = **0**\nx = **1**\n"));
  EXPECT_NE(plain.find("\nx = **5999**\n\nend"), std::string::npos)
      << plain.substr(plain.size() - 60);
  for (int i = 0; i < 6000; i += 7) {
    ASSERT_NE(plain.find("x = **" + std::to_string(i) + "**"), std::string::npos) << i;
  }
}

// Rows may be shorter than the header: 16 KB of this would be millions of cells. It is shown as it
// came.
TEST(Markdown, TablesThatWouldExplodeStayAsTheyAre) {
  const auto table = [](int columns, int rows) {
    std::string text;
    for (int i = 0; i < columns; ++i) text += "|a";
    text += "|\n";
    for (int i = 0; i < columns; ++i) text += "|---";
    text += "|\n";
    for (int i = 0; i < rows; ++i) text += "|\n";
    return text;
  };
  EXPECT_TRUE(markdown_to_screen(table(3, 2)).starts_with("a, a, a\n"));
  const std::string large = table(2000, 3000);
  EXPECT_EQ(markdown_to_screen(large) + "\n", large);
}

// bugs.md, row T-set: golden files. To accept a change: GADGET_GOLDEN_UPDATE=1 media_test, then
// read the diff.
TEST(Markdown, Tset_GoldenFiles) {
  const fs::path folder = fs::path(GADGET_SOURCE_DIR) / "media" / "testdata" / "tset";
  const bool update = std::getenv("GADGET_GOLDEN_UPDATE") != nullptr;
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".md") continue;
    ++cases;
    const std::string source = files::read(entry.path(), 1 << 20).value();
    for (const auto& [extension, result] :
         {std::pair{".utf8", shape_for_screen(source, Charset::utf8, Markup::markdown)},
          {".ascii", shape_for_screen(source, Charset::ascii, Markup::markdown)},
          {".speech", markdown_to_speech(source)}}) {
      const fs::path golden = fs::path(entry.path()).replace_extension(extension);
      if (update) {
        ASSERT_TRUE(files::write(golden, result + "\n"));
      }
      EXPECT_EQ(result + "\n", files::read(golden, 1 << 20).value_or("")) << golden;
    }
  }
  EXPECT_GE(cases, 15);
}

}  // namespace
}  // namespace gadget::media
