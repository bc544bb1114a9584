// shapes.cpp - the canvas's anti-aliased shapes: coverage by distance, in whole numbers (no
// floating point unit).
#include <algorithm>

#include "device/screen/canvas.hpp"

namespace gadget::device::screen {
namespace {

constexpr Sub kHalfPixel = kOnePixel / 2;
// Beyond: squares of the distance of two coordinates would not add up in 32 bits.
constexpr Sub kFar = 3 * kMaxSide / 2 * kOnePixel;

bool near_enough(Point p, Sub reach) {
  return p.x > -kFar && p.x < kFar && p.y > -kFar && p.y < kFar && reach >= 0 && reach < kFar;
}

std::uint32_t square_root(std::uint32_t value) {
  std::uint32_t root = 0;
  for (std::uint32_t bit = 1U << 30U; bit != 0; bit >>= 2U) {
    if (value >= root + bit) {
      value -= root + bit;
      root = (root >> 1U) + bit;
    } else {
      root >>= 1U;
    }
  }
  return root;
}

std::uint32_t squared_length(Sub dx, Sub dy) {
  const auto x = static_cast<std::uint32_t>(dx < 0 ? -dx : dx);
  const auto y = static_cast<std::uint32_t>(dy < 0 ? -dy : dy);
  return x * x + y * y;
}

// How much of a pixel lies inside a circle, its middle being sqrt(`squared`) away from the centre.
unsigned inside(std::uint32_t squared, Sub radius) {
  const auto outer = static_cast<std::uint32_t>(radius + kHalfPixel);
  if (squared >= outer * outer) return 0;
  if (radius > kHalfPixel) {
    const auto inner = static_cast<std::uint32_t>(radius - kHalfPixel);
    if (squared <= inner * inner) return kOpaque;
  }
  return std::min(kOpaque, static_cast<unsigned>(outer - square_root(squared)) * 2);
}

int to_pixel(Sub value) { return value >> 4; }  // floor, also below zero

Rect around(Point centre, Sub reach) {
  const int x = to_pixel(centre.x - reach) - 1;
  const int y = to_pixel(centre.y - reach) - 1;
  return {x, y, to_pixel(centre.x + reach) + 2 - x, to_pixel(centre.y + reach) + 2 - y};
}

// Distance of p to the segment from a to b, squared.
std::uint32_t squared_distance(Point p, Point a, Point b) {
  const std::int64_t dx = b.x - a.x;
  const std::int64_t dy = b.y - a.y;
  const std::int64_t length = dx * dx + dy * dy;
  const std::int64_t along = (p.x - a.x) * dx + (p.y - a.y) * dy;
  if (along <= 0 || length == 0) return squared_length(p.x - a.x, p.y - a.y);
  if (along >= length) return squared_length(p.x - b.x, p.y - b.y);
  const auto x = static_cast<Sub>(a.x + along * dx / length);
  const auto y = static_cast<Sub>(a.y + along * dy / length);
  return squared_length(p.x - x, p.y - y);
}

Point on_circle(Point centre, Sub radius, Turn turn) {
  return {centre.x + radius * sine(turn) / 1024, centre.y - radius * cosine(turn) / 1024};
}

std::int64_t cross(Point a, Point b) { return std::int64_t{a.x} * b.y - std::int64_t{a.y} * b.x; }

}  // namespace

int sine(Turn turn) {
  const int part = turn & (kFullTurn - 1);
  const int half = part & 511;
  // Bhaskara's rational approximation, exact at 0, 1/12 and 1/4 turn.
  const int product = half * (512 - half);
  const int value = 16 * product / ((5 * 512 * 512 - 4 * product) / 1024);
  return part < 512 ? value : -value;
}

int cosine(Turn turn) { return sine((turn & (kFullTurn - 1)) + kFullTurn / 4); }

template <typename Coverage>
void Canvas::shade(const Rect& area, Colour colour, Coverage coverage) {
  const Rect seen = intersection(area, clip_);
  if (seen.empty()) return;
  for (int y = seen.y; y < seen.bottom(); ++y) {
    Colour* const out = row(y);
    for (int x = seen.x; x < seen.right(); ++x) {
      const unsigned alpha =
          coverage(Point{x * kOnePixel + kHalfPixel, y * kOnePixel + kHalfPixel});
      if (alpha >= kOpaque) {
        out[x] = colour;
      } else if (alpha != 0) {
        out[x] = blend(out[x], colour, alpha);
      }
    }
  }
  mark(seen);
}

void Canvas::disc(Point centre, Sub radius, Colour colour, unsigned alpha) {
  if (!near_enough(centre, radius)) return;
  shade(around(centre, radius), colour, [=](Point p) {
    return inside(squared_length(p.x - centre.x, p.y - centre.y), radius) * alpha / kOpaque;
  });
}

void Canvas::rounded(const Rect& area, int radius, Colour colour) {
  rounded_frame(area, radius, kMaxSide, colour);
}

void Canvas::rounded_frame(const Rect& area, int radius, int thickness, Colour colour) {
  if (area.empty() || thickness <= 0 || intersection(area, clip_).empty()) return;
  if (area.w > 2 * kMaxSide || area.h > 2 * kMaxSide) return;
  radius = std::clamp(radius, 0, std::min(area.w, area.h) / 2);
  const Rect inner = area.inset(thickness, thickness);
  // Middle parts are plain fills; only the four corners need distances.
  if (inner.empty()) {
    fill({area.x, area.y + radius, area.w, area.h - 2 * radius}, colour);
    fill({area.x + radius, area.y, area.w - 2 * radius, radius}, colour);
    fill({area.x + radius, area.bottom() - radius, area.w - 2 * radius, radius}, colour);
  } else {
    const int side = std::max(radius, thickness);
    fill({area.x + radius, area.y, area.w - 2 * radius, thickness}, colour);
    fill({area.x + radius, area.bottom() - thickness, area.w - 2 * radius, thickness}, colour);
    fill({area.x, area.y + side, thickness, area.h - 2 * side}, colour);
    fill({area.right() - thickness, area.y + side, thickness, area.h - 2 * side}, colour);
    if (radius < thickness) {
      for (const int y : {area.y + radius, area.bottom() - thickness}) {
        fill({area.x, y, thickness, thickness - radius}, colour);
        fill({area.right() - thickness, y, thickness, thickness - radius}, colour);
      }
    }
  }
  if (radius == 0) return;
  const Sub outer_radius = radius * kOnePixel;
  const Sub inner_radius = std::max(0, radius - thickness) * kOnePixel;
  const bool hollow = !inner.empty() && inner_radius > 0;
  for (const bool low : {false, true}) {
    for (const bool far : {false, true}) {
      const Rect corner{far ? area.right() - radius : area.x, low ? area.bottom() - radius : area.y,
                        radius, radius};
      const Point centre{(far ? corner.x : corner.right()) * kOnePixel,
                         (low ? corner.y : corner.bottom()) * kOnePixel};
      shade(corner, colour, [=](Point p) {
        const auto squared = squared_length(p.x - centre.x, p.y - centre.y);
        const unsigned out = inside(squared, outer_radius);
        return hollow ? std::min(out, kOpaque - inside(squared, inner_radius)) : out;
      });
    }
  }
}

void Canvas::ring(Point centre, Sub radius, Sub thickness, Colour colour) {
  arc(centre, radius, thickness, 0, kFullTurn, colour);
}

void Canvas::arc(Point centre, Sub radius, Sub thickness, Turn from, Turn sweep, Colour colour) {
  if (!near_enough(centre, radius) || thickness <= 0 || sweep <= 0) return;
  thickness = std::min(thickness, radius);
  const Sub inner = radius - thickness;
  const Sub middle = radius - thickness / 2;
  const bool whole = sweep >= kFullTurn;
  from &= kFullTurn - 1;
  sweep = std::min(sweep, kFullTurn);
  const Turn to = from + sweep;
  const Point start = on_circle({}, kFar / 16, from);
  const Point end = on_circle({}, kFar / 16, to);
  const Point start_cap = on_circle(centre, middle, from);
  const Point end_cap = on_circle(centre, middle, to);
  shade(around(centre, radius), colour, [=](Point p) {
    const Point d{p.x - centre.x, p.y - centre.y};
    const auto squared = squared_length(d.x, d.y);
    const unsigned out = inside(squared, radius);
    if (out == 0) return 0U;
    const unsigned in = inner > 0 ? inside(squared, inner) : 0U;
    const unsigned on_ring = std::min(out, kOpaque - in);
    if (whole || on_ring == 0) return on_ring;
    const bool after = cross(start, d) >= 0;
    const bool before = cross(d, end) >= 0;
    if (sweep <= kFullTurn / 2 ? after && before : after || before) return on_ring;
    const unsigned caps =
        std::max(inside(squared_length(p.x - start_cap.x, p.y - start_cap.y), thickness / 2),
                 inside(squared_length(p.x - end_cap.x, p.y - end_cap.y), thickness / 2));
    return std::min(caps, on_ring);
  });
}

void Canvas::stroke(std::span<const Point> points, Sub pen_radius, Colour colour) {
  if (points.empty()) return;
  points = points.first(std::min(points.size(), kMaxStroke));
  Rect area;
  for (const Point p : points) {
    if (!near_enough(p, pen_radius)) return;
    area = bounding(area, around(p, pen_radius));
  }
  shade(area, colour, [=](Point p) {
    auto nearest = squared_length(p.x - points[0].x, p.y - points[0].y);
    for (std::size_t i = 1; i < points.size(); ++i) {
      nearest = std::min(nearest, squared_distance(p, points[i - 1], points[i]));
    }
    return inside(nearest, pen_radius);
  });
}

void Canvas::line(Point from, Point to, Sub pen_radius, Colour colour) {
  const std::array points{from, to};
  stroke(points, pen_radius, colour);
}

}  // namespace gadget::device::screen
