// face.hpp - two eyes and a mouth with some life in them: they blink, look around, listen, think
// and speak.
//
// A pose is a pure function of state, levels and time, in coarse steps, so that a face that rests
// is not drawn again. Used inside device/screen only.
#pragma once

#include <cstdint>

#include "device/screen/canvas.hpp"
#include "device/screen/model.hpp"

namespace gadget::device::screen {

// How eyes are drawn: open as far as `open` says, curved upwards in joy, closed in sleep, or with
// slanted lids.
enum class Eyes : std::uint8_t { open, joyful, asleep, worried };

struct Pose {
  Eyes eyes = Eyes::open;
  std::int8_t open = 16;   // 0 shut .. 16 open .. 20 wide
  std::int8_t look_x = 0;  // -16 left .. 16 right
  std::int8_t look_y = 0;  // -16 up .. 16 down
  std::int8_t smile = 8;   // -16 frown .. 16 smile
  std::int8_t speak = 0;   // 0 closed mouth .. 16 wide open
  std::int8_t lift = 0;    // the whole face up, in 1/64 of its height
  bool cheeks = false;
};

[[nodiscard]] Pose pose_of(const ScreenModel& model, std::uint64_t now_ms);

// What differs between two poses, for cell keys.
[[nodiscard]] std::uint32_t fingerprint(const Pose& pose);

void draw_face(Canvas& canvas, const Rect& box, const Pose& pose, Colour colour);

}  // namespace gadget::device::screen
