// image_limits.hpp - what a picture may cost (D3). Files come from the owner and from agents, so
// from anywhere: every bound is checked against the header before anything is allocated for its
// pixels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gadget::media::limits {

// The largest file. A photo of 64 megapixels in good quality has 30 MB. Beyond: invalid_argument.
inline constexpr std::size_t kImageFileBytes = std::size_t{32} << 20U;
// The longest side, pixels: a panorama of a telephone has 20,000. A row stays below 256 KB, and the
// sums of the box filter within 32 bits. Beyond: invalid_argument.
inline constexpr std::uint32_t kImageSide = 32'768;
// Pixels in all: what bounds the time. The largest PNG takes seconds, on a thread of its own.
// Beyond: invalid_argument.
inline constexpr std::uint64_t kImagePixels = 64'000'000;
// The box that a picture is fitted into, pixels a side, and its area: what a device may announce
// (H4).
inline constexpr std::uint32_t kFitSide = 4'096;
inline constexpr std::uint64_t kFitPixels = 2 * 1'048'576;
// A JPEG in several scans (progressive, or component by component) is kept whole as coefficients,
// two bytes each: 16 megapixels with full colour, 32 with halved. Beyond: invalid_argument.
inline constexpr std::uint64_t kJpegCoefficientBytes = std::uint64_t{96} << 20U;
// Scans of a JPEG: encoders write 10 or so; each costs a pass over all blocks, whatever it holds,
// so a small file could ask for hours. Beyond: corrupt.
inline constexpr int kJpegScans = 64;
// What libjpeg may take beside that: tables, and some rows.
inline constexpr std::uint64_t kJpegWorkBytes = std::uint64_t{16} << 20U;
// A PNG's chunk that libpng must hold in memory (palette, transparency: below 1 KB; others are
// skipped). Beyond: corrupt.
inline constexpr std::size_t kPngChunkBytes = 64 * 1024;

}  // namespace gadget::media::limits
