#include "ports/template/screen_out.hpp"

#include <algorithm>

namespace gadget::ports::port_template {

namespace screen = device::screen;

ScreenOut::ScreenOut(Board& board, std::span<screen::Colour> pixels, int width, int height,
                     const screen::FontSet& fonts)
    : board_(board), pixels_(pixels), fonts_(fonts), width_(width), height_(height) {
  canvas_.emplace(pixels, width, height);
}

void ScreenOut::show(const screen::ScreenModel& model, device::Millis now) {
  const auto width = static_cast<std::size_t>(width_);
  const auto height = static_cast<std::size_t>(height_);
  const auto time = static_cast<std::uint64_t>(now);
  if (pixels_.size() >= width * height) {
    screen::draw(model, *canvas_, time, fonts_);
    for (const screen::Rect& area : canvas_->dirty()) {
      // Rows of the rectangle are not next to each other: one transfer a row. A display driver that
      // takes a stride sends the rectangle at once.
      for (int y = area.y; y < area.bottom(); ++y) {
        const auto from = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(area.x);
        board_.screen_pixels({area.x, y, area.w, 1},
                             pixels_.subspan(from, static_cast<std::size_t>(area.w)));
      }
    }
    canvas_->clear_dirty();
    return;
  }
  const std::size_t rows = pixels_.size() / width;
  for (std::size_t y = 0; rows > 0 && y < height; y += rows) {
    const std::size_t here = std::min(rows, height - y);
    const screen::Rect band{0, static_cast<int>(y), width_, static_cast<int>(here)};
    canvas_.emplace(pixels_, width_, height_, band);
    screen::draw(model, *canvas_, time, fonts_);
    board_.screen_pixels(band, pixels_.first(here * width));
  }
}

}  // namespace gadget::ports::port_template
