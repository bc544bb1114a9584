// A picture's whole way: a file, `hermes-gadget image`, the hub, the virtual gadget, its screen.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "cli/process_test_support.hpp"
#include "media/png.hpp"

namespace gadget::testing {
namespace {

namespace fs = std::filesystem;

const char* const kProgram = GADGET_PROGRAM;

class Picture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "gadget-picture-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    hub_.emplace(std::vector<std::string>{kProgram, "hub", "--agent", "echo", "--port", "0",
                                          "--state", at("hub"), "--set", "speech_profile=minimal"});
    const std::string ready = hub_->line().value_or("");
    ASSERT_TRUE(ready.starts_with("ready ")) << hub_->err_text;
    url_ = ready.substr(6);
  }
  void TearDown() override {
    hub_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Ran owner(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    words.insert(words.end(), {"--state", at("hub")});
    return run(std::move(words));
  }
  // A gadget that is paired, shows a picture, keeps its screen, and leaves.
  void start_gadget(const std::string& profile) {
    std::ofstream(at("script")) << "wait ready 20\nwait image 20\nscreenshot " << at("screen.png")
                                << "\nquit\n";
    gadget_.emplace(std::vector<std::string>{kProgram, "sim", "--headless", "--url", url_,
                                             "--state", at("sim"), "--name", "kitchen", "--profile",
                                             profile, "--script", at("script")});
    while (const auto line = gadget_->line()) {
      if (const auto code = line->find("pairing: "); code != std::string::npos) {
        const Ran approved = owner({"pairing", "approve", "gadget", line->substr(code + 9)});
        EXPECT_EQ(approved.code, 0) << approved.err;
      }
      if (line->find("state: ready") != std::string::npos) return;
    }
    FAIL() << gadget_->err_text;
  }

  fs::path folder_;
  std::string url_;
  std::optional<Process> hub_, gadget_;
};

struct Rgb {
  int red, green, blue;
};

void expect_near(const media::Image& image, std::uint32_t x, std::uint32_t y, Rgb expected) {
  const auto* const is = image.rgb.data() + 3 * (std::size_t{y} * image.width + x);
  EXPECT_NEAR(is[0], expected.red, 10) << x << ", " << y;
  EXPECT_NEAR(is[1], expected.green, 10) << x << ", " << y;
  EXPECT_NEAR(is[2], expected.blue, 10) << x << ", " << y;
}

// A progressive JPEG of 640 x 480 (red and green above, blue and white below) that is to be turned
// right by 90 degrees: seen are blue and red above, white and green below.
TEST_F(Picture, D3_APhotoIsOnTheScreenUpright) {
  start_gadget("desktop");
  const Ran sent =
      owner({"image", "kitchen", GADGET_SOURCE_DIR "/tests/data/turned_right.jpg", "--json"});
  EXPECT_EQ(sent.code, 0) << sent.err;
  EXPECT_NE(sent.out.find("\"width\":147,\"height\":196"), std::string::npos) << sent.out;
  ASSERT_EQ(gadget_->wait(), 0) << gadget_->out_text << gadget_->err_text;
  const auto file = files::read(at("screen.png"), 1 << 20);
  ASSERT_TRUE(file);
  const auto screen = media::decode_png(*file);
  ASSERT_TRUE(screen);
  ASSERT_EQ(screen->width, 320U);
  // The middle of the picture is near the middle of the screen, which has a line above and below.
  expect_near(*screen, 120, 70, {0, 0, 255});
  expect_near(*screen, 200, 70, {255, 0, 0});
  expect_near(*screen, 120, 180, {255, 255, 255});
  expect_near(*screen, 200, 180, {0, 255, 0});
}

TEST_F(Picture, WhatIsWrongIsSaidInOneLine) {
  const auto fails = [this](const std::string& device, const std::string& file, int code,
                            std::string_view part) {
    const Ran ran = owner({"image", device, file});
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  };
  const std::string photo = GADGET_SOURCE_DIR "/tests/data/turned_right.jpg";
  fails("kitchen", photo, 1, "no device");
  fails("kitchen", at("nothing.jpg"), 1, "No such file");
  fails("kitchen", folder_.string(), 1, "directory");
  std::ofstream(at("empty.jpg"));
  fails("kitchen", at("empty.jpg"), 2, "is empty");
  std::ofstream(at("big.jpg")) << "x";
  fs::resize_file(at("big.jpg"), 33UL << 20U);
  fails("kitchen", at("big.jpg"), 2, "larger than");

  start_gadget("desktop");
  std::ofstream(at("cat.gif")) << "GIF89a";
  fails("kitchen", at("cat.gif"), 2, "this is a GIF (JPEG and PNG are understood)");
  const std::string whole = *files::read(photo, 1 << 20);
  std::ofstream(at("cut.jpg"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  fails("kitchen", at("cut.jpg"), 1, "ends too early");
  EXPECT_EQ(owner({"image", "kitchen", photo}).code, 0);  // the gadget waits for one
  EXPECT_EQ(gadget_->wait(), 0);
  fails("kitchen", photo, 1, "is not connected");

  start_gadget("voice");
  fails("kitchen", photo, 4, "takes no pictures");
  gadget_->signal(SIGTERM);
  (void)gadget_->wait();
}

}  // namespace
}  // namespace gadget::testing
