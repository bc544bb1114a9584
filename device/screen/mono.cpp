#include "device/screen/mono.hpp"

#include <algorithm>

namespace gadget::device::screen {
namespace {

constexpr int kMiddle = 128;  // of 255: brighter is lit
// Ordered dots (Bayer). The darkest step leaves the background of the screen without any.
constexpr std::uint8_t kDots[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

// 0..255, as the eye weighs the colours.
int brightness(Colour colour) {
  const int red = colour >> 11U;
  const int green = colour >> 5U & 0x3F;
  const int blue = colour & 0x1F;
  return (red * 8 * 77 + green * 4 * 150 + blue * 8 * 29) * 255 / (252 * 256);
}

}  // namespace

bool is_lit(Colour colour, int x, int y, Tone tone) {
  return brightness(colour) >= (tone == Tone::dither ? kDots[y & 3][x & 3] * 15 + 16 : kMiddle);
}

std::span<const std::uint8_t> to_mono(const Canvas& canvas, int page, Tone tone,
                                      std::span<std::uint8_t> out) {
  const Rect& window = canvas.window();
  const auto width = static_cast<std::size_t>(std::max(0, window.w));
  if (window.w != canvas.width() || out.size() < width || page < 0 || width == 0) return {};
  const int top = page * kPageRows;
  if (top < window.y || top >= window.bottom()) return {};
  const int rows = std::min(kPageRows, window.bottom() - top);
  for (int x = 0; x < window.w; ++x) {
    unsigned column = 0;
    for (int row = 0; row < rows; ++row) {
      const int y = top + row;
      const auto at = static_cast<std::size_t>(y - window.y) * width + static_cast<std::size_t>(x);
      if (is_lit(canvas.pixels()[at], x, y, tone)) column |= 1U << static_cast<unsigned>(row);
    }
    out[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(column);
  }
  return out.first(width);
}

}  // namespace gadget::device::screen
