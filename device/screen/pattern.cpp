// Test patterns: what shows whether every pixel, every colour and every edge of a display is there.
#include <array>

#include "device/screen/scene.hpp"

namespace gadget::device::screen {
namespace {

constexpr std::array<Colour, 8> kBars{rgb(255, 255, 255), rgb(255, 255, 0), rgb(0, 255, 255),
                                      rgb(0, 255, 0),     rgb(255, 0, 255), rgb(255, 0, 0),
                                      rgb(0, 0, 255),     rgb(0, 0, 0)};
// After the bars: whole areas, in which a dead pixel is seen.
constexpr std::array<Colour, kTestPatterns - 1> kAreas{rgb(255, 255, 255), rgb(255, 0, 0),
                                                       rgb(0, 255, 0), rgb(0, 0, 255)};

}  // namespace

void draw_pattern(Scene& scene) {
  Canvas& canvas = scene.canvas;
  const Rect all{0, 0, canvas.width(), canvas.height()};
  const unsigned pattern = scene.model.test_pattern;
  scene.cell(Slot::body, all, Key().add(pattern), [&] {
    if (pattern > 1 && pattern <= kTestPatterns) {
      canvas.fill(all, kAreas[pattern - 2]);
      return;
    }
    // An outermost frame of one pixel: a display that is off by one lacks a side of it.
    canvas.fill(all, kBars[0]);
    const Rect inner = all.inset(1, 1);
    const auto count = static_cast<int>(kBars.size());
    for (int i = 0; i < count; ++i) {
      const int from = inner.x + inner.w * i / count;
      const int to = inner.x + inner.w * (i + 1) / count;
      canvas.fill({from, inner.y, to - from, inner.h}, kBars[static_cast<std::size_t>(i)]);
    }
  });
}

}  // namespace gadget::device::screen
