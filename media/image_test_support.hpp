// image_test_support.hpp - picture files for tests, written by the same libraries that read them,
// and pixels to compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "media/fit_image.hpp"

namespace gadget::media::test {

struct Rgb {
  int red = 0, green = 0, blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

using Painting = std::function<Rgb(std::uint32_t x, std::uint32_t y)>;

enum class Colours : std::uint8_t { rgb, grey, cmyk };

struct JpegOptions {
  int quality = 95;
  bool progressive = false;
  bool halved = true;       // 4:2:0
  bool one_by_one = false;  // each component in a scan of its own, not progressive
  Colours colours = Colours::rgb;
  std::string exif = {};  // a TIFF block; empty: none
  bool adobe = true;      // with Colours::cmyk: Adobe's marker, inks inverted
};
[[nodiscard]] std::string jpeg(std::uint32_t width, std::uint32_t height, const Painting& paint,
                               const JpegOptions& options = {});

struct PngOptions {
  int colour_type = 2;  // PNG_COLOR_TYPE_RGB
  int bit_depth = 8;
  bool interlaced = false;
  std::function<int(std::uint32_t, std::uint32_t)> alpha =
      {};  // with an alpha channel; default: full
  std::string exif = {};
  std::string text = {};  // a compressed text chunk
};
// With a palette (colour type 3): 8 colours, by the highest bits of red, green and blue.
[[nodiscard]] std::string png(std::uint32_t width, std::uint32_t height, const Painting& paint,
                              const PngOptions& options = {});

// A TIFF block with an orientation.
[[nodiscard]] std::string tiff(int orientation, bool little_endian = true);

[[nodiscard]] Result<FittedImage> fit(const std::string& file, std::uint32_t width,
                                      std::uint32_t height, bool dither = false);
// Spread to 8 bits, as a screen does.
[[nodiscard]] Rgb pixel(const FittedImage& image, std::uint32_t x, std::uint32_t y);
// The largest difference in any channel.
[[nodiscard]] int distance(const Rgb& a, const Rgb& b);

}  // namespace gadget::media::test
