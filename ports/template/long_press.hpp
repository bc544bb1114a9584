// long_press.hpp - a button that is another one when it is held: UP as CANCEL, on boards without.
#pragma once

#include <cstdint>

#include "device/core/limits.hpp"

namespace gadget::ports::port_template {

class LongPress {
 public:
  enum class Edge : std::uint8_t { none, down, up };  // of the other button

  // `held`: the button is down. `spoilt`: so is one with which it means something else; this press
  // is no long one any more.
  constexpr Edge take(device::Millis now, bool held, bool spoilt, device::Millis long_ms) {
    if (!held) {
      const bool was_long = phase_ == Phase::longer;
      phase_ = Phase::up;
      return was_long ? Edge::up : Edge::none;
    }
    if (phase_ == Phase::up) {
      phase_ = Phase::held;
      since_ = now;
    }
    if (phase_ != Phase::held) return Edge::none;
    if (spoilt) {
      phase_ = Phase::spoilt;
    } else if (now - since_ >= long_ms) {
      phase_ = Phase::longer;
      return Edge::down;
    }
    return Edge::none;
  }

 private:
  enum class Phase : std::uint8_t { up, held, longer, spoilt };
  Phase phase_ = Phase::up;
  device::Millis since_ = 0;
};

}  // namespace gadget::ports::port_template
