// What commands print: nothing that a device sent moves the cursor; tables fit.
#include "cli/print.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "cli/width.hpp"

namespace gadget::cli {
namespace {

TEST(Print, E6_TextsOfDevicesAreHarmless) {
  EXPECT_EQ(printable("Küche – ok"), "Küche – ok");
  EXPECT_EQ(printable("\x1b[2Jname"), "\\x1b[2Jname");
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\x0ab\\x0d\\x09c");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b");
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\\xe2\\x80\\x8b"
            "b");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xe2\x80\xa6"), "\xe2\x80\xa6");  // an ellipsis is harmless
}

TEST(Print, TablesStandInColumns) {
  Table table({"ID", "NAME"});
  EXPECT_TRUE(table.empty());
  table.row({"1", "kitchen"});
  table.row({"22", "Küche"});
  table.row({"3"});
  EXPECT_EQ(table.text(0), "ID  NAME\n1   kitchen\n22  Küche\n3\n");
}

TEST(Print, TablesFitTheTerminal) {
  Table table({"ID", "NAME"});
  table.row({"hg-0123456789abcdef", std::string(100, 'x')});
  const std::string text = table.text(60);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    EXPECT_LE(end - at, 62U);  // the ellipsis has three bytes
    at = end + 1;
  }
  EXPECT_NE(text.find("hg-0123456789abcdef"), std::string::npos);
  EXPECT_NE(text.find("\xe2\x80\xa6"), std::string::npos);
  EXPECT_FALSE(table.text(1).empty());
}

TEST(Print, WidthsAreThoseOfATerminal) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("K\u00fcche"), 5U);
  EXPECT_EQ(columns_of("\u53f0\u6240"), 4U);  // two wide ones
  EXPECT_EQ(columns_of("e\u0301"), 1U);       // a mark on its letter
  EXPECT_EQ(columns_of("\xff"), 1U);          // no UTF-8
  EXPECT_EQ(columns_of("\U0001f600"), 2U);
  EXPECT_EQ(cut_to_columns("\u53f0\u6240\u53f0", 5), "\u53f0\u6240\u2026");
  EXPECT_EQ(cut_to_columns("\u53f0\u6240\u53f0", 4), "\u53f0\u2026");
  EXPECT_EQ(cut_to_columns("abc", 3), "abc");
  EXPECT_EQ(cut_to_columns("abcd", 3), "ab\u2026");
  EXPECT_EQ(cut_to_columns("abcd", 1), "\u2026");
}

TEST(Print, WideTextsStandInColumns) {
  Table table({"A", "B"});
  table.row({"\u53f0\u6240", "x"});
  table.row({"abcde", "y"});
  EXPECT_EQ(table.text(0), "A      B\n\u53f0\u6240   x\nabcde  y\n");
}

TEST(Print, ALongListKeepsItsColumnsFromPageToPage) {
  Table table({"NAME", "B"});
  table.row({"long name", "x"});
  table.print_and_go_on();
  EXPECT_TRUE(table.empty());
  table.row({"short", "y"});
  EXPECT_EQ(table.text(0), "short      y\n");  // no heads a second time
}

TEST(Print, ColumnsAreTheEnvironmentsIfItSays) {
  ::setenv("COLUMNS", "40", 1);
  EXPECT_EQ(terminal_columns(), 40U);
  for (const char* bad : {"", "x", "0", "-1"}) {
    ::setenv("COLUMNS", bad, 1);
    EXPECT_NE(terminal_columns(), 40U);
  }
  ::unsetenv("COLUMNS");
}

TEST(Print, WithoutATerminalThereAreNoColours) {
  if (!is_terminal()) {
    EXPECT_EQ(inked(Ink::red, "x"), "x");
  }
}

}  // namespace
}  // namespace gadget::cli
