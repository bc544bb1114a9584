// fit_image.hpp - a JPEG or PNG file as the pixels that a device's screen takes (D3, T7).
//
// Decoded row by row, shrunk on the way, turned as its EXIF data says, transparent parts on black,
// never enlarged. Memory beside file and result: about 1 MB for a photo; up to limits of
// image_limits.hpp for a progressive JPEG. Stateless; safe from any thread; takes milliseconds to
// seconds, so not for an event loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/failure.hpp"

namespace gadget::media {

struct FitOptions {
  std::uint32_t width = 0;   // the box, pixels: 1 to limits::kFitSide
  std::uint32_t height = 0;  // at most limits::kFitPixels in all
  bool dither = false;       // ordered, 8 x 8: smooth gradients on 65,536 colours
  // Set by another thread to end it early: `cancelled`. Borrowed; may be null.
  const std::atomic<bool>* stop = nullptr;
};

struct FittedImage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  // Rows from the top, without padding; a pixel is 2 bytes, little-endian: red 5 bits (the
  // highest), green 6, blue 5.
  std::vector<std::byte> rgb565;
};

// Errors: invalid_argument (no JPEG or PNG, too large, a box that is none), corrupt (damaged, cut
// off), cancelled. The text says what was found, the hint what is wanted.
[[nodiscard]] Result<FittedImage> fit_image(std::span<const std::byte> file, FitOptions options);

}  // namespace gadget::media
