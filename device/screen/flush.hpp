// flush.hpp - from the canvas to the panel: only the rectangles that changed, in stripes as large
// as the board's transfer buffer.
//
// A board without memory for a whole frame draws band by band with canvases of a window instead
// (canvas.hpp) and sends each band. No heap; the thread of the canvas.
#pragma once

#include <cstdint>
#include <span>

#include "device/screen/canvas.hpp"

namespace gadget::device::screen {

// What a port's panel driver does.
class Panel {
 public:
  // Show `pixels`, row by row, in `area` of the screen. Valid during the call.
  virtual void write(const Rect& area, std::span<const Colour> pixels) = 0;

 protected:
  ~Panel() = default;
};

// Most panels on SPI take the high byte of a pixel first.
enum class PixelOrder : std::uint8_t { as_is, bytes_swapped };

// Sends what changed since the last time, then clears dirty(). `stripe` is the transfer buffer:
// at least one row of the screen. A smaller one sends rows in pieces; an empty one nothing. x and
// width of what is sent are multiples of `align_x`, for panels that take no others; the canvas's
// width must be one too. Returns how many pixels were sent: 0 for a picture that did not change.
int flush(Canvas& canvas, std::span<Colour> stripe, PixelOrder order, Panel& panel,
          int align_x = 1);
// The bytes of each pixel change places: for bands, which are sent from where they are drawn.
void swap_bytes(std::span<Colour> pixels);

}  // namespace gadget::device::screen
