#include "device/screen/flush.hpp"

#include <algorithm>

namespace gadget::device::screen {
namespace {

Colour swapped(Colour colour) { return static_cast<Colour>(colour >> 8U | colour << 8U); }

}  // namespace

void swap_bytes(std::span<Colour> pixels) {
  std::transform(pixels.begin(), pixels.end(), pixels.begin(), swapped);
}

int flush(Canvas& canvas, std::span<Colour> stripe, PixelOrder order, Panel& panel, int align_x) {
  int sent = 0;
  if (stripe.empty()) return sent;
  const Rect& window = canvas.window();
  const auto room = static_cast<int>(std::min<std::size_t>(stripe.size(), 0x7FFFFFFF));
  for (Rect dirty : canvas.dirty()) {
    const int right = (dirty.right() + align_x - 1) / align_x * align_x;
    dirty.x -= dirty.x % align_x;
    dirty.w = std::min(right, window.right()) - dirty.x;
    const int columns = std::min(dirty.w, room - room % align_x);
    if (columns <= 0) continue;
    const int rows = std::max(1, room / columns);
    for (int y = dirty.y; y < dirty.bottom(); y += rows) {
      for (int x = dirty.x; x < dirty.right(); x += columns) {
        const Rect area{x, y, std::min(columns, dirty.right() - x),
                        std::min(rows, dirty.bottom() - y)};
        Colour* out = stripe.data();
        for (int line = area.y; line < area.bottom(); ++line) {
          const Colour* const from = canvas.pixels().data() +
                                     static_cast<std::ptrdiff_t>(line - window.y) * window.w +
                                     (area.x - window.x);
          out = order == PixelOrder::as_is ? std::copy_n(from, area.w, out)
                                           : std::transform(from, from + area.w, out, swapped);
        }
        panel.write(area, stripe.first(static_cast<std::size_t>(area.area())));
        sent += area.area();
      }
    }
  }
  canvas.clear_dirty();
  return sent;
}

}  // namespace gadget::device::screen
