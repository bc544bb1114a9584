#include "media/png.hpp"

#include <random>

#include <gtest/gtest.h>

namespace gadget::media {
namespace {

Image noise(std::uint32_t width, std::uint32_t height) {
  std::mt19937 random(5);
  Image image{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height)};
  for (auto& byte : image.rgb) byte = static_cast<std::uint8_t>(random());
  return image;
}

TEST(Png, WhatWasEncodedIsDecoded) {
  for (const auto& [width, height] : {std::pair{1U, 1U}, {320U, 240U}, {7U, 3U}, {4096U, 1U}}) {
    const Image image = noise(width, height);
    const auto bytes = encode_png(image);
    ASSERT_TRUE(bytes) << bytes.error().text;
    const auto back = decode_png(*bytes);
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->width, width);
    EXPECT_EQ(back->height, height);
    EXPECT_EQ(back->rgb, image.rgb);
  }
}

TEST(Png, Rgb565IsSpreadToTheFullRange) {
  const std::vector<std::uint16_t> pixels{0x0000, 0xFFFF, 0xF800, 0x07E0, 0x001F, 0x8410};
  const auto bytes = encode_png_rgb565(pixels, 3, 2);
  ASSERT_TRUE(bytes);
  const auto image = decode_png(*bytes);
  ASSERT_TRUE(image);
  const std::vector<std::uint8_t> expected{0, 0,   0, 255, 255, 255, 255, 0,   0,
                                           0, 255, 0, 0,   0,   255, 132, 130, 132};
  EXPECT_EQ(image->rgb, expected);
}

TEST(Png, SidesAndBytesMustMatch) {
  EXPECT_EQ(encode_png({0, 1, {}}).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(encode_png({kMaxPngSide + 1, 1, {}}).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(encode_png({2, 2, std::vector<std::uint8_t>(11)}).error().code,
            FailureCode::invalid_argument);
  EXPECT_EQ(encode_png_rgb565(std::vector<std::uint16_t>(5), 2, 2).error().code,
            FailureCode::invalid_argument);
}

TEST(Png, WhatIsNoPngOrTooLargeIsRefused) {
  EXPECT_EQ(decode_png("GIF89a").error().code, FailureCode::invalid_argument);
  EXPECT_EQ(decode_png("").error().code, FailureCode::invalid_argument);
  EXPECT_EQ(decode_png("\x89PNG").error().code, FailureCode::corrupt);
  // A header that asks for 5,000 x 5,000 pixels must not be believed; its checksum is right.
  std::string huge = *encode_png(noise(1, 1));
  huge.replace(16, 8, std::string("\x00\x00\x13\x88\x00\x00\x13\x88", 8));
  huge.replace(29, 4, "\xD2\xFA\x10\x9C");
  EXPECT_NE(decode_png(huge).error().text.find("5000 x 5000"), std::string::npos);
}

TEST(PngProperty, DamageNeverLeadsOutside) {
  std::mt19937 random(6);
  const std::string good = *encode_png(noise(16, 16));
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good.substr(0, random() % 4 == 0 ? random() % good.size() : good.size());
    for (int flips = 0; flips < 3 && bytes.size() > 8; ++flips) {
      bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
    }
    const auto image = decode_png(bytes);
    if (!image) ++refused;
    if (image) {
      EXPECT_EQ(image->rgb.size(), std::size_t{3} * image->width * image->height);
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace gadget::media
