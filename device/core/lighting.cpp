#include "device/core/lighting.hpp"

#include <algorithm>

#include "device/core/transitions.hpp"

namespace gadget::device {
namespace {

constexpr Transitions<Light, LightEvent, Light::dark, LightEvent::idle_longer> kTransitions;

}  // namespace

void Lighting::set(int percent, int timeout_s) {
  percent_ = percent;
  timeout_ms_ = static_cast<Ticks>(timeout_s) * 1'000;
  apply();
}

bool Lighting::wake(Ticks now) {
  const bool was_dark = light_ == Light::dark;
  awake_at_ = now;
  step(LightEvent::woken);
  return was_dark;
}

void Lighting::tick(Ticks now, bool busy) {
  if (busy || timeout_ms_ == 0 || backlight_ == nullptr) {
    (void)wake(now);
    return;
  }
  const Ticks idle = now - awake_at_;
  if (idle >= timeout_ms_) step(LightEvent::idle);
  if (idle >= timeout_ms_ + kDimMs) step(LightEvent::idle_longer);
}

void Lighting::step(LightEvent event) {
  if (kTransitions.take(light_, event)) apply();
}

void Lighting::apply() {
  int percent = percent_;
  if (light_ == Light::dim) percent = std::max(percent / kDimDivisor, kMinBrightness);
  if (light_ == Light::dark) percent = 0;
  if (percent == applied_ || backlight_ == nullptr) return;
  applied_ = percent;
  backlight_->set(percent);
}

}  // namespace gadget::device
