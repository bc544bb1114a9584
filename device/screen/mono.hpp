// mono.hpp - the picture for panels whose pixels are black or white, in the page format of SSD1306,
// SH1106, ST7565 and their like.
//
// A page is eight rows; byte `x` of a page holds column x of them, the uppermost in bit 0, set
// where the pixel is lit. Draw with ScreenModel::mono and kMonoFonts, then convert the pages that
// Canvas::dirty() touches (y / 8) and send them. No heap; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/screen/canvas.hpp"
#include "device/screen/model.hpp"

namespace gadget::device::screen {

// How a colour becomes black or white: by its brightness alone, or by a pattern of dots as dense as
// it is bright (4 x 4, for pictures).
enum class Tone : std::uint8_t { threshold, dither };

[[nodiscard]] constexpr Tone tone_of(State state) {
  return state == State::image ? Tone::dither : Tone::threshold;
}

// Whether the pixel at (x, y) is lit.
[[nodiscard]] bool is_lit(Colour colour, int x, int y, Tone tone);

inline constexpr int kPageRows = 8;

// Pages of a canvas; its last one may hang over.
[[nodiscard]] constexpr int mono_pages(int height) { return (height + kPageRows - 1) / kPageRows; }

// Converts page `page` into the first canvas.width() bytes of `out` and returns those. Empty when
// there is no such page, `out` is too small, or the canvas does not hold the whole width.
std::span<const std::uint8_t> to_mono(const Canvas& canvas, int page, Tone tone,
                                      std::span<std::uint8_t> out);

}  // namespace gadget::device::screen
