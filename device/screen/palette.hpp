// palette.hpp - the colours of the screen: dark and calm, with one accent a state.
#pragma once

#include "device/screen/canvas.hpp"
#include "device/screen/model.hpp"

namespace gadget::device::screen {

inline constexpr Colour kBackground = rgb(10, 12, 18);
inline constexpr Colour kPanel = rgb(28, 33, 45);  // cards, buttons, tracks of bars
inline constexpr Colour kText = rgb(238, 242, 248);
inline constexpr Colour kSoft = rgb(150, 160, 178);  // second in line: hints, what was heard
inline constexpr Colour kFaint = rgb(84, 93, 112);   // there when looked for
inline constexpr Colour kWarm = rgb(255, 122, 112);  // cheeks

[[nodiscard]] constexpr Colour accent(State state) {
  switch (state) {
    case State::boot:
    case State::settings: return rgb(168, 180, 204);
    case State::setup:
    case State::pairing:
    case State::updating:
    case State::card:
    case State::image: return rgb(102, 178, 255);
    case State::offline: return rgb(128, 140, 164);
    case State::connecting:
    case State::question: return rgb(255, 200, 87);
    case State::ready:
    case State::replying: return rgb(84, 224, 190);
    case State::listening: return rgb(255, 122, 112);
    case State::thinking: return rgb(186, 150, 255);
    case State::error: return rgb(255, 96, 96);
  }
  return kText;
}

}  // namespace gadget::device::screen
