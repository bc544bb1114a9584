#include "device/screen/face.hpp"

#include <algorithm>
#include <array>

#include "device/screen/palette.hpp"

namespace gadget::device::screen {
namespace {

// Mixes a number, so that blinks and looks come at times that seem to follow no rule.
std::uint32_t scatter(std::uint64_t value) {
  auto x = static_cast<std::uint32_t>(value ^ (value >> 32U)) * 0x9E3779B9U;
  x = (x ^ (x >> 15U)) * 0x85EBCA6BU;
  return x ^ (x >> 13U);
}

// A blink within every 3.6 s, at some moment of it: shut in 80 ms, open again in 120. Every fifth
// is a double one.
constexpr std::uint64_t kBlinkEvery = 3600;
constexpr int kShut = 80;
constexpr int kReopen = 120;

int blink(std::uint64_t now) {
  const std::uint64_t slot = now / kBlinkEvery;
  const std::uint32_t chance = scatter(slot);
  int since = static_cast<int>(now % kBlinkEvery) - static_cast<int>(800 + chance % 2200);
  if (since > 260 && chance % 5 == 0) since -= 260;
  if (since < 0 || since >= kShut + kReopen) return 16;
  const int open = since < kShut ? 16 - 16 * since / kShut : 16 * (since - kShut) / kReopen;
  return open / 4 * 4;  // four steps: each is one more picture to send to the panel
}

// Somewhere new to look at every 2.9 s, mostly ahead.
constexpr std::uint64_t kLookEvery = 2900;
constexpr int kLookMoves = 160;

struct Look {
  int x = 0;
  int y = 0;
};

Look target(std::uint64_t slot) {
  const std::uint32_t chance = scatter(slot * 7 + 3);
  if (chance % 3 == 0) return {};
  return {static_cast<int>(chance >> 8U & 15U) - 8, static_cast<int>(chance >> 16U & 7U) - 4};
}

Look look_around(std::uint64_t now) {
  const std::uint64_t slot = now / kLookEvery;
  const Look from = target(slot == 0 ? 0 : slot - 1);
  const Look to = target(slot);
  const int part = std::min(static_cast<int>(now % kLookEvery) / 40, kLookMoves / 40);
  constexpr int kParts = kLookMoves / 40;
  return {from.x + (to.x - from.x) * part / kParts, from.y + (to.y - from.y) * part / kParts};
}

std::int8_t small(int value) { return static_cast<std::int8_t>(std::clamp(value, -20, 20)); }

// A slow swing between -16 and 16 with the period `period_ms`, in steps of 2.
int swing(std::uint64_t now, std::uint64_t period_ms) {
  return sine(static_cast<Turn>(now % period_ms * kFullTurn / period_ms)) / 64 / 2 * 2;
}

Pose talking(const ScreenModel& model, std::uint64_t now) {
  Pose pose;
  pose.cheeks = true;
  pose.smile = 11;
  pose.open = small(blink(now));
  if (model.speaker_level > 0) {
    // Loudness alone moves the mouth too slowly to look like speech: a quick wobble on top.
    const int wobble = static_cast<int>(scatter(now / 80) % 5);
    pose.speak = small(std::min(16, 3 + model.speaker_level / 20 + wobble - 2));
  }
  return pose;
}

}  // namespace

Pose pose_of(const ScreenModel& model, std::uint64_t now_ms) {
  Pose pose;
  const Look look = look_around(now_ms);
  pose.open = small(blink(now_ms));
  switch (model.state) {
    case State::boot:
      // Wakes up in the first second and a half.
      pose.open = small(
          now_ms < 500 ? 0 : static_cast<int>(std::min<std::uint64_t>(16, (now_ms - 500) / 60)));
      if (pose.open < 2) pose.eyes = Eyes::asleep;
      pose.smile = 5;
      break;
    case State::offline:
      pose.eyes = Eyes::asleep;
      pose.smile = 3;
      pose.lift = small(swing(now_ms, 5000) / 12);
      break;
    case State::connecting:
      pose.look_x = small(swing(now_ms, 3200) * 3 / 4);
      pose.smile = 2;
      break;
    case State::setup:
    case State::pairing:
      pose.cheeks = true;
      pose.smile = 12;
      pose.look_x = small(look.x);
      pose.look_y = small(look.y);
      break;
    case State::ready:
      if (model.speaker_level > 0) return talking(model, now_ms);
      pose.look_x = small(look.x);
      pose.look_y = small(look.y);
      pose.smile = 9;
      pose.lift = small(swing(now_ms, 4800) / 14);
      // Now and then, for a moment, plainly glad to be here.
      if (scatter(now_ms / 1400) % 16 == 0) {
        pose.eyes = Eyes::joyful;
        pose.cheeks = true;
      }
      break;
    case State::listening:
      pose.open = small(blink(now_ms) >= 12 ? 20 : blink(now_ms));
      pose.smile = 6;
      pose.look_y = -2;
      break;
    case State::thinking:
      pose.look_x = small(swing(now_ms, 2600) * 5 / 8);
      pose.look_y = -9;
      pose.smile = 0;
      break;
    case State::question:
      pose.look_y = 2;
      pose.smile = 4;
      break;
    case State::updating:
      pose.open = small(std::min(10, blink(now_ms)));
      pose.look_y = 5;
      pose.smile = 4;
      break;
    case State::error:
      pose.eyes = Eyes::worried;
      pose.smile = -9;
      break;
    case State::replying:
    case State::card:
    case State::image:
    case State::settings: return talking(model, now_ms);
  }
  return pose;
}

std::uint32_t fingerprint(const Pose& pose) {
  std::uint32_t key = 2166136261U;
  for (const int part :
       {static_cast<int>(pose.eyes), int{pose.open}, int{pose.look_x}, int{pose.look_y},
        int{pose.smile}, int{pose.speak}, int{pose.lift}, static_cast<int>(pose.cheeks)}) {
    key = (key ^ static_cast<std::uint8_t>(part)) * 16777619U;
  }
  return key;
}

namespace {

// The measures of a face in a box: everything hangs on one size.
struct Measures {
  int size = 0;  // height of the face in pixels; it is 1.3 times as wide
  int middle_x = 0;
  int top = 0;

  // `parts` hundredths of the face's height, at least one pixel.
  [[nodiscard]] int of(int parts) const { return std::max(1, size * parts / 100); }
  [[nodiscard]] Sub sub(int parts) const { return size * parts * kOnePixel / 100; }
};

// A curve like that of a smile, `depth` > 0 hanging down, as a stroke of nine points.
void curve(Canvas& canvas, Point middle, Sub half_width, Sub depth, Sub pen, Colour colour) {
  constexpr int kHalf = 4;
  std::array<Point, 2 * kHalf + 1> points;
  int i = -kHalf;
  for (Point& point : points) {
    point = {middle.x + half_width * i / kHalf,
             middle.y + depth * (kHalf * kHalf - i * i) / (kHalf * kHalf)};
    ++i;
  }
  canvas.stroke(points, pen, colour);
}

void draw_eye(Canvas& canvas, const Measures& m, const Pose& pose, bool right, Colour colour) {
  const int look_x = m.size * pose.look_x / 130;
  const int look_y = m.size * pose.look_y / 130;
  const int x = m.middle_x + (right ? m.of(36) : -m.of(36)) + look_x;
  const int y = m.top + m.of(34) + look_y;
  const Point middle{x * kOnePixel, y * kOnePixel};
  const Sub pen = std::max(m.sub(5), kOnePixel * 3 / 4);
  if (pose.eyes == Eyes::joyful) {
    curve(canvas, {middle.x, middle.y + m.sub(8)}, m.sub(15), -m.sub(18), pen, colour);
    return;
  }
  if (pose.eyes == Eyes::asleep || pose.open <= 2) {
    curve(canvas, {middle.x, middle.y}, m.sub(15), m.sub(pose.eyes == Eyes::asleep ? 8 : 2), pen,
          colour);
    return;
  }
  const int width = m.of(29);
  const int height = std::max(2, m.of(44) * pose.open / 16);
  const Rect eye{x - width / 2, y - height / 2, width, height};
  canvas.rounded(eye, std::min(width, height) / 2, colour);
  // A spark of light makes it an eye.
  if (pose.open >= 10 && m.size >= 30 && pose.eyes == Eyes::open) {
    canvas.disc({(eye.x + eye.w * 2 / 3) * kOnePixel, (eye.y + eye.h / 4 + m.of(2)) * kOnePixel},
                m.sub(5), kText);
  }
  if (pose.eyes == Eyes::worried) {
    // A lid that hangs to the outside.
    const int outside = right ? eye.right() : eye.x;
    const int inside = right ? eye.x : eye.right();
    canvas.line({outside * kOnePixel, (eye.y + m.of(5)) * kOnePixel},
                {inside * kOnePixel, (eye.y - m.of(7)) * kOnePixel}, m.sub(12), kBackground);
  }
}

void draw_mouth(Canvas& canvas, const Measures& m, const Pose& pose, Colour colour) {
  const int x = m.middle_x + m.size * pose.look_x / 200;
  const int y = m.top + m.of(76) + m.size * pose.look_y / 260;
  const Sub pen = std::max(m.sub(4), kOnePixel * 3 / 4);
  if (pose.speak > 0) {
    const int width = m.of(34 - pose.speak / 2);
    const int height = m.of(8 + pose.speak * 3 / 2);
    const Rect mouth{x - width / 2, y - height / 2 + m.of(4), width, height};
    canvas.rounded(mouth, std::min(width, height) / 2, colour);
    const Rect inner = mouth.inset(m.of(6), m.of(6));
    if (!inner.empty()) {
      canvas.rounded(inner, std::min(inner.w, inner.h) / 2, blend(kBackground, kWarm, 12));
    }
    return;
  }
  curve(canvas, {x * kOnePixel, y * kOnePixel - m.sub(pose.smile) / 4}, m.sub(17),
        m.sub(pose.smile) * 15 / 16, pen, colour);
}

}  // namespace

void draw_face(Canvas& canvas, const Rect& box, const Pose& pose, Colour colour) {
  Measures m;
  m.size = std::min(box.h, box.w * 10 / 13);
  if (m.size < 8) return;
  m.middle_x = box.x + box.w / 2;
  m.top = box.y + (box.h - m.size) / 2 - m.size * pose.lift / 64;
  if (pose.cheeks && m.size >= 30) {
    for (const int side : {-1, 1}) {
      canvas.disc({(m.middle_x + side * m.of(55)) * kOnePixel, (m.top + m.of(70)) * kOnePixel},
                  m.sub(9), kWarm, kOpaque / 2);
    }
  }
  draw_eye(canvas, m, pose, false, colour);
  draw_eye(canvas, m, pose, true, colour);
  draw_mouth(canvas, m, pose, colour);
}

}  // namespace gadget::device::screen
