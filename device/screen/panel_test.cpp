// What reaches the panel: pages of black and white, stripes of what changed, nothing outside a
// circle.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/screen/flush.hpp"
#include "device/screen/mono.hpp"
#include "device/screen/sample_models.hpp"
#include "device/screen/test_allocations.hpp"

namespace gadget::device::screen {
namespace {

constexpr Colour kWhite = 0xFFFF;

// ---- Black and white

TEST(Mono, APageIsEightRowsAByteAColumn) {
  std::vector<Colour> pixels(5 * 12);
  Canvas canvas(pixels, 5, 12);
  canvas.fill({1, 0, 1, 1}, kWhite);  // bit 0 of column 1
  canvas.fill({2, 7, 1, 1}, kWhite);  // bit 7 of column 2
  canvas.fill({4, 8, 1, 4}, kWhite);  // the second page has four rows
  std::vector<std::uint8_t> out(8, 0xEE);
  const auto first = to_mono(canvas, 0, Tone::threshold, out);
  EXPECT_EQ(std::vector<std::uint8_t>(first.begin(), first.end()),
            (std::vector<std::uint8_t>{0, 0x01, 0x80, 0, 0}));
  EXPECT_EQ(out[5], 0xEE);
  const auto second = to_mono(canvas, 1, Tone::threshold, out);
  EXPECT_EQ(std::vector<std::uint8_t>(second.begin(), second.end()),
            (std::vector<std::uint8_t>{0, 0, 0, 0, 0x0F}));
  EXPECT_EQ(mono_pages(12), 2);
}

TEST(Mono, WhatIsNotThereIsEmpty) {
  std::vector<Colour> pixels(5 * 12);
  Canvas canvas(pixels, 5, 12);
  std::vector<std::uint8_t> out(5);
  EXPECT_TRUE(to_mono(canvas, 2, Tone::threshold, out).empty());
  EXPECT_TRUE(to_mono(canvas, -1, Tone::threshold, out).empty());
  EXPECT_TRUE(to_mono(canvas, 0, Tone::threshold, std::span(out).first(4)).empty());
  Canvas nothing({}, 5, 12);
  EXPECT_TRUE(to_mono(nothing, 0, Tone::threshold, out).empty());
  Canvas band(pixels, 5, 12, {0, 8, 5, 4});
  EXPECT_FALSE(to_mono(band, 1, Tone::threshold, out).empty());
  EXPECT_TRUE(to_mono(band, 0, Tone::threshold, out).empty());
}

TEST(Mono, DotsAreAsDenseAsThePictureIsBright) {
  std::vector<Colour> pixels(64 * 8);
  Canvas canvas(pixels, 64, 8);
  std::vector<std::uint8_t> out(64);
  int before = -1;
  for (unsigned level = 0; level <= 255; level += 51) {
    canvas.fill(canvas.bounds(), rgb(level, level, level));
    int lit = 0;
    for (const std::uint8_t byte : to_mono(canvas, 0, Tone::dither, out)) {
      lit += std::popcount(byte);
    }
    EXPECT_GT(lit, before) << level;
    before = lit;
    if (level == 0) {
      EXPECT_EQ(lit, 0);
    }
  }
  EXPECT_EQ(before, 64 * 8);
}

// ---- Stripes

// A panel that keeps what it is sent.
struct Recorder final : Panel {
  explicit Recorder(int screen_width, int screen_height)
      : width(screen_width), shown(static_cast<std::size_t>(screen_width * screen_height)) {}
  void write(const Rect& area, std::span<const Colour> pixels) override {
    ASSERT_EQ(pixels.size(), static_cast<std::size_t>(area.area()));
    largest = std::max(largest, pixels.size());
    areas.push_back(area);
    for (int y = 0; y < area.h; ++y) {
      for (int x = 0; x < area.w; ++x) {
        shown[static_cast<std::size_t>((area.y + y) * width + area.x + x)] =
            pixels[static_cast<std::size_t>(y * area.w + x)];
      }
    }
  }
  int width;
  std::vector<Colour> shown;
  std::vector<Rect> areas;
  std::size_t largest = 0;
};

struct Display {
  std::vector<Colour> pixels = std::vector<Colour>(320 * 240);
  Canvas canvas{pixels, 320, 240};
  Recorder panel{320, 240};
  std::vector<Colour> stripe = std::vector<Colour>(320 * 10);

  // Pixels that were sent for the picture of `model`.
  int show(const ScreenModel& model, std::uint64_t now, const FontSet& fonts = kAsciiFonts) {
    panel.areas.clear();
    draw(model, canvas, now, fonts);
    return flush(canvas, stripe, PixelOrder::as_is, panel);
  }
};

TEST(Flush, ThePanelShowsTheCanvasWhateverTheStripe) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{320}, std::size_t{999},
                                 std::size_t{320 * 240}}) {
    Display d;
    d.stripe.resize(size);
    for (const auto& sample : samples::all(320, 240)) {
      d.show(sample.model, sample.now_ms);
      ASSERT_EQ(d.panel.shown, d.pixels) << sample.name << ", stripes of " << size;
    }
    EXPECT_LE(d.panel.largest, size);
  }
}

TEST(Flush, BytesAreSwappedForPanelsThatWantIt) {
  std::vector<Colour> pixels(4);
  Canvas canvas(pixels, 2, 2);
  canvas.fill({0, 0, 2, 2}, 0x1234);
  Recorder panel(2, 2);
  std::vector<Colour> stripe(2);
  EXPECT_EQ(flush(canvas, stripe, PixelOrder::bytes_swapped, panel), 4);
  EXPECT_EQ(panel.shown, std::vector<Colour>(4, 0x3412));
  EXPECT_EQ(flush(canvas, stripe, PixelOrder::bytes_swapped, panel), 0);
}

TEST(Flush, APanelOfEvenColumnsGetsEvenXAndWidth) {
  for (const std::size_t size : {std::size_t{3}, std::size_t{7}, std::size_t{3200}}) {
    Display d;
    for (const auto& sample : samples::all(320, 240)) {
      draw(sample.model, d.canvas, sample.now_ms);
      (void)flush(d.canvas, std::span{d.stripe}.first(size), PixelOrder::as_is, d.panel, 4);
      if (size < 4) continue;  // less than what the panel takes: nothing can be sent
      ASSERT_EQ(d.panel.shown, d.pixels) << sample.name << ", stripes of " << size;
    }
    EXPECT_EQ(d.panel.areas.empty(), size < 4);
    EXPECT_LE(d.panel.largest, size);
    for (const Rect& area : d.panel.areas) {
      EXPECT_EQ(area.x % 4, 0);
      EXPECT_EQ(area.w % 4, 0);
      EXPECT_LE(area.right(), 320);
    }
  }
}

TEST(Flush, APictureThatDidNotChangeCostsNothing) {
  for (const auto& sample : samples::all(320, 240)) {
    Display d;
    EXPECT_EQ(d.show(sample.model, sample.now_ms), 320 * 240) << sample.name;
    EXPECT_EQ(d.show(sample.model, sample.now_ms), 0) << sample.name;
    EXPECT_TRUE(d.panel.areas.empty());
  }
}

// A reply streams in, 12 words more each time: only the lines that are new or grew are sent.
TEST(Flush, R4_AStreamingReplySendsOnlyWhatChanges) {
  std::string text;
  std::vector<std::size_t> steps;
  for (int word = 0; word < 40; ++word) {
    text += word % 5 == 4 ? "\u00C9t\u00E9 " : "words ";
    steps.push_back(text.size() - 1);
  }
  Display d;
  ScreenModel model;
  model.state = State::replying;
  model.connected = true;
  model.reply = std::string_view(text).substr(0, steps[0]);
  d.show(model, 0, kLatinFonts);
  int largest = 0;
  for (const std::size_t size : steps) {
    model.reply = std::string_view(text).substr(0, size);
    largest = std::max(largest, d.show(model, 0, kLatinFonts));
    // Drawn from scratch it would look the same.
    Display fresh;
    fresh.show(model, 0, kLatinFonts);
    ASSERT_EQ(d.pixels, fresh.pixels) << text.substr(0, size);
  }
  // Two lines of text and the accents above them, as wide as the text.
  const int line = kLatinFonts.medium.height();
  EXPECT_LE(largest, 320 * (2 * line + 4));
  EXPECT_GT(largest, 0);
}

TEST(Flush, DrawingAndSendingAllocateNothing) {
  Display d;
  const auto samples = samples::all(320, 240);
  d.panel.areas.reserve(1'000);
  const auto before = test::allocations();
  for (const auto& sample : samples) {
    draw(sample.model, d.canvas, sample.now_ms, kWideFonts);
    d.panel.areas.clear();
    (void)flush(d.canvas, d.stripe, PixelOrder::as_is, d.panel);
  }
  EXPECT_EQ(test::allocations(), before);
}

// ---- Round screens

TEST(Round, NothingIsDrawnOutsideTheCircle) {
  for (const int side : {128, 200, 240, 360, 466, 480}) {
    for (const auto& sample : samples::all(side, side, Shape::round)) {
      std::vector<Colour> pixels(static_cast<std::size_t>(side * side));
      Canvas canvas(pixels, side, side);
      draw(sample.model, canvas, sample.now_ms, kWideFonts);
      const Colour background = pixels[0];
      int outside = 0;
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const int dx = 2 * x + 1 - side;
          const int dy = 2 * y + 1 - side;
          if (dx * dx + dy * dy <= side * side) continue;
          outside += pixels[static_cast<std::size_t>(y * side + x)] != background ? 1 : 0;
        }
      }
      EXPECT_EQ(outside, 0) << sample.name << " on " << side;
    }
  }
}

TEST(Round, APictureOfTheAnnouncedBoxIsWithinTheCircle) {
  for (const int side : {240, 480}) {
    const Room room = room_of(side, side, Shape::round);
    EXPECT_LE(room.image_width * room.image_width + room.image_height * room.image_height,
              side * side);
    EXPECT_GE(room.image_width, side / 2);
    EXPECT_GE(room.image_height, side / 2);
    EXPECT_GE(room.text_rows, 3);
    EXPECT_GE(room.text_cols, 15);
  }
}

}  // namespace
}  // namespace gadget::device::screen
