// canvas.cpp - pixels, clip, dirty rectangles, cells. The anti-aliased shapes are in shapes.cpp.
#include "device/screen/canvas.hpp"

#include <algorithm>

namespace gadget::device::screen {

Rect intersection(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x);
  const int y = std::max(a.y, b.y);
  // In 64 bits: a caller's rectangle may reach to the end of an int.
  const auto right = std::min(std::int64_t{a.x} + a.w, std::int64_t{b.x} + b.w);
  const auto bottom = std::min(std::int64_t{a.y} + a.h, std::int64_t{b.y} + b.h);
  if (a.empty() || b.empty() || right <= x || bottom <= y) return {};
  return {x, y, static_cast<int>(right - x), static_cast<int>(bottom - y)};
}

Rect bounding(const Rect& a, const Rect& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const int x = std::min(a.x, b.x);
  const int y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

Canvas::Canvas(std::span<Colour> pixels, int width, int height)
    : Canvas(pixels, width, height, {0, 0, kMaxSide, kMaxSide}) {}

Canvas::Canvas(std::span<Colour> pixels, int width, int height, const Rect& window)
    : pixels_(pixels),
      width_(std::clamp(width, 0, kMaxSide)),
      height_(std::clamp(height, 0, kMaxSide)),
      window_(intersection(window, {0, 0, width_, height_})) {
  if (window_.w > 0) {
    window_.h = std::min<int>(
        window_.h, static_cast<int>(pixels.size() / static_cast<std::size_t>(window_.w)));
  }
  if (window_.empty()) window_ = {};
  clip_ = window_;
}

Rect Canvas::set_clip(const Rect& clip) {
  const Rect before = clip_;
  clip_ = intersection(clip, window_);
  return before;
}

void Canvas::fill(const Rect& area, Colour colour) {
  const Rect seen = intersection(area, clip_);
  if (seen.empty()) return;
  for (int y = seen.y; y < seen.bottom(); ++y) std::fill_n(row(y) + seen.x, seen.w, colour);
  mark(seen);
}

void Canvas::image(int x, int y, int width, int height, std::span<const Colour> picture) {
  if (width <= 0 || height <= 0) return;
  const auto rows = picture.size() / static_cast<std::size_t>(width);
  const int complete =
      static_cast<int>(std::min<std::size_t>(rows, static_cast<std::size_t>(height)));
  const Rect seen = intersection({x, y, width, complete}, clip_);
  if (seen.empty()) return;
  for (int line = seen.y; line < seen.bottom(); ++line) {
    const auto from =
        static_cast<std::ptrdiff_t>(std::int64_t{line} - y) * width + (std::int64_t{seen.x} - x);
    std::copy_n(picture.data() + static_cast<std::ptrdiff_t>(from), seen.w, row(line) + seen.x);
  }
  mark(seen);
}

namespace {

// Bits, the high ones of each byte first.
struct BitReader {
  const std::uint8_t* bits;
  std::size_t at = 0;

  unsigned take(unsigned count) {
    unsigned value = 0;
    for (; count > 0; --count, ++at) {
      value = value << 1U | (unsigned{bits[at / 8]} >> (7 - at % 8) & 1U);
    }
    return value;
  }
};

}  // namespace

void Canvas::glyph(int x, int y, int width, int height, const std::uint8_t* bits, unsigned depth,
                   Colour colour) {
  const Rect seen = intersection({x, y, width, height}, clip_);
  if (depth == 0 || seen.empty()) return;
  const unsigned full = (1U << depth) - 1;
  const bool packed = depth > 1;
  BitReader in{bits};
  std::size_t row_bits = 0;  // where those of the row above began
  for (int line = y; line < seen.bottom(); ++line) {
    const bool again = packed && in.take(1) != 0;
    const std::size_t next = in.at;
    if (again) in.at = row_bits;
    row_bits = in.at;
    unsigned value = 0;
    for (int column = x; column < x + width; ++column) {
      if (!packed || in.take(1) != 0) value = in.take(depth);
      if (value == 0 || line < seen.y || column < seen.x || column >= seen.right()) continue;
      Colour& out = row(line)[column];
      out = blend(out, colour, (value * kOpaque + full / 2) / full);
    }
    if (again) in.at = next;
  }
  mark(seen);
}

void Canvas::mark(const Rect& area) {
  Rect added = area;
  // Joining may make it reach others, so the search starts again with what was joined.
  for (std::size_t i = 0; i < dirty_count_;) {
    const Rect both = bounding(dirty_[i], added);
    if (dirty_[i].contains(added)) return;
    if (both.area() <= dirty_[i].area() + added.area()) {
      added = both;
      dirty_[i] = dirty_[--dirty_count_];
      i = 0;
    } else {
      ++i;
    }
  }
  if (dirty_count_ < kDirtyRects) {
    dirty_[dirty_count_++] = added;
    return;
  }
  std::size_t best = 0;
  int least = bounding(dirty_[0], added).area() - dirty_[0].area();
  for (std::size_t i = 1; i < kDirtyRects; ++i) {
    const int growth = bounding(dirty_[i], added).area() - dirty_[i].area();
    if (growth < least) {
      least = growth;
      best = i;
    }
  }
  dirty_[best] = bounding(dirty_[best], added);
}

bool Canvas::begin_cell(std::size_t slot, const Rect& area, std::uint32_t key, Colour background) {
  if (slot >= kCells) return false;
  Cell& cell = cells_[slot];
  if (cell.known && cell.key == key && cell.area == area) return false;
  cell = {area, key, true};
  set_clip(area);
  fill(area, background);
  return true;
}

bool Canvas::set_row(std::size_t row, std::uint32_t key) {
  if (row >= rows_.size()) return true;
  const bool other = rows_[row] != key || key == 0;
  rows_[row] = key;
  return other;
}

void Canvas::set_plan(std::uint32_t plan, Colour background) {
  if (plan_known_ && plan_ == plan) return;
  plan_ = plan;
  plan_known_ = true;
  for (Cell& cell : cells_) cell.known = false;
  rows_.fill(0);
  set_clip(window_);
  fill(window_, background);
}

}  // namespace gadget::device::screen
