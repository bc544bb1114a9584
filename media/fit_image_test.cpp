#include "media/fit_image.hpp"

#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <png.h>

#include "media/image_limits.hpp"
#include "media/image_test_support.hpp"

namespace gadget::media {
namespace {

using test::Colours;
using test::distance;
using test::fit;
using test::pixel;
using test::Rgb;

constexpr Rgb kRed{255, 0, 0}, kGreen{0, 255, 0}, kBlue{0, 0, 255}, kWhite{255, 255, 255},
    kBlack{0, 0, 0};

// Red and green above, blue and white below.
test::Painting quarters(std::uint32_t width, std::uint32_t height) {
  return [width, height](std::uint32_t x, std::uint32_t y) {
    if (y < height / 2) return x < width / 2 ? kRed : kGreen;
    return x < width / 2 ? kBlue : kWhite;
  };
}

// The four corners: top left, top right, bottom left, bottom right.
void expect_corners(const FittedImage& image, const std::array<Rgb, 4>& expected, int off = 0) {
  const std::uint32_t right = image.width - 1;
  const std::uint32_t below = image.height - 1;
  EXPECT_LE(distance(pixel(image, 0, 0), expected[0]), off);
  EXPECT_LE(distance(pixel(image, right, 0), expected[1]), off);
  EXPECT_LE(distance(pixel(image, 0, below), expected[2]), off);
  EXPECT_LE(distance(pixel(image, right, below), expected[3]), off);
}

Failure failure_of(const Result<FittedImage>& image) {
  return image ? Failure{FailureCode::internal, "it worked", ""} : image.error();
}
void expect_failure(const Result<FittedImage>& image, FailureCode code, std::string_view part) {
  const Failure failure = failure_of(image);
  EXPECT_EQ(failure.code, code) << to_line(failure);
  EXPECT_NE(to_line(failure).find(part), std::string::npos) << to_line(failure);
}

// ---- Sizes ----

TEST(FitImage, D3_InsideTheBoxWithItsProportionsNeverEnlarged) {
  struct Case {
    std::uint32_t width, height, box_width, box_height, fitted_width, fitted_height;
  };
  for (const Case& c : {Case{400, 300, 320, 196, 261, 196},
                        {300, 400, 320, 196, 147, 196},
                        {1000, 100, 320, 196, 320, 32},
                        {20, 10, 320, 196, 20, 10},
                        {320, 196, 320, 196, 320, 196},
                        {321, 196, 320, 196, 320, 195},
                        {3000, 1, 320, 196, 320, 1},
                        {1, 1, 1, 1, 1, 1}}) {
    const auto paint = quarters(c.width, c.height);
    for (const std::string& file :
         {test::jpeg(c.width, c.height, paint), test::png(c.width, c.height, paint)}) {
      const auto image = fit(file, c.box_width, c.box_height);
      ASSERT_TRUE(image) << to_line(image.error());
      EXPECT_EQ(image->width, c.fitted_width) << c.width << " x " << c.height;
      EXPECT_EQ(image->height, c.fitted_height) << c.width << " x " << c.height;
      EXPECT_EQ(image->rgb565.size(), std::size_t{2} * c.fitted_width * c.fitted_height);
    }
  }
}

TEST(FitImage, T7_PixelsAreLittleEndianRowsFromTheTop) {
  const auto image = fit(test::png(2, 2, quarters(2, 2)), 320, 196);
  ASSERT_TRUE(image);
  constexpr std::array<unsigned, 8> kExpected{0x00, 0xF8, 0xE0, 0x07, 0x1F, 0x00, 0xFF, 0xFF};
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(image->rgb565[i]), kExpected[i]) << i;
  }
}

TEST(FitImage, D3_ABoxThatIsNoneIsRefused) {
  const std::string file = test::png(2, 2, quarters(2, 2));
  for (const auto& [width, height] : {std::pair{0U, 5U}, {5U, 0U}, {4097U, 1U}, {4096U, 513U}}) {
    expect_failure(fit(file, width, height), FailureCode::invalid_argument, "no picture fits");
  }
  EXPECT_TRUE(fit(file, 4096, 512));
}

// ---- JPEG ----

TEST(FitImage, D3_JpegsOfEveryKind) {
  const auto paint = quarters(640, 480);
  for (const bool progressive : {false, true}) {
    for (const bool halved : {false, true}) {
      const auto image = fit(
          test::jpeg(640, 480, paint, {.progressive = progressive, .halved = halved}), 320, 196);
      ASSERT_TRUE(image) << to_line(image.error());
      EXPECT_EQ(image->width, 261U);
      expect_corners(*image, {kRed, kGreen, kBlue, kWhite}, 8);
    }
  }
  const auto grey = fit(test::jpeg(64, 64,
                                   [](auto x, auto) {
                                     return x < 32 ? kBlack : Rgb{128, 128, 128};
                                   },
                                   {.colours = Colours::grey}),
                        32, 32);
  ASSERT_TRUE(grey);
  EXPECT_LE(distance(pixel(*grey, 2, 2), kBlack), 4);
  EXPECT_LE(distance(pixel(*grey, 30, 2), {128, 128, 128}), 8);
}

TEST(FitImage, D3_CmykWithAndWithoutAdobesInversion) {
  for (const bool adobe : {true, false}) {
    const auto image = fit(
        test::jpeg(64, 48, quarters(64, 48), {.colours = Colours::cmyk, .adobe = adobe}), 320, 196);
    ASSERT_TRUE(image) << to_line(image.error());
    expect_corners(*image, {kRed, kGreen, kBlue, kWhite}, 8);
  }
}

// Every shrinking step of the decoder must give the same picture.
TEST(FitImage, D3_ShrunkByEighthsTheColoursStay) {
  const auto paint = [](std::uint32_t x, std::uint32_t y) {
    return Rgb{static_cast<int>(x / 5), static_cast<int>(y / 4), static_cast<int>((x + y) / 9)};
  };
  const std::string file = test::jpeg(1280, 1024, paint, {.quality = 98, .halved = false});
  for (const std::uint32_t width : {1280U, 700U, 640U, 321U, 160U, 150U, 40U}) {
    const auto image = fit(file, width, std::min(4096U, 2048 * 1024 / width));
    ASSERT_TRUE(image) << to_line(image.error());
    ASSERT_EQ(image->width, width);
    const double scale = 1280.0 / width;
    for (const double part : {0.1, 0.5, 0.9}) {
      const auto x = static_cast<std::uint32_t>(part * image->width);
      const auto y = static_cast<std::uint32_t>(part * image->height);
      const Rgb expected = paint(static_cast<std::uint32_t>((x + 0.5) * scale),
                                 static_cast<std::uint32_t>((y + 0.5) * scale));
      EXPECT_LE(distance(pixel(*image, x, y), expected), 9) << width;
    }
  }
}

TEST(FitImage, D3_TurnedAsEachOrientationSays) {
  const auto paint = quarters(64, 32);
  constexpr Rgb R = kRed, G = kGreen, B = kBlue, W = kWhite;
  constexpr std::array<std::array<Rgb, 4>, 8> kSeen{{{R, G, B, W},
                                                     {G, R, W, B},
                                                     {W, B, G, R},
                                                     {B, W, R, G},
                                                     {R, B, G, W},
                                                     {B, R, W, G},
                                                     {W, G, B, R},
                                                     {G, W, R, B}}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string block = test::tiff(orientation, orientation % 2 == 0);
    for (const std::string& file :
         {test::jpeg(64, 32, paint, {.exif = block}), test::png(64, 32, paint, {.exif = block})}) {
      const auto image = fit(file, 32, 320);
      ASSERT_TRUE(image) << to_line(image.error());
      const bool swapped = orientation > 4;
      EXPECT_EQ(image->width, 32U) << orientation;
      EXPECT_EQ(image->height, swapped ? 64U : 16U) << orientation;
      expect_corners(*image, kSeen[static_cast<std::size_t>(orientation - 1)], 8);
    }
  }
}

// ---- PNG ----

TEST(FitImage, D3_PngsOfEveryKind) {
  const auto paint = quarters(40, 30);
  for (const bool interlaced : {false, true}) {
    for (const auto& [type, depth] : {std::pair{PNG_COLOR_TYPE_RGB, 8},
                                      {PNG_COLOR_TYPE_RGB, 16},
                                      {PNG_COLOR_TYPE_RGB_ALPHA, 8},
                                      {PNG_COLOR_TYPE_RGB_ALPHA, 16},
                                      {PNG_COLOR_TYPE_PALETTE, 8},
                                      {PNG_COLOR_TYPE_PALETTE, 4}}) {
      const auto image =
          fit(test::png(40, 30, paint,
                        {.colour_type = type, .bit_depth = depth, .interlaced = interlaced}),
              20, 20);
      ASSERT_TRUE(image) << to_line(image.error());
      EXPECT_EQ(image->height, 15U);
      expect_corners(*image, {kRed, kGreen, kBlue, kWhite});
    }
    const auto ramp = [](std::uint32_t x, std::uint32_t) { return x < 5 ? kBlack : kWhite; };
    for (const auto& [type, depth] : {std::pair{PNG_COLOR_TYPE_GRAY, 1},
                                      {PNG_COLOR_TYPE_GRAY, 2},
                                      {PNG_COLOR_TYPE_GRAY, 4},
                                      {PNG_COLOR_TYPE_GRAY, 8},
                                      {PNG_COLOR_TYPE_GRAY, 16},
                                      {PNG_COLOR_TYPE_GRAY_ALPHA, 8},
                                      {PNG_COLOR_TYPE_GRAY_ALPHA, 16}}) {
      const auto image =
          fit(test::png(9, 3, ramp,
                        {.colour_type = type, .bit_depth = depth, .interlaced = interlaced}),
              20, 20);
      ASSERT_TRUE(image) << to_line(image.error());
      expect_corners(*image, {kBlack, kWhite, kBlack, kWhite});
    }
  }
}

TEST(FitImage, D3_InterlacedIsTheSamePicture) {
  std::mt19937 random(7);
  std::vector<Rgb> pixels(101 * 67);
  for (Rgb& one : pixels) {
    const auto value = random();
    one = {static_cast<int>(value & 255), static_cast<int>((value >> 8) & 255),
           static_cast<int>((value >> 16) & 255)};
  }
  const auto paint = [&pixels](std::uint32_t x, std::uint32_t y) { return pixels[y * 101 + x]; };
  for (const auto& [width, height] : {std::pair{101U, 67U}, {40U, 40U}, {1U, 1U}}) {
    const auto plain = fit(test::png(101, 67, paint), width, height);
    const auto passes = fit(test::png(101, 67, paint, {.interlaced = true}), width, height);
    ASSERT_TRUE(plain && passes);
    ASSERT_EQ(plain->width, passes->width);
    for (std::uint32_t y = 0; y < plain->height; ++y) {
      for (std::uint32_t x = 0; x < plain->width; ++x) {
        ASSERT_LE(distance(pixel(*plain, x, y), pixel(*passes, x, y)), 9);  // a level at most
      }
    }
  }
  for (std::uint32_t side = 1; side < 9; ++side) {  // passes that have no pixels
    EXPECT_TRUE(fit(test::png(side, 9 - side, paint, {.interlaced = true}), 9, 9)) << side;
  }
}

TEST(FitImage, D3_TransparentPartsAreOnBlack) {
  const auto red = [](std::uint32_t, std::uint32_t) { return kRed; };
  const auto half = fit(test::png(8, 8, red,
                                  {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA,
                                   .alpha = [](auto x, auto) { return x < 4 ? 0 : 128; }}),
                        8, 8);
  ASSERT_TRUE(half);
  EXPECT_EQ(pixel(*half, 0, 0), kBlack);
  EXPECT_LE(distance(pixel(*half, 7, 7), {128, 0, 0}), 4);
  const auto palette =
      fit(test::png(8, 8, red,
                    {.colour_type = PNG_COLOR_TYPE_PALETTE,
                     .alpha = [](auto index, auto) { return index == 4 ? 0 : 255; }}),
          8, 8);
  ASSERT_TRUE(palette);
  EXPECT_EQ(pixel(*palette, 3, 3), kBlack);
}

// ---- Dithering ----

TEST(FitImage, D3_DitheringKeepsTheMeanOfAColourBetweenTwoLevels) {
  for (const int grey : {0, 3, 67, 100, 130, 251, 255}) {
    const std::string file = test::png(64, 64, [grey](auto, auto) {
      return Rgb{grey, grey, grey};
    });
    const auto plain = fit(file, 64, 64);
    const auto dithered = fit(file, 64, 64, true);
    ASSERT_TRUE(plain && dithered);
    double sum = 0;
    int furthest = 0;
    for (std::uint32_t y = 0; y < 64; ++y) {
      for (std::uint32_t x = 0; x < 64; ++x) {
        EXPECT_EQ(pixel(*plain, x, y), pixel(*plain, 0, 0));
        sum += pixel(*dithered, x, y).red >> 3;  // its level
        furthest = std::max(furthest, std::abs(pixel(*dithered, x, y).red - grey));
      }
    }
    EXPECT_NEAR(sum / 4096, grey * 31 / 255.0, 0.02) << grey;
    EXPECT_LE(furthest, 8) << grey;
  }
}

// ---- Hostile files ----

TEST(FitImage, WhatIsNoPictureIsNamed) {
  expect_failure(fit("", 10, 10), FailureCode::invalid_argument, "the file is empty");
  expect_failure(fit("hello", 10, 10), FailureCode::invalid_argument,
                 "JPEG and PNG are understood");
  expect_failure(fit("GIF89a....", 10, 10), FailureCode::invalid_argument, "a GIF");
  expect_failure(fit("RIFF....WEBPVP8 ", 10, 10), FailureCode::invalid_argument, "WebP");
  expect_failure(fit(std::string("\0\0\0\x18"
                                 "ftypheic",
                                 12),
                     10, 10),
                 FailureCode::invalid_argument, "HEIC");
  expect_failure(fit(std::string(limits::kImageFileBytes + 1, 'x'), 10, 10),
                 FailureCode::invalid_argument, "too large");
}

std::string with(std::string file, std::size_t at, std::string_view bytes) {
  return file.replace(at, bytes.size(), bytes);
}

TEST(FitImage, AHeaderOfGiantSidesIsNotBelieved) {
  const auto white = [](std::uint32_t, std::uint32_t) { return kWhite; };
  const std::string jpeg = test::jpeg(8, 8, white);
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  const std::size_t sides = frame + 5;
  expect_failure(fit(with(jpeg, sides, "\xFF\xDC\xFF\xDC"), 10, 10), FailureCode::invalid_argument,
                 "65500 x 65500");
  expect_failure(fit(with(jpeg, sides, "\xFF\xFF\xFF\xFF"), 10, 10), FailureCode::corrupt,
                 "65500");  // libjpeg's own limit, named by it
  expect_failure(fit(with(jpeg, sides, {"\0\0\0\x08", 4}), 10, 10), FailureCode::corrupt, "JPEG");
  expect_failure(fit(with(jpeg, sides, {"\0\x08\0\0", 4}), 10, 10), FailureCode::corrupt, "JPEG");

  const std::string png = test::png(8, 8, white);
  expect_failure(fit(with(png, 16, {"\0\0\xFF\xFF\0\0\xFF\xFF", 8}), 10, 10),
                 FailureCode::invalid_argument, "65535 x 65535");
  expect_failure(fit(with(png, 16, {"\0\0\0\0\0\0\0\x08", 8}), 10, 10),
                 FailureCode::invalid_argument, "0 x 8");
  expect_failure(fit(with(png, 16, {"\xFF\xFF\xFF\xFF\0\0\0\x01", 8}), 10, 10),
                 FailureCode::invalid_argument, "4294967295 x 1");
  expect_failure(fit(with(png, 16, {"\0\0\0\x09", 4}), 10, 10), FailureCode::corrupt, "PNG");
}

TEST(FitImage, CutOffAnywhereIsAnErrorAndNeverAPicture) {
  const auto paint = quarters(64, 64);
  for (const bool progressive : {false, true}) {
    const std::string jpeg = test::jpeg(64, 64, paint, {.progressive = progressive});
    for (std::size_t size = 2; size < jpeg.size() - 2; size += 7) {
      const auto image = fit(jpeg.substr(0, size), 32, 32);
      EXPECT_FALSE(image) << size << " of " << jpeg.size();
    }
    expect_failure(fit(jpeg.substr(0, jpeg.size() * 3 / 4), 32, 32), FailureCode::corrupt,
                   "ends too early");
  }
  const std::string png = test::png(64, 64, paint);
  constexpr std::size_t kAfterPixels = 16;  // a checksum and the last chunk
  for (std::size_t size = 0; size < png.size() - kAfterPixels; size += 3) {
    EXPECT_FALSE(fit(png.substr(0, size), 32, 32)) << size << " of " << png.size();
  }
  expect_failure(fit(png.substr(0, png.size() / 2), 32, 32), FailureCode::corrupt,
                 "ends too early");
}

TEST(FitImage, WhatFollowsThePictureIsIgnored) {
  const auto paint = quarters(64, 64);
  const std::string junk(5000, '\xFF');
  EXPECT_TRUE(fit(test::jpeg(64, 64, paint) + junk, 32, 32));
  EXPECT_TRUE(fit(test::jpeg(64, 64, paint, {.progressive = true}) + junk, 32, 32));
  EXPECT_TRUE(fit(test::png(64, 64, paint) + junk, 32, 32));
}

TEST(FitImage, DamageIsAnErrorNotRubbishOnTheScreen) {
  std::string jpeg = test::jpeg(256, 256, [](std::uint32_t x, std::uint32_t y) {
    return Rgb{static_cast<int>((x * y) & 255), static_cast<int>(x & 255),
               static_cast<int>(y & 255)};
  });
  for (std::size_t at = jpeg.size() / 2; at < jpeg.size() / 2 + 64; ++at) jpeg[at] = '\xFF';
  EXPECT_EQ(failure_of(fit(jpeg, 32, 32)).code, FailureCode::corrupt);
  std::string png = test::png(64, 64, quarters(64, 64));
  png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 1);
  EXPECT_EQ(failure_of(fit(png, 32, 32)).code, FailureCode::corrupt);
}

TEST(FitImage, AJpegOfThousandsOfScansEnds) {
  const std::string jpeg = test::jpeg(64, 64, quarters(64, 64), {.one_by_one = true});
  EXPECT_TRUE(fit(jpeg, 32, 32));
  // Its last scan, again and again.
  const std::size_t last = jpeg.rfind("\xFF\xDA");
  const std::string scan = jpeg.substr(last, jpeg.size() - 2 - last);
  std::string many = jpeg.substr(0, last);
  for (int i = 0; i < 5000; ++i) many += scan;
  many += "\xFF\xD9";
  expect_failure(fit(many, 32, 32), FailureCode::corrupt, "scans");
}

TEST(FitImage, AProgressiveJpegThatNeedsTooMuchMemoryIsRefusedUnread) {
  const std::string jpeg =
      test::jpeg(64, 64, quarters(64, 64), {.progressive = true, .halved = false});
  const std::size_t frame = jpeg.find("\xFF\xC2");
  ASSERT_NE(frame, std::string::npos);
  // 7,168 x 7,168: below the limit of pixels, 294 MB of coefficients.
  expect_failure(fit(with(jpeg, frame + 5, {"\x1C\0\x1C\0", 4}), 10, 10),
                 FailureCode::invalid_argument, "baseline");
}

TEST(FitImage, ACompressedTextOfAnySizeIsSkipped) {
  const std::string bomb(20'000'000, 'a');
  const auto image = fit(test::png(8, 8, quarters(8, 8), {.text = bomb}), 8, 8);
  ASSERT_TRUE(image) << to_line(image.error());
  expect_corners(*image, {kRed, kGreen, kBlue, kWhite});
}

TEST(FitImage, WhatIsNotWantedAnyMoreEnds) {
  const std::atomic<bool> stop{true};
  for (const std::string& file :
       {test::jpeg(64, 64, quarters(64, 64)), test::png(64, 64, quarters(64, 64)),
        test::jpeg(64, 64, quarters(64, 64), {.progressive = true})}) {
    const auto image = fit_image(std::as_bytes(std::span(file)),
                                 {.width = 32, .height = 32, .dither = false, .stop = &stop});
    EXPECT_EQ(failure_of(image).code, FailureCode::cancelled);
  }
}

}  // namespace
}  // namespace gadget::media
