// What the person can set, from wherever it comes: kept, and applied at once.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "device/core/gadget.hpp"
#include "protocol/audio_assembler.hpp"

namespace gadget::device {
namespace {

constexpr std::uint8_t kToneStream = 255;  // the hub's are 1 to 250 (E20)
constexpr std::uint32_t kToneHz = 660;
constexpr std::size_t kToneChunk = 240;  // samples that are made at a time: a small stack

}  // namespace

bool Gadget::load_settings() {
  started_at_ = clock_ms_;
  settings_.load(config_.forced);
  bool whole = true;
  // The power went during a factory reset: nothing of the old device comes back.
  if (settings_.reset_pending()) whole = erase();
  apply_settings();
  (void)lighting_.wake(now_);
  if (settings_.damaged() != 0) {
    notice("Some settings were damaged and are as new.");
    for (std::size_t i = 0; i < kSettings; ++i) {
      const auto setting = static_cast<Setting>(i);
      if ((settings_.damaged() >> i & 1U) != 0) note(Fact::damaged, device::name(setting));
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
  begin(now);
  const auto outcome = settings_.set(setting, value);
  if (outcome != Settings::Outcome::invalid) set_done(setting);
  return outcome;
}

Settings::Outcome Gadget::set(Millis now, Setting setting, int value) {
  begin(now);
  const auto outcome = settings_.set(setting, value);
  if (outcome != Settings::Outcome::invalid) set_done(setting);
  return outcome;
}

void Gadget::set_done(Setting setting) {
  apply_settings();
  note(Fact::setting, device::name(setting));
  // The hub learns a name and a token from `hello` only.
  const bool of_hello =
      setting == Setting::name || setting == Setting::hub || setting == Setting::token;
  if (setting == Setting::hub) backlog_.clear();  // it was said to the other one
  if (of_hello) session_.reconnect(now_);
  settle();
}

bool Gadget::factory_reset(Millis now) {
  begin(now);
  session_.stop(1000, "leaving");
  backlog_.clear();
  storage_failed_ = !settings_.begin_reset() || !erase();
  if (!storage_failed_) storage_failed_ = !session_.start(now_);
  apply_settings();
  note(Fact::reset);
  settle();
  return !storage_failed_;
}

bool Gadget::erase() {
  // The mark stays until all is gone: whenever the power goes, the next start goes on.
  if (!session_.new_key() || !settings_.forget()) return false;
  settings_.end_reset();
  return true;
}

// ---- The settings on the screen

bool Gadget::put_aside(Button button, bool down) {
  if (session_.phase() == Phase::off) return true;
  const bool was_dark = down && lighting_.wake(now_);
  const bool asks = session_.doubt() != Doubt::none || question_.shows();
  if (menu_.is_open() && !asks) {
    follow_menu(menu_.press(now_, button, down));
    return true;
  }
  if (down && (button == Button::up || button == Button::down)) may_open_menu_ = true;
  // In the dark nobody saw what a press would do, but for one that is always the same: to speak.
  return was_dark && (button != Button::talk || asks);
}

void Gadget::settings_tick() {
  if (menu_.is_open()) return follow_menu(menu_.tick(now_));
  const Held& up = held_[static_cast<std::size_t>(Button::up)];
  const Held& down = held_[static_cast<std::size_t>(Button::down)];
  if (!may_open_menu_ || !up.down || !down.down || !config_.display) return;
  if (std::min(now_ - up.since, now_ - down.since) < kSettingsHoldMs) return;
  using enum screen::State;
  const bool busy = state_ == question || state_ == listening || state_ == updating;
  if (!busy) {
    may_open_menu_ = false;
    menu_.open(now_);
  }
}

bool Gadget::check(Millis now, MenuEvent which) {
  begin(now);
  const bool has = which == MenuEvent::microphone ? config_.mic_hz != 0
                   : which == MenuEvent::speaker  ? config_.speaker_hz != 0
                   : which == MenuEvent::display  ? config_.display.has_value()
                                                  : which == MenuEvent::inputs;
  if (!has || session_.phase() == Phase::off || talk_.recording() || !menu_.check(now_, which)) {
    return false;
  }
  follow_menu(which == MenuEvent::speaker ? Menu::Ask::tone : Menu::Ask::nothing);
  settle();
  return true;
}

void Gadget::leave_settings(Millis now) {
  begin(now);
  follow_menu(menu_.leave());
  settle();
}

void Gadget::follow_menu(Menu::Ask ask) {
  redraw_ = true;
  const bool listens = menu_.page() == MenuPage::microphone;
  if (listens != menu_listens_) {
    menu_listens_ = listens;
    if (platform_.microphone != nullptr) platform_.microphone->listen(listens);
  }
  switch (ask) {
    case Menu::Ask::nothing: break;
    case Menu::Ask::apply: return apply_settings();
    case Menu::Ask::kept: return set_done(menu_.setting());
    case Menu::Ask::tone: return play_tone();
    case Menu::Ask::erase: (void)factory_reset(clock_ms_); break;
  }
}

void Gadget::play_tone() {
  hush();
  if (!playback_.start(kToneStream, config_.speaker_hz)) return;
  std::array<std::byte, std::size_t{2} * kToneChunk> bytes;  // NOLINT: filled below
  const std::uint32_t step = kToneHz * 65'536 / config_.speaker_hz;
  const auto chunks = static_cast<std::uint16_t>(config_.speaker_hz * kToneMs / 1'000 / kToneChunk);
  std::uint16_t angle = 0;  // a turn is 65,536
  for (std::uint16_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t i = 0; i < kToneChunk; ++i) {
      // Two parabolas, near enough to a sine.
      const auto at = static_cast<std::int32_t>(static_cast<std::int16_t>(angle));
      const auto sample = static_cast<std::int16_t>((at * (32'768 - std::abs(at))) >> 15);
      protocol::encode_samples({&sample, 1}, std::span{bytes}.subspan(2 * i, 2));
      angle = static_cast<std::uint16_t>(angle + step);
    }
    (void)playback_.frame(kToneStream, chunk, bytes, false);
  }
  (void)playback_.end(kToneStream);
  watch_playback();
}

DeviceInfo Gadget::info(Millis now) const {
  now = clocked(now);
  return {.id = session_.id().text(),
          .name = name(),
          .firmware = config_.firmware,
          .board = config_.board,
          .hub = settings_.text(Setting::hub),
          .state = session_.online() ? std::string_view{paired_ ? "connected" : "not paired"}
                                     : std::string_view{"not connected"},
          .uptime_s = static_cast<std::uint32_t>((now - started_at_) / 1'000),
          .connections = counters_.connections,
          .dropped = counters_.malformed + counters_.unknown + counters_.too_long,
          .unsent = counters_.unsent,
          .underruns = playback_.counters().underruns};
}

}  // namespace gadget::device
