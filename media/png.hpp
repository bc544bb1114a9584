// png.hpp - pictures of screens as PNG files, and back for tests. Stateless; safe from any thread.
//
// Pixels are rows from the top, left to right, without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::media {

// The largest picture, pixels a side: four times a big panel (H4 lets devices have 4,096). Beyond:
// invalid_argument.
inline constexpr std::uint32_t kMaxPngSide = 4'096;

// The largest PNG file that is decoded. Beyond: invalid_argument.
inline constexpr std::size_t kMaxPngBytes = std::size_t{16} << 20;

struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgb;  // 3 bytes a pixel: red, green, blue
};

// Errors: invalid_argument when sides are 0 or too large, or the number of bytes is not width *
// height * 3.
[[nodiscard]] Result<std::string> encode_png(const Image& image);

// From the pixels of a device's screen: red 5 bits (the highest), green 6, blue 5. Errors: as
// encode_png.
[[nodiscard]] Result<std::string> encode_png_rgb565(std::span<const std::uint16_t> pixels,
                                                    std::uint32_t width, std::uint32_t height);

// Any PNG as RGB; transparent parts on black. Errors: invalid_argument when it is no PNG or too
// large, corrupt.
[[nodiscard]] Result<Image> decode_png(std::string_view bytes);

}  // namespace gadget::media
