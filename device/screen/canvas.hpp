// canvas.hpp - what the screen is drawn on: RGB565 pixels of the caller, a clip, and what changed
// since last asked.
//
// A canvas knows the size of the whole screen and the part of it (`window`) that its pixels hold:
// usually all of it; a board without memory for a frame draws the same screen band by band, with
// one canvas a band. Nothing is ever written outside window and clip, whatever the arguments.
// Coordinates are pixels from the top left corner; those of the anti-aliased shapes are `Sub`: 1/16
// pixel, with the middle of pixel (x, y) at (16x + 8, 16y + 8).
//
// Cells keep drawing cheap: a cell is a rectangle that stays as it is while its key does (see
// begin_cell).
//
// Owner: the port. No heap, no I/O; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gadget::device::screen {

using Colour = std::uint16_t;  // RGB565: red in the high five bits
using Sub = int;               // 1/16 pixel
using Turn = int;              // an angle: 1024 is a full turn, 0 points up, clockwise

// Widest and highest screen. Beyond: cut. Keeps every product of coordinates below in 32 bits.
inline constexpr int kMaxSide = 1024;
inline constexpr Sub kOnePixel = 16;
inline constexpr Turn kFullTurn = 1024;
inline constexpr unsigned kOpaque = 32;  // full coverage of a pixel

[[nodiscard]] constexpr Colour rgb(unsigned red, unsigned green, unsigned blue) {
  return static_cast<Colour>((red >> 3U) << 11U | (green >> 2U) << 5U | (blue >> 3U));
}

// `above` over `below`; `alpha` 0..kOpaque.
[[nodiscard]] constexpr Colour blend(Colour below, Colour above, unsigned alpha) {
  // Red and blue in the low half, green in the high half: three channels with one multiplication.
  constexpr std::uint32_t kSpread = 0x07E0F81FU;
  const std::uint32_t b = (below | std::uint32_t{below} << 16U) & kSpread;
  const std::uint32_t a = (above | std::uint32_t{above} << 16U) & kSpread;
  const std::uint32_t mixed = (b + (((a - b) * alpha) >> 5U)) & kSpread;
  return static_cast<Colour>(mixed | mixed >> 16U);
}

struct Rect {
  int x = 0;
  int y = 0;
  int w = 0;
  int h = 0;

  [[nodiscard]] constexpr int right() const { return x + w; }
  [[nodiscard]] constexpr int bottom() const { return y + h; }
  [[nodiscard]] constexpr bool empty() const { return w <= 0 || h <= 0; }
  [[nodiscard]] constexpr int area() const { return empty() ? 0 : w * h; }
  [[nodiscard]] constexpr Rect inset(int dx, int dy) const {
    return {x + dx, y + dy, w - 2 * dx, h - 2 * dy};
  }
  [[nodiscard]] constexpr bool contains(const Rect& other) const {
    return other.empty() ||
           (other.x >= x && other.y >= y && other.right() <= right() && other.bottom() <= bottom());
  }
  [[nodiscard]] friend constexpr bool operator==(const Rect&, const Rect&) = default;
};

[[nodiscard]] Rect intersection(const Rect& a, const Rect& b);
[[nodiscard]] Rect bounding(const Rect& a, const Rect& b);

struct Point {
  Sub x = 0;
  Sub y = 0;
};

// sin and cos of an angle as the screen sees it: (sine, -cosine) is the direction of `turn`.
// Amplitude 1024, error at most 0.2 %.
[[nodiscard]] int sine(Turn turn);
[[nodiscard]] int cosine(Turn turn);

// How many dirty rectangles are kept apart. Beyond: the two that fit best become one.
inline constexpr std::size_t kDirtyRects = 6;
// Cells that one picture may have.
inline constexpr std::size_t kCells = 8;
// Rows of a running text that are told apart; further ones are drawn anew with every change.
inline constexpr std::size_t kTextRows = 32;

class Canvas {
 public:
  // A canvas of the whole screen. Too few pixels for width x height: the rows that are there.
  Canvas(std::span<Colour> pixels, int width, int height);
  // A canvas of the band or window `window` of a screen, row by row in `pixels`.
  Canvas(std::span<Colour> pixels, int width, int height, const Rect& window);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Rect bounds() const { return {0, 0, width_, height_}; }
  [[nodiscard]] const Rect& window() const { return window_; }
  [[nodiscard]] std::span<const Colour> pixels() const { return pixels_; }

  // Restricts all drawing to `clip` (within the window); returns the clip before.
  Rect set_clip(const Rect& clip);
  [[nodiscard]] const Rect& clip() const { return clip_; }

  void fill(const Rect& area, Colour colour);
  // A picture of `width` columns whose top left pixel comes to (x, y). Fewer pixels than width x
  // height: rows that are not complete are left out.
  void image(int x, int y, int width, int height, std::span<const Colour> picture);
  // A glyph, as scripts/bake_font.py writes them: `depth` bits of coverage a pixel, row by row
  // without padding, high bits first; of 2 and 4 bits packed.
  void glyph(int x, int y, int width, int height, const std::uint8_t* bits, unsigned depth,
             Colour colour);

  // Anti-aliased shapes. Shapes whose coordinates lie more than 1.5 * kMaxSide pixels away are left
  // out.
  void rounded(const Rect& area, int radius, Colour colour);
  void rounded_frame(const Rect& area, int radius, int thickness, Colour colour);
  void disc(Point centre, Sub radius, Colour colour, unsigned alpha = kOpaque);
  // A ring, or the part of it from `from` on clockwise for `sweep`, with round ends; `thickness`
  // inwards of `radius`.
  void ring(Point centre, Sub radius, Sub thickness, Colour colour);
  void arc(Point centre, Sub radius, Sub thickness, Turn from, Turn sweep, Colour colour);
  // A line through the points with a round pen; at most kMaxStroke points.
  void stroke(std::span<const Point> points, Sub pen_radius, Colour colour);
  void line(Point from, Point to, Sub pen_radius, Colour colour);

  // What was written since clear_dirty: rectangles that cover every changed pixel.
  [[nodiscard]] std::span<const Rect> dirty() const { return {dirty_.data(), dirty_count_}; }
  void clear_dirty() { dirty_count_ = 0; }

  // Starts to draw cell `slot` (below kCells) with its contents described by `key`. False: the cell
  // already shows that, draw nothing. True: clip is now the cell, filled with `background`; draw,
  // then end_cell.
  bool begin_cell(std::size_t slot, const Rect& area, std::uint32_t key, Colour background);
  void end_cell() { set_clip(window_); }
  // The cell is drawn next time whatever its key: after something was drawn over it.
  void forget_cell(std::size_t slot) {
    if (slot < kCells) cells_[slot].known = false;
  }
  // Row `row` of the picture's one running text shows what `key` describes from now on. True: it
  // showed something else.
  bool set_row(std::size_t row, std::uint32_t key);
  // A number that is dear to work out, kept with what it was worked out from.
  [[nodiscard]] int noted(std::uint32_t key) const { return note_key_ == key ? note_ : 0; }
  void note(std::uint32_t key, int number) {
    note_key_ = key;
    note_ = number;
  }
  // Cells and rows belong to a plan of the screen; another `plan` than before clears the screen and
  // forgets all of them.
  void set_plan(std::uint32_t plan, Colour background);
  // The next picture is drawn in full: after the pixels were changed behind the canvas's back.
  void forget() { plan_known_ = false; }

 private:
  struct Cell {
    Rect area;
    std::uint32_t key = 0;
    bool known = false;
  };

  void mark(const Rect& area);
  [[nodiscard]] Colour* row(int y) {
    return pixels_.data() + static_cast<std::ptrdiff_t>(y - window_.y) * window_.w - window_.x;
  }
  // Blends `colour` where `coverage(x, y)`, in Sub at the middle of the pixel, says so.
  template <typename Coverage>
  void shade(const Rect& area, Colour colour, Coverage coverage);

  std::span<Colour> pixels_;
  int width_ = 0;
  int height_ = 0;
  Rect window_;
  Rect clip_;
  std::array<Rect, kDirtyRects> dirty_{};
  std::size_t dirty_count_ = 0;
  std::array<Cell, kCells> cells_{};
  std::array<std::uint32_t, kTextRows> rows_{};  // 0: not known
  std::uint32_t note_key_ = 0;
  int note_ = 0;
  std::uint32_t plan_ = 0;
  bool plan_known_ = false;
};

inline constexpr std::size_t kMaxStroke = 16;

}  // namespace gadget::device::screen
