#include "protocol/base64.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gadget::protocol {
namespace {

TEST(Base64, RoundTripOfEveryLength) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::byte> bytes(size);
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    std::string text(base64_chars(size), '?');
    ASSERT_EQ(base64_encode(bytes, text).size(), text.size());
    std::vector<std::byte> back(size);
    ASSERT_TRUE(base64_decode(text, back));
    ASSERT_EQ(back, bytes);
  }
}

TEST(Base64, E5_OnlyTheOneFormIsTaken) {
  const auto takes = [](std::string_view text, std::size_t size) {
    std::vector<std::byte> out(size);
    return base64_decode(text, out).has_value();
  };
  EXPECT_TRUE(takes("Zg==", 1));
  EXPECT_FALSE(takes("Zh==", 1));  // unused bits
  EXPECT_FALSE(takes("Zg=", 1));
  EXPECT_FALSE(takes("Zg", 1));
  EXPECT_FALSE(takes("Zg==\n", 1));
  EXPECT_FALSE(takes("Z===", 1));
  EXPECT_FALSE(takes("Zg==", 2));
  EXPECT_TRUE(takes("Zm8=", 2));
  EXPECT_FALSE(takes("Zm9=", 2));
  EXPECT_FALSE(takes("Zm-_", 3));  // the other alphabet
  EXPECT_FALSE(takes(std::string_view("Zm\0v", 4), 3));
  EXPECT_TRUE(takes("", 0));
}

TEST(Base64, E5_NoOtherCharacterAnywhere) {
  for (int c = 0; c < 256; ++c) {
    const std::string text{'Z', static_cast<char>(c), '9', 'v'};
    std::byte out[3];
    const bool ok = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                    c == '+' || c == '/';
    EXPECT_EQ(base64_decode(text, out).has_value(), ok) << c;
  }
}

}  // namespace
}  // namespace gadget::protocol
