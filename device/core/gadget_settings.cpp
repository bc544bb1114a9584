// What the person can set, from wherever it comes: kept, and applied at once.
#include "device/core/gadget.hpp"

namespace gadget::device {

bool Gadget::load_settings(Millis now) {
  settings_.load(config_.forced);
  bool whole = true;
  // The power went during a factory reset: nothing of the old device comes back.
  if (settings_.reset_pending()) whole = erase();
  apply_settings();
  (void)lighting_.wake(now);
  if (settings_.damaged() != 0) {
    notice(now, "Some settings were damaged and are as new.", kNoticeMs);
    for (std::size_t i = 0; i < kSettings; ++i) {
      const auto setting = static_cast<Setting>(i);
      if ((settings_.damaged() >> i & 1U) != 0) note(Fact::damaged, device::name(setting), now);
    }
  }
  return whole;
}

void Gadget::apply_settings() {
  playback_.set_volume(settings_.number(Setting::volume));
  lighting_.set(settings_.number(Setting::brightness), settings_.number(Setting::screen_timeout));
  redraw_ = true;
}

Settings::Outcome Gadget::set(Millis now, Setting setting, std::string_view value) {
  const auto outcome = settings_.set(setting, value);
  if (outcome != Settings::Outcome::invalid) set_done(now, setting);
  return outcome;
}

Settings::Outcome Gadget::set(Millis now, Setting setting, int value) {
  const auto outcome = settings_.set(setting, value);
  set_done(now, setting);
  return outcome;
}

void Gadget::set_done(Millis now, Setting setting) {
  apply_settings();
  note(Fact::setting, device::name(setting), now);
  // The hub learns a name and a token from `hello` only.
  const bool of_hello =
      setting == Setting::name || setting == Setting::hub || setting == Setting::token;
  if (of_hello) session_.reconnect(now);
  settle(now);
}

bool Gadget::factory_reset(Millis now) {
  session_.stop(1000, "leaving");
  storage_failed_ = !settings_.begin_reset() || !erase();
  if (!storage_failed_) storage_failed_ = !session_.start(now);
  apply_settings();
  note(Fact::reset, {}, now);
  settle(now);
  return !storage_failed_;
}

bool Gadget::erase() {
  // The mark stays until all is gone: whenever the power goes, the next start goes on.
  if (!session_.new_key() || !settings_.forget()) return false;
  settings_.end_reset();
  return true;
}

bool Gadget::put_aside(Millis now, Button button, bool down) {
  if (session_.phase() == Phase::off) return true;
  if (!down) return false;
  const bool was_dark = lighting_.wake(now);
  // In the dark nobody saw what a press would do, but for one that is always the same: to speak.
  const bool asks = session_.doubt() != Doubt::none || question_.shows();
  return was_dark && (button != Button::talk || asks);
}

}  // namespace gadget::device
