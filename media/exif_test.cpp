#include "media/exif.hpp"

#include <string>

#include <gtest/gtest.h>

#include "media/image_test_support.hpp"

namespace gadget::media {
namespace {

Orientation of(const std::string& tiff) { return exif_orientation(std::as_bytes(std::span(tiff))); }

TEST(Exif, BothByteOrdersGiveAllEight) {
  for (int value = 1; value <= 8; ++value) {
    EXPECT_EQ(of(test::tiff(value, true)), static_cast<Orientation>(value));
    EXPECT_EQ(of(test::tiff(value, false)), static_cast<Orientation>(value));
  }
}

TEST(Exif, WhatIsMissingOrUnknownIsUpright) {
  EXPECT_EQ(of(""), Orientation::upright);
  EXPECT_EQ(of(test::tiff(0)), Orientation::upright);
  EXPECT_EQ(of(test::tiff(9)), Orientation::upright);
  std::string other_type = test::tiff(6);
  other_type[24] = 4;
  EXPECT_EQ(of(other_type), Orientation::upright);
}

TEST(Exif, CutAnywhereIsReadWithinItsBounds) {
  const std::string whole = test::tiff(6);
  const std::size_t needed = whole.size() - 4;  // what follows the entry is not needed
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of that size, so that a sanitizer sees a byte too many.
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(of(cut), size >= needed ? Orientation::turned_right : Orientation::upright) << size;
  }
}

TEST(Exif, ADirectoryOutsideIsNone) {
  for (const char high : {'\x7F', '\xFF'}) {
    std::string far = test::tiff(6);
    far[7] = high;
    EXPECT_EQ(of(far), Orientation::upright);
  }
}

TEST(Exif, FoundInFilesOfBothKinds) {
  const auto grey = [](std::uint32_t, std::uint32_t) { return test::Rgb{90, 90, 90}; };
  const std::string block = test::tiff(8);
  const std::string jpeg = test::jpeg(8, 8, grey, {.exif = block});
  const std::string png = test::png(8, 8, grey, {.exif = block});
  EXPECT_EQ(exif_orientation(exif_of_jpeg(std::as_bytes(std::span(jpeg)))),
            Orientation::turned_left);
  EXPECT_EQ(exif_orientation(exif_of_png(std::as_bytes(std::span(png)))), Orientation::turned_left);
  const std::string bare = test::jpeg(8, 8, grey);
  EXPECT_TRUE(exif_of_jpeg(std::as_bytes(std::span(bare))).empty());
}

}  // namespace
}  // namespace gadget::media
