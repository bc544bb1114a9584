// The test patterns of a display: they reach every pixel, and the picture that was there comes
// back.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "device/screen/model.hpp"

namespace gadget::device::screen {
namespace {

TEST(Pattern, EveryPixelOfEverySizeIsDrawn) {
  for (const auto& [width, height] :
       {std::pair{128, 64}, std::pair{320, 240}, std::pair{480, 480}}) {
    std::vector<Colour> pixels(static_cast<std::size_t>(width * height), 0x1234);
    Canvas canvas{pixels, width, height};
    ScreenModel model;
    model.state = State::settings;
    std::set<std::set<Colour>> seen;
    for (std::uint8_t pattern = 1; pattern <= kTestPatterns; ++pattern) {
      model.test_pattern = pattern;
      draw(model, canvas, 0);
      const std::set<Colour> colours(pixels.begin(), pixels.end());
      EXPECT_EQ(colours.size(), pattern == 1 ? 8U : 1U);
      EXPECT_TRUE(seen.insert(colours).second) << "every pattern is another";
      EXPECT_EQ(colours.count(0x1234), 0U);
    }
    model.test_pattern = 1;
    draw(model, canvas, 0);
    for (const int corner : {0, width - 1, width * (height - 1), width * height - 1}) {
      EXPECT_EQ(pixels[static_cast<std::size_t>(corner)], rgb(255, 255, 255)) << "the frame";
    }
  }
}

TEST(Pattern, TheListComesBackAsItWas) {
  std::vector<Colour> pixels(320 * 240);
  Canvas canvas{pixels, 320, 240};
  ScreenModel model;
  model.state = State::settings;
  const std::array<SettingView, 1> rows{{{"Volume", "70 %"}}};
  model.settings = rows;
  draw(model, canvas, 0);
  const auto before = pixels;
  model.test_pattern = 1;
  draw(model, canvas, 0);
  EXPECT_NE(pixels, before);
  model.test_pattern = 0;
  draw(model, canvas, 0);
  EXPECT_EQ(pixels, before);
}

}  // namespace
}  // namespace gadget::device::screen
