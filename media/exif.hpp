// exif.hpp - how a picture is to be turned: the orientation in its EXIF data. Pure; input from
// anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gadget::media {

// As TIFF numbers them: which side of the stored rows is the top, and which the left.
enum class Orientation : std::uint8_t {
  upright = 1,
  mirrored = 2,
  turned = 3,            // by 180 degrees
  mirrored_turned = 4,   // top to bottom
  transposed = 5,        // along the diagonal from the top left
  turned_right = 6,      // to be turned right by 90 degrees
  transposed_other = 7,  // along the other diagonal
  turned_left = 8,
};

[[nodiscard]] constexpr bool swaps_sides(Orientation orientation) {
  return orientation >= Orientation::transposed;
}

// From a block of EXIF data, which is a TIFF header and its first directory. What is missing,
// damaged or unknown: upright.
[[nodiscard]] Orientation exif_orientation(std::span<const std::byte> tiff);

// The EXIF data of a JPEG or PNG file; empty: none.
[[nodiscard]] std::span<const std::byte> exif_of_jpeg(std::span<const std::byte> file);
[[nodiscard]] std::span<const std::byte> exif_of_png(std::span<const std::byte> file);

}  // namespace gadget::media
