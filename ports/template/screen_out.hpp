// screen_out.hpp - the core's Screen on the board's display, with the pixels that the port can
// spare.
//
// With memory for the whole picture only what changed is drawn and sent. With less, the picture is
// drawn and sent in bands of full width, all of it each time: more work, but a quarter or a tenth
// of the memory.
//
// Owner: the port; one thread. No heap.
#pragma once

#include <optional>
#include <span>

#include "device/core/platform.hpp"
#include "device/screen/canvas.hpp"
#include "device/screen/flush.hpp"
#include "ports/template/board.hpp"

namespace gadget::ports::port_template {

class ScreenOut final : public device::Screen, private device::screen::Panel {
 public:
  // `pixels`: width x height, or any number of whole rows, 8 or more. `stripe`: with the whole
  // picture, what is sent at a time: a row or more. Order of bytes and alignment are those of
  // port_config.hpp.
  ScreenOut(Board& board, std::span<device::screen::Colour> pixels,
            std::span<device::screen::Colour> stripe, int width, int height,
            const device::screen::FontSet& fonts, device::screen::PixelOrder order = kPixelOrder,
            int align_x = kAlignX);

  void show(const device::screen::ScreenModel& model, device::Millis now) override;

 private:
  void write(const device::screen::Rect& area,
             std::span<const device::screen::Colour> pixels) override {
    board_.screen_pixels(area, pixels);
  }

  Board& board_;
  std::span<device::screen::Colour> pixels_;
  std::span<device::screen::Colour> stripe_;
  const device::screen::FontSet& fonts_;
  int width_;
  int height_;
  device::screen::PixelOrder order_;
  int align_x_;
  // Of the whole picture, or of the band at hand: too large for the stack.
  std::optional<device::screen::Canvas> canvas_;
};

}  // namespace gadget::ports::port_template
