#include "ports/template/screen_out.hpp"

#include <algorithm>

namespace gadget::ports::port_template {

namespace screen = device::screen;

ScreenOut::ScreenOut(Board& board, std::span<screen::Colour> pixels,
                     std::span<screen::Colour> stripe, int width, int height,
                     const screen::FontSet& fonts, screen::PixelOrder order, int align_x)
    : board_(board),
      pixels_(pixels),
      stripe_(stripe),
      fonts_(fonts),
      width_(width),
      height_(height),
      order_(order),
      align_x_(align_x) {
  canvas_.emplace(pixels, width, height);
}

void ScreenOut::show(const screen::ScreenModel& model, device::Millis now) {
  const auto width = static_cast<std::size_t>(width_);
  const auto height = static_cast<std::size_t>(height_);
  const auto time = static_cast<std::uint64_t>(now);
  if (pixels_.size() >= width * height) {
    screen::draw(model, *canvas_, time, fonts_);
    (void)screen::flush(*canvas_, stripe_, order_, *this, align_x_);
    return;
  }
  const std::size_t rows = pixels_.size() / width;
  for (std::size_t y = 0; rows > 0 && y < height; y += rows) {
    const std::size_t here = std::min(rows, height - y);
    const screen::Rect band{0, static_cast<int>(y), width_, static_cast<int>(here)};
    canvas_.emplace(pixels_, width_, height_, band);
    screen::draw(model, *canvas_, time, fonts_);
    const auto drawn = pixels_.first(here * width);
    if (order_ == screen::PixelOrder::bytes_swapped) screen::swap_bytes(drawn);
    board_.screen_pixels(band, drawn);
  }
}

}  // namespace gadget::ports::port_template
