#include "media/box_filter.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace gadget::media {
namespace {

using Pixels = std::vector<std::uint8_t>;
using Rows = std::vector<std::vector<std::uint16_t>>;

Pixels noise(PixelSize size) {
  std::mt19937 random(size.width * 31 + size.height);
  Pixels pixels(std::size_t{3} * size.width * size.height);
  for (auto& value : pixels) value = static_cast<std::uint8_t>(random());
  return pixels;
}

Rows shrink(const Pixels& pixels, PixelSize from, PixelSize to) {
  Rows rows;
  BoxFilter filter(from, to, BoxFilter::Order::rows_from_top, [&rows](std::uint32_t y, auto row) {
    EXPECT_EQ(y, rows.size());
    rows.emplace_back(row.begin(), row.end());
  });
  const std::size_t row = std::size_t{3} * from.width;
  for (std::uint32_t y = 0; y < from.height; ++y) {
    filter.add_row(y, std::span(pixels).subspan(row * y, row));
  }
  filter.finish();
  return rows;
}

// The mean of what a pixel of the result covers, by the definition.
double mean(const Pixels& pixels, PixelSize from, PixelSize to, std::uint32_t x, std::uint32_t y,
            std::size_t channel) {
  const double wide = static_cast<double>(from.width) / to.width;
  const double high = static_cast<double>(from.height) / to.height;
  double sum = 0;
  for (std::uint32_t v = 0; v < from.height; ++v) {
    const double height = std::min(v + 1.0, (y + 1) * high) - std::max<double>(v, y * high);
    if (height <= 0) continue;
    for (std::uint32_t u = 0; u < from.width; ++u) {
      const double width = std::min(u + 1.0, (x + 1) * wide) - std::max<double>(u, x * wide);
      if (width <= 0) continue;
      sum += width * height * pixels[3 * (std::size_t{v} * from.width + u) + channel];
    }
  }
  return sum / (wide * high);
}

TEST(BoxFilter, D3_EveryPixelIsTheMeanOfItsArea) {
  for (const auto& [from, to] : {std::pair{PixelSize{7, 5}, PixelSize{3, 2}},
                                 {{10, 10}, {5, 2}},
                                 {{13, 1}, {4, 1}},
                                 {{1, 9}, {1, 9}},
                                 {{40, 30}, {39, 29}},
                                 {{64, 48}, {1, 1}}}) {
    const Pixels pixels = noise(from);
    const Rows rows = shrink(pixels, from, to);
    ASSERT_EQ(rows.size(), to.height);
    for (std::uint32_t y = 0; y < to.height; ++y) {
      for (std::uint32_t x = 0; x < to.width; ++x) {
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(rows[y][3 * x + c] / 256.0, mean(pixels, from, to, x, y, c), 0.01);
        }
      }
    }
  }
}

TEST(BoxFilter, TheSameSizeIsTheSamePicture) {
  const PixelSize size{31, 17};
  const Pixels pixels = noise(size);
  const Rows rows = shrink(pixels, size, size);
  for (std::uint32_t y = 0; y < size.height; ++y) {
    for (std::size_t i = 0; i < rows[y].size(); ++i) {
      ASSERT_EQ(rows[y][i], pixels[std::size_t{3} * size.width * y + i] * 256);
    }
  }
}

TEST(BoxFilter, WhiteStaysWhiteAtTheLargestSides) {
  const PixelSize from{32'768, 3};
  const Pixels white(std::size_t{3} * from.width * from.height, 255);
  for (const auto& row : shrink(white, from, {4'095, 2})) {
    for (const std::uint16_t value : row) ASSERT_EQ(value, 255 * 256);
  }
}

TEST(BoxFilter, PixelsInAnyOrderGiveTheSame) {
  const PixelSize from{37, 23};
  const PixelSize to{11, 9};
  const Pixels pixels = noise(from);
  const Rows expected = shrink(pixels, from, to);
  Rows rows;
  BoxFilter filter(from, to, BoxFilter::Order::any,
                   [&rows](std::uint32_t, auto row) { rows.emplace_back(row.begin(), row.end()); });
  for (const std::uint32_t first : {1U, 2U, 0U}) {  // every third pixel, rows from below
    for (std::uint32_t y = from.height; y-- > 0;) {
      Pixels some;
      for (std::uint32_t x = first; x < from.width; x += 3) {
        const auto* at = pixels.data() + 3 * (std::size_t{y} * from.width + x);
        some.insert(some.end(), at, at + 3);
      }
      filter.add_pixels(y, first, 3, some);
    }
  }
  EXPECT_TRUE(rows.empty());
  filter.finish();
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t y = 0; y < rows.size(); ++y) {
    for (std::size_t i = 0; i < rows[y].size(); ++i) {
      EXPECT_NEAR(rows[y][i], expected[y][i], 3);
    }
  }
}

}  // namespace
}  // namespace gadget::media
