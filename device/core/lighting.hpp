// lighting.hpp - how bright the screen is, and that it goes dark when nothing happens for a while.
//
//   bright --timeout--> dim --kDimMs--> dark;  a press or news of the hub: bright again
//
// Dim, the screen can still be read, so a press does what it always does. Dark, a press only wakes
// it, but for TALK: that records at once. Without a Backlight the screen is always bright.
// Owned and driven by Gadget.
#pragma once

#include <cstdint>
#include <optional>

#include "device/core/platform.hpp"

namespace gadget::device {

enum class Light : std::uint8_t { bright, dim, dark };

enum class LightEvent : std::uint8_t {
  woken,        // a press, news, or something that goes on
  idle,         // nothing for the screen's timeout
  idle_longer,  // nothing for kDimMs more
};

[[nodiscard]] constexpr std::optional<Light> next(Light light, LightEvent event) {
  using enum Light;
  switch (event) {
    case LightEvent::woken: return bright;
    case LightEvent::idle:
      if (light == bright) return dim;
      break;
    case LightEvent::idle_longer:
      if (light == dim) return dark;
      break;
  }
  return std::nullopt;
}

class Lighting {
 public:
  explicit Lighting(Backlight* backlight) : backlight_(backlight) {}

  // What is wanted from now on; applied at once. A timeout of 0: never dark.
  void set(int percent, int timeout_s);
  // Somebody should see the screen. True: it was dark until now.
  bool wake(Ticks now);
  // `busy`: something goes on that is to be seen.
  void tick(Ticks now, bool busy);

  [[nodiscard]] Light light() const { return light_; }

 private:
  void step(LightEvent event);
  void apply();

  Backlight* backlight_;
  Light light_ = Light::bright;
  int percent_ = kFullBrightness;
  int applied_ = -1;  // what the backlight was told last
  Ticks timeout_ms_ = 0;
  Ticks awake_at_ = 0;
};

}  // namespace gadget::device
