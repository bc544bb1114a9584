#include "hub/firmware/image.hpp"

#include <gtest/gtest.h>

#include "hub/firmware/limits.hpp"
#include "hub/firmware/update_test_support.hpp"
#include "hub/firmware/version.hpp"

namespace gadget::hub {
namespace {

using bench::image_of;

std::shared_ptr<const FirmwareImage> made(std::string bytes) {
  auto image = FirmwareImage::make(std::move(bytes));
  EXPECT_TRUE(image);
  return image ? *image : nullptr;
}

TEST(Image, E29_SaysWhatItIs) {
  const auto image = made(image_of("1.2.3", 5000, "desk-v2"));
  EXPECT_FALSE(image->problem());
  EXPECT_EQ(image->version(), "1.2.3");
  EXPECT_TRUE(image->version_known());
  EXPECT_EQ(image->board(), "desk-v2");
  EXPECT_EQ(image->size(), 5000);
  EXPECT_EQ(image->sha256().size(), 64U);
  EXPECT_TRUE(fits_board(*image, "desk-v2"));
}

TEST(Image, Sha256IsThatOfItsBytes) {
  EXPECT_EQ(made("abc")->sha256(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Image, E29_EachMistakeNamesItsPlaceAndSaysWhatToDo) {
  const auto problem = [](std::size_t at, std::string_view bytes) {
    std::string image = image_of("1.2.3", 5000);
    image.replace(at, bytes.size(), bytes);
    const auto its = made(std::move(image))->problem();
    EXPECT_TRUE(its && !its->hint.empty()) << at;
    return its ? its->text : std::string();
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(problem(0, "\xE8"), "byte 0 is E8, not E9");
  has(problem(0, "<!DOCTYPE html>"), "web page");
  has(problem(0,
              "\x7F"
              "ELF"),
      "ELF");
  has(problem(33, "\x55"), "byte 32");
  has(problem(80, "hermes_gadge7"), "\"hermes_gadge7\"");
  has(problem(93, "s"), "\"hermes_gadgets\"");
  has(problem(48, std::string_view("\0", 1)), "byte 48");
  has(problem(49, "\x01"), "byte 48");
  has(made(std::string(287, '\xE9'))->problem()->text, "has 287 bytes");
}

TEST(Image, E29_TheFirstBoardThatIsNotEmptyCounts) {
  std::string image = image_of("1.2.3", 5000, "");
  EXPECT_EQ(made(image)->board(), "");
  EXPECT_FALSE(fits_board(*made(image), "sim"));
  EXPECT_FALSE(fits_board(*made(image), ""));
  image.replace(400, 13, std::string("HGBOARD=real\0", 13));
  image.replace(500, 14, std::string("HGBOARD=other\0", 14));
  EXPECT_EQ(made(image)->board(), "real");
  // The end of the image ends it too.
  std::string last = image_of("1.2.3", 5000, "");
  last += "HGBOARD=end";
  EXPECT_EQ(made(last)->board(), "end");
  last += '\xFF';
  EXPECT_EQ(made(last)->board(), "end");
}

TEST(Image, E29_AnotherBoardIsRefusedByName) {
  const auto fits = fits_board(*made(image_of("1", 5000, "kitchen")), "desk");
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, FailureCode::refused);
  EXPECT_NE(fits.error().text.find("\"kitchen\""), std::string::npos);
  EXPECT_NE(fits.error().text.find("\"desk\""), std::string::npos);
  EXPECT_FALSE(fits_board(*made(image_of("1", 5000, "desk2")), "desk"));
  EXPECT_FALSE(fits_board(*made(image_of("1", 5000, "des")), "desk"));
}

TEST(Image, AnyOtherFileGetsAVersionOfItsOwn) {
  const auto image = made("not firmware at all");
  EXPECT_TRUE(image->problem());
  EXPECT_FALSE(image->version_known());
  EXPECT_EQ(image->version(), "image-" + image->sha256().substr(0, 12));
}

TEST(Image, ItsSizeHasALimit) {
  EXPECT_EQ(FirmwareImage::make("").error().code, FailureCode::invalid_argument);
  EXPECT_EQ(FirmwareImage::make(std::string(limits::kFirmwareFileBytes + 1, 'x')).error().code,
            FailureCode::invalid_argument);
  EXPECT_TRUE(FirmwareImage::make(std::string(limits::kFirmwareFileBytes, 'x')));
}

TEST(Version, E29_TheOlderOneIsKnown) {
  // Each is older than all behind it.
  const std::vector<std::string_view> order{
      "0.9", "1.0.0-alpha", "1.0.0-alpha.2", "1.0.0-rc1", "1.0.0-rc10", "v1.0.0", "1.0.1",
      "1.2", "1.2.0",       "1.10.0",        "2.0.0",     "10",         "2026.11"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      const int expected = i < j ? -1 : i > j ? 1 : 0;
      EXPECT_EQ(compare_versions(order[i], order[j]), expected) << order[i] << " " << order[j];
    }
  }
  EXPECT_EQ(compare_versions("v1.2.3", "1.2.3"), 0);
  EXPECT_EQ(compare_versions("1.2.3+build7", "1.2.3"), 0);
  EXPECT_EQ(compare_versions("1.02", "1.2"), 0);
  EXPECT_EQ(compare_versions("99999999999999999999999", "99999999999999999999998"), 1);
  EXPECT_EQ(compare_versions("", ""), 0);
  EXPECT_EQ(compare_versions("", "1"), -1);
}

TEST(Version, AnyTextsHaveOneOrder) {
  const std::vector<std::string_view> texts{"",    "-",    ".",   "..1", "abc", "a1", "1a", "-1",
                                            "1--", "1.-2", "vv1", "v",   "+",   "1+", "é",  "1.é"};
  for (const auto a : texts) {
    EXPECT_EQ(compare_versions(a, a), 0) << a;
    for (const auto b : texts) EXPECT_EQ(compare_versions(a, b), -compare_versions(b, a)) << a << b;
  }
}

}  // namespace
}  // namespace gadget::hub
