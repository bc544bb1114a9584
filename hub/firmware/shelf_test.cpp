#include "hub/firmware/shelf.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;

class Shelf : public ::testing::Test {
 protected:
  Shelf() {
    std::string pattern = (fs::temp_directory_path() / "gadget-shelf-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  ~Shelf() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  [[nodiscard]] fs::path folder() const { return root_ / "firmware"; }
  [[nodiscard]] fs::path file(const FirmwareImage& image) const {
    return folder() / (image.sha256() + ".bin");
  }

  fs::path root_;
};

TEST_F(Shelf, KeepsAnImageForThisUserOnly) {
  FirmwareFolder shelf(folder());
  const auto image = *FirmwareImage::make("some bytes");
  ASSERT_TRUE(shelf.keep(*image));
  struct stat status {};
  ASSERT_EQ(::stat(file(*image).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto read = shelf.read(image->sha256());
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ((*read)->sha256(), image->sha256());
}

TEST_F(Shelf, AFileThatWasChangedIsNotSent) {
  FirmwareFolder shelf(folder());
  const auto image = *FirmwareImage::make("some bytes");
  ASSERT_TRUE(shelf.keep(*image));
  std::ofstream(file(*image)) << "other bytes";
  EXPECT_EQ(shelf.read(image->sha256()).error().code, FailureCode::corrupt);
  fs::resize_file(file(*image), 0);
  EXPECT_EQ(shelf.read(image->sha256()).error().code, FailureCode::corrupt);
  fs::remove(file(*image));
  EXPECT_EQ(shelf.read(image->sha256()).error().code, FailureCode::not_found);
}

// What is being sent is in memory: a file that is cut meanwhile hurts nobody.
TEST_F(Shelf, AFileThatIsCutWhileItIsUsedChangesNothing) {
  FirmwareFolder shelf(folder());
  const auto image = *FirmwareImage::make(std::string(1 << 20, 'x'));
  ASSERT_TRUE(shelf.keep(*image));
  const auto read = *shelf.read(image->sha256());
  fs::resize_file(file(*image), 0);
  std::size_t count = 0;
  for (const std::byte byte : read->bytes()) count += byte == std::byte{'x'} ? 1 : 0;
  EXPECT_EQ(count, std::size_t{1} << 20);
}

TEST_F(Shelf, WhatNobodyNeedsGoes) {
  FirmwareFolder shelf(folder());
  shelf.keep_only({});  // no folder yet
  const auto one = *FirmwareImage::make("one");
  const auto two = *FirmwareImage::make("two");
  ASSERT_TRUE(shelf.keep(*one));
  ASSERT_TRUE(shelf.keep(*two));
  std::ofstream(folder() / "left-over") << "x";
  shelf.keep_only({two->sha256()});
  EXPECT_FALSE(fs::exists(file(*one)));
  EXPECT_TRUE(fs::exists(file(*two)));
  EXPECT_FALSE(fs::exists(folder() / "left-over"));
}

}  // namespace
}  // namespace gadget::hub
