// Writing: what is replaced, and what is not.
#include "base/files.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gadget::files {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "files_test.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(FilesTest, AFileIsReplacedAndNothingIsLeftBeside) {
  ASSERT_TRUE(write(folder_ / "a", "one"));
  ASSERT_TRUE(write(folder_ / "a", "two", true));
  EXPECT_EQ(read(folder_ / "a", 10).value_or(""), "two");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FilesTest, ALinkStaysALink) {
  ASSERT_TRUE(write(folder_ / "a", "one"));
  fs::create_symlink("a", folder_ / "link");
  ASSERT_TRUE(write(folder_ / "link", "two"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "a", 10).value_or(""), "two");
}

TEST_F(FilesTest, APipeIsWrittenToAlsoThroughALink) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(ends[1]), folder_ / "out");
  ASSERT_TRUE(write(folder_ / "out", "heard"));
  char got[8] = {};
  EXPECT_EQ(::read(ends[0], got, sizeof got), 5);
  EXPECT_STREQ(got, "heard");
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  ::close(ends[0]);
  ::close(ends[1]);
}

// A link in a folder of our own, so that a failure harms no machine.
TEST_F(FilesTest, AFullDeviceIsAnErrorAndStaysADevice) {
  fs::create_symlink("/dev/full", folder_ / "full");
  const auto written = write(folder_ / "full", "lost");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text.find("No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file(folder_ / "full"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "full"));
}

TEST_F(FilesTest, AFolderIsAnErrorAndStaysAFolder) {
  EXPECT_FALSE(write(folder_, "x"));
  EXPECT_TRUE(fs::is_directory(folder_));
}

}  // namespace
}  // namespace gadget::files
