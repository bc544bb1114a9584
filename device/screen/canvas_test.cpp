#include "device/screen/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "device/screen/font.hpp"

namespace gadget::device::screen {
namespace {

constexpr Colour kCanary = 0xA5C3;
constexpr Colour kInk = rgb(255, 255, 255);

using Random = std::mt19937;

int number(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

// Mostly near the canvas, sometimes anything an int can be.
int coordinate(Random& random) {
  switch (number(random, 0, 19)) {
    case 0: return std::numeric_limits<int>::max() - number(random, 0, 2);
    case 1: return std::numeric_limits<int>::min() + number(random, 0, 2);
    case 2: return number(random, -100000, 100000);
    default: return number(random, -40, 560);
  }
}

Rect rect(Random& random) {
  return {coordinate(random), coordinate(random), coordinate(random), coordinate(random)};
}

Point point(Random& random) {
  if (number(random, 0, 9) == 0) return {coordinate(random), coordinate(random)};
  return {number(random, -600, 9000), number(random, -600, 9000)};
}

void draw_something(Canvas& canvas, Random& random) {
  const auto colour = static_cast<Colour>(number(random, 0, 0xFFFF));
  switch (number(random, 0, 9)) {
    case 0: canvas.fill(rect(random), colour); break;
    case 1: canvas.rounded(rect(random), coordinate(random), colour); break;
    case 2:
      canvas.rounded_frame(rect(random), number(random, -3, 40), number(random, -1, 9), colour);
      break;
    case 3: canvas.disc(point(random), number(random, -5, 3000), colour, 20); break;
    case 4:
      canvas.ring(point(random), number(random, -5, 3000), number(random, -5, 400), colour);
      break;
    case 5:
      canvas.arc(point(random), number(random, -5, 3000), number(random, -5, 400),
                 coordinate(random), coordinate(random), colour);
      break;
    case 6: canvas.line(point(random), point(random), number(random, -5, 200), colour); break;
    case 7: {
      const std::array points{point(random), point(random), point(random)};
      canvas.stroke(points, number(random, 0, 200), colour);
      break;
    }
    case 8: {
      const std::vector<Colour> picture(static_cast<std::size_t>(number(random, 0, 500)), colour);
      canvas.image(coordinate(random), coordinate(random), number(random, -2, 40),
                   coordinate(random), picture);
      break;
    }
    default:
      draw_text(canvas, kLatinFonts.medium, number(random, -200, 600), number(random, -40, 600),
                "Grey \xC3\xA4 \xE6\x97\xA5 g", colour);
  }
}

TEST(CanvasProperty, NothingIsWrittenOutsideTheClip) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    const int width = number(random, 1, 500);
    const int height = number(random, 1, 500);
    constexpr std::size_t kGuard = 600;
    const auto size = static_cast<std::size_t>(width * height);
    std::vector<Colour> memory(size + 2 * kGuard, kCanary);
    Canvas canvas(std::span<Colour>(memory).subspan(kGuard, size), width, height);
    const Rect clip = number(random, 0, 1) == 0 ? canvas.bounds() : rect(random);
    canvas.set_clip(clip);
    for (int i = 0; i < 6; ++i) draw_something(canvas, random);
    EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + kGuard,
                            [](Colour c) { return c == kCanary; }));
    EXPECT_TRUE(
        std::all_of(memory.end() - kGuard, memory.end(), [](Colour c) { return c == kCanary; }));
    const Rect seen = intersection(clip, canvas.bounds());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (seen.contains({x, y, 1, 1})) continue;
        ASSERT_EQ(canvas.pixels()[static_cast<std::size_t>(y * width + x)], kCanary);
      }
    }
  }
}

TEST(CanvasProperty, DirtyRectanglesCoverEveryChangedPixel) {
  Random random(2);
  std::vector<Colour> memory(std::size_t{320} * 240, kCanary);
  Canvas canvas(memory, 320, 240);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Colour> before = memory;
    canvas.clear_dirty();
    const int count = number(random, 1, 12);
    for (int i = 0; i < count; ++i) draw_something(canvas, random);
    ASSERT_LE(canvas.dirty().size(), kDirtyRects);
    for (int y = 0; y < 240; ++y) {
      for (int x = 0; x < 320; ++x) {
        const auto at = static_cast<std::size_t>(y * 320 + x);
        if (memory[at] == before[at]) continue;
        ASSERT_TRUE(std::any_of(canvas.dirty().begin(), canvas.dirty().end(),
                                [&](const Rect& r) {
                                  return r.contains({x, y, 1, 1});
                                }))
            << x << "," << y;
      }
    }
    for (const Rect& r : canvas.dirty()) ASSERT_TRUE(canvas.bounds().contains(r));
  }
}

TEST(Canvas, FarApartChangesStayApart) {
  std::vector<Colour> memory(std::size_t{320} * 240);
  Canvas canvas(memory, 320, 240);
  canvas.fill({0, 0, 10, 10}, kInk);
  canvas.fill({300, 200, 10, 10}, kInk);
  canvas.fill({2, 2, 5, 5}, kInk);
  ASSERT_EQ(canvas.dirty().size(), 2U);
  EXPECT_EQ(canvas.dirty()[0], (Rect{0, 0, 10, 10}));
  canvas.clear_dirty();
  EXPECT_TRUE(canvas.dirty().empty());
}

TEST(Canvas, TooFewPixelsMeanFewerRows) {
  std::vector<Colour> memory(25, kCanary);
  Canvas canvas(memory, 10, 10);
  canvas.fill(canvas.bounds(), kInk);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), kInk), 20);
  Canvas none({}, 320, 240);
  none.fill(none.bounds(), kInk);
  EXPECT_TRUE(none.dirty().empty());
  EXPECT_EQ(none.width(), 320);
}

TEST(Canvas, BlendingIsExactAtBothEnds) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto below = static_cast<Colour>(number(random, 0, 0xFFFF));
    const auto above = static_cast<Colour>(number(random, 0, 0xFFFF));
    ASSERT_EQ(blend(below, above, 0), below);
    ASSERT_EQ(blend(below, above, kOpaque), above);
    ASSERT_EQ(blend(below, below, 13), below);
  }
  EXPECT_EQ(blend(0, kInk, kOpaque / 2), rgb(127, 127, 127));
}

// The sum of coverage over all pixels, in pixels: of a shape in white on black.
double ink(const std::vector<Colour>& memory) {
  double sum = 0;
  for (const Colour c : memory) sum += (c >> 5U & 63U) / 63.0;
  return sum;
}

TEST(Shapes, CoverAsMuchAsGeometrySays) {
  std::vector<Colour> memory(std::size_t{200} * 200);
  Canvas canvas(memory, 200, 200);
  const auto area_of = [&](auto paint) {
    std::fill(memory.begin(), memory.end(), Colour{0});
    paint();
    return ink(memory);
  };
  constexpr double kPi = 3.14159265;
  const Point middle{100 * kOnePixel, 100 * kOnePixel};
  const auto px = [](int pixels) { return pixels * kOnePixel; };
  EXPECT_NEAR(area_of([&] { canvas.disc(middle, px(40), kInk); }), kPi * 1600, 25);
  EXPECT_NEAR(area_of([&] { canvas.ring(middle, px(40), px(10), kInk); }), kPi * 700, 25);
  EXPECT_NEAR(area_of([&] { canvas.arc(middle, px(40), px(10), 0, 256, kInk); }),
              kPi * 175 + kPi * 25, 25);
  EXPECT_NEAR(area_of([&] { canvas.arc(middle, px(40), px(10), 900, 768, kInk); }),
              kPi * 525 + kPi * 25, 25);
  EXPECT_NEAR(area_of([&] {
                canvas.line({px(20), px(50)}, {px(120), px(50)}, px(5), kInk);
              }),
              1000 + kPi * 25, 15);
  EXPECT_NEAR(area_of([&] {
                canvas.rounded({10, 10, 100, 60}, 20, kInk);
              }),
              6000 - (4 - kPi) * 400, 20);
  EXPECT_NEAR(area_of([&] {
                canvas.rounded_frame({10, 10, 100, 60}, 20, 5, kInk);
              }),
              6000 - (4 - kPi) * 400 - (4500 - (4 - kPi) * 225), 25);
  EXPECT_NEAR(area_of([&] {
                canvas.rounded_frame({10, 10, 100, 60}, 3, 5, kInk);
              }),
              6000 - (4 - kPi) * 9 - 4500, 8);
}

TEST(Shapes, AnArcIsOnItsOwnSide) {
  std::vector<Colour> memory(std::size_t{100} * 100);
  Canvas canvas(memory, 100, 100);
  // From 12 to 6 o'clock, clockwise: the right half.
  canvas.arc({50 * kOnePixel, 50 * kOnePixel}, 40 * kOnePixel, 6 * kOnePixel, 0, 512, kInk);
  EXPECT_EQ(memory[50 * 100 + 87], kInk);
  EXPECT_EQ(memory[50 * 100 + 13], 0);
}

TEST(Shapes, SineIsCloseToTheRealOne) {
  for (int turn = -2048; turn < 2048; ++turn) {
    const double angle = turn * 2 * 3.14159265358979 / kFullTurn;
    ASSERT_NEAR(sine(turn), 1024 * std::sin(angle), 3) << turn;
    ASSERT_NEAR(cosine(turn), 1024 * std::cos(angle), 3) << turn;
  }
}

TEST(Cells, AKnownCellIsNotDrawnAgain) {
  std::vector<Colour> memory(std::size_t{64} * 64);
  Canvas canvas(memory, 64, 64);
  const Rect area{8, 8, 16, 16};
  canvas.set_plan(1, 0);
  EXPECT_TRUE(canvas.begin_cell(0, area, 7, kInk));
  EXPECT_EQ(canvas.clip(), area);
  canvas.end_cell();
  EXPECT_EQ(canvas.clip(), canvas.bounds());
  canvas.clear_dirty();
  canvas.set_plan(1, 0);
  EXPECT_FALSE(canvas.begin_cell(0, area, 7, kInk));
  EXPECT_TRUE(canvas.dirty().empty());
  EXPECT_TRUE(canvas.begin_cell(0, area, 8, kInk)) << "another key";
  canvas.end_cell();
  canvas.set_plan(2, 0);
  EXPECT_TRUE(canvas.begin_cell(0, area, 8, kInk)) << "another plan";
  canvas.end_cell();
  canvas.forget();
  canvas.set_plan(2, 0);
  EXPECT_TRUE(canvas.begin_cell(0, area, 8, kInk)) << "forgotten";
  EXPECT_FALSE(canvas.begin_cell(kCells, area, 8, kInk)) << "no such cell";
}

}  // namespace
}  // namespace gadget::device::screen
