// What commands print: nothing that a device sent moves the cursor; tables fit.
#include "cli/print.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gadget::cli
