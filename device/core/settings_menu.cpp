#include "device/core/settings_menu.hpp"

#include <algorithm>
#include <cstdlib>

#include "protocol/decimal.hpp"

namespace gadget::device {
namespace {

constexpr int kPercentStep = 10;
// What the buttons offer as the screen's timeout, seconds; the console takes any. 0: never.
constexpr std::array<std::int16_t, 8> kTimeouts{15, 30, 60, 120, 300, 900, 3'600, 0};
constexpr std::int32_t kBarChars = 20;
constexpr std::string_view kBar = "####################";
// A level falls by 1/8 each 10 ms or so: fast enough to see words.
constexpr std::int32_t kSink = 8;
constexpr std::array<std::string_view, 4> kButtonNames{"TALK", "CANCEL", "UP", "DOWN"};
constexpr std::string_view kDown = "pressed";
constexpr std::string_view kGoesBack = " goes back";

}  // namespace

bool SettingsMenu::step(MenuEvent event) {
  const auto to = next(page_, event);
  if (!to) return false;
  page_ = *to;
  place_ = 0;
  holds_ = false;
  pressed_.reset();
  heard_samples_ = 0;
  level_ = loudest_ = 0;
  return true;
}

void SettingsMenu::attach(Settings& settings, const Board& board) {
  settings_ = &settings;
  board_ = board;
  step(MenuEvent::leave);
}

void SettingsMenu::open(Ticks now) {
  if (!step(MenuEvent::open)) return;
  pressed_at_ = now;
  row_ = Row::volume;
  if (!has(row_)) choose(1);
}

bool SettingsMenu::check(Ticks now, MenuEvent which) {
  pressed_at_ = now;
  return step(which);
}

Menu::Ask SettingsMenu::leave() {
  const Ask ask = undo();
  step(MenuEvent::leave);
  return ask;
}

// A change that was not kept is as if it had never been.
Menu::Ask SettingsMenu::undo() {
  if (page_ != MenuPage::edit) return Ask::nothing;
  settings_->preview(chosen(), before_);
  return Ask::apply;
}

bool SettingsMenu::has(Row row) const {
  switch (row) {
    case Row::volume:
    case Row::speaker: return board_.speaker;
    case Row::brightness:
    case Row::screen_timeout: return board_.backlight;
    case Row::talk_mode:
    case Row::microphone: return board_.microphone;
    default: return true;
  }
}

void SettingsMenu::choose(int by) {
  auto at = static_cast<std::size_t>(row_);
  do {
    at = (at + kRows + static_cast<std::size_t>(by)) % kRows;
  } while (!has(static_cast<Row>(at)));
  row_ = static_cast<Row>(at);
}

Menu::Ask SettingsMenu::press(Ticks now, Button button, bool down) {
  pressed_at_ = now;
  if (!down) {
    holds_ = false;
    return Ask::nothing;
  }
  const int by = button == Button::up ? 1 : button == Button::down ? -1 : 0;
  const bool talk = button == Button::talk;
  const bool cancel = button == Button::cancel;
  pressed_ = button;
  switch (page_) {
    case MenuPage::closed: break;
    case MenuPage::list:
      if (talk) return enter();
      if (cancel) {
        step(MenuEvent::back);
      } else {
        choose(-by);
      }
      break;
    case MenuPage::edit: {
      if (by != 0) return change(by);
      const Ask ask = talk ? Ask::kept : undo();
      if (talk) settings_->set(chosen(), settings_->number(chosen()));
      setting_ = chosen();
      step(MenuEvent::back);
      return ask;
    }
    case MenuPage::info:
      if (by == 0) {
        step(MenuEvent::back);
      } else {
        place_ = static_cast<std::uint8_t>((place_ + kInfoRows - static_cast<std::size_t>(by)) %
                                           kInfoRows);
      }
      break;
    case MenuPage::speaker:
      if (talk) return Ask::tone;
      [[fallthrough]];
    case MenuPage::microphone:
      if (by == 0) step(MenuEvent::back);
      break;
    case MenuPage::display:
      if (cancel) {
        step(MenuEvent::back);
      } else {
        place_ = static_cast<std::uint8_t>((place_ + 1) % screen::kTestPatterns);
      }
      break;
    case MenuPage::inputs:
      holds_ = cancel;
      holds_since_ = now;
      break;
    case MenuPage::erase:
      if (talk) {
        holds_ = true;
        holds_since_ = now;
      } else {
        step(MenuEvent::back);
      }
      break;
  }
  return Ask::nothing;
}

Menu::Ask SettingsMenu::enter() {
  switch (row_) {
    case Row::talk_mode:
      setting_ = Setting::talk_mode;
      settings_->set(Setting::talk_mode, 1 - settings_->number(Setting::talk_mode));
      return Ask::kept;
    case Row::volume:
    case Row::brightness:
    case Row::screen_timeout:
      before_ = static_cast<std::int16_t>(settings_->number(chosen()));
      step(MenuEvent::edit);
      break;
    case Row::microphone: step(MenuEvent::microphone); break;
    case Row::speaker: step(MenuEvent::speaker); return Ask::tone;
    case Row::display: step(MenuEvent::display); break;
    case Row::inputs: step(MenuEvent::inputs); break;
    case Row::info: step(MenuEvent::info); break;
    case Row::erase: step(MenuEvent::erase); break;
  }
  return Ask::nothing;
}

Menu::Ask SettingsMenu::change(int by) {
  const int now_at = settings_->number(chosen());
  if (row_ != Row::screen_timeout) {
    settings_->preview(chosen(), now_at + by * kPercentStep);
    return Ask::apply;
  }
  // A value that a console set counts as the next one offered.
  std::size_t at = 0;
  while (at + 1 < kTimeouts.size() && (now_at == 0 || kTimeouts[at] < now_at)) ++at;
  const auto last = static_cast<int>(kTimeouts.size()) - 1;
  settings_->preview(
      chosen(),
      kTimeouts[static_cast<std::size_t>(std::clamp(static_cast<int>(at) + by, 0, last))]);
  return Ask::apply;
}

Menu::Ask SettingsMenu::tick(Ticks now) {
  if (page_ == MenuPage::closed) return Ask::nothing;
  if (holds_) {
    if (page_ == MenuPage::inputs && now - holds_since_ >= kLeaveHoldMs) {
      step(MenuEvent::back);
    } else if (page_ == MenuPage::erase && now - holds_since_ >= kEraseHoldMs) {
      step(MenuEvent::leave);
      return Ask::erase;
    }
  }
  return now - pressed_at_ >= kMenuIdleMs ? leave() : Ask::nothing;
}

void SettingsMenu::hear(std::span<const std::int16_t> samples) {
  heard_samples_ += static_cast<std::uint32_t>(samples.size());
  level_ -= level_ / kSink;
  for (const std::int16_t sample : samples) {
    level_ = std::max(level_, std::abs(std::int32_t{sample}));
  }
  loudest_ = std::max(loudest_, level_);
}

// ---- What the screen shows

std::string_view SettingsMenu::text(std::uint32_t value, std::string_view before,
                                    std::string_view after) const {
  protocol::DecimalRoom digits;
  const std::size_t begin = pool_used_;
  for (const std::string_view part : {before, protocol::decimal(value, digits), after}) {
    for (const char c : part) {
      if (pool_used_ < pool_.size()) pool_[pool_used_++] = c;
    }
  }
  return {pool_.data() + begin, pool_used_ - begin};
}

std::string_view SettingsMenu::value(Row row) const {
  if (static_cast<std::size_t>(row) >= kNumberSettings) return {};
  const auto setting = static_cast<Setting>(row);
  if (row == Row::talk_mode) return settings_->text(setting);
  const bool edited = page_ == MenuPage::edit && row == row_;
  const std::string_view before = edited ? "< " : "";
  auto number = static_cast<std::uint32_t>(settings_->number(setting));
  if (row != Row::screen_timeout) return text(number, before, edited ? " % >" : " %");
  if (number == 0) return edited ? "never >" : "never";
  if (number % 60 != 0) return text(number, before, edited ? " s >" : " s");
  return text(number / 60, before, edited ? " min >" : " min");
}

void SettingsMenu::add(std::string_view label, std::string_view value) const {
  if (lines_used_ < lines_.size()) lines_[lines_used_++] = {label, value};
}

void SettingsMenu::fill(Ticks now, const DeviceInfo& info, screen::ScreenModel& model) const {
  lines_used_ = pool_used_ = 0;
  model.setting_chosen = 0;
  switch (page_) {
    case MenuPage::list:
    case MenuPage::edit: fill_list(model); break;
    case MenuPage::info:
      model.cancel_does = kGoesBack;
      model.setting_chosen = place_;
      fill_info(info);
      break;
    default: fill_check(now, model); break;
  }
  model.settings = std::span{lines_}.first(lines_used_);
}

void SettingsMenu::fill_list(screen::ScreenModel& model) const {
  constexpr std::array<std::string_view, kRows> kLabels{
      "Volume",     "Brightness", "Talk mode",  "Screen off after", "Microphone...",
      "Speaker...", "Display...", "Buttons...", "This device...",   "Factory reset..."};
  if (page_ == MenuPage::edit) model.hint = "UP, DOWN; TALK keeps";
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto row = static_cast<Row>(i);
    if (!has(row)) continue;
    if (row == row_) model.setting_chosen = lines_used_;
    add(kLabels[i], value(row));
  }
}

void SettingsMenu::fill_info(const DeviceInfo& info) const {
  add("Id", info.id);
  add("Name", info.name);
  add("Hub", info.hub);
  add("State", info.state);
  add("Firmware", info.firmware);
  add("Board", info.board);
  add("Protocol", text(protocol::kProtocolVersion, "", ""));
  add("On since",
      info.uptime_s < 120 ? text(info.uptime_s, "", " s") : text(info.uptime_s / 60, "", " min"));
  add("Connections", text(info.connections, "", ""));
  add("Lost messages", text(info.dropped + info.unsent, "", ""));
  add("Voice gaps", text(info.underruns, "", ""));
}

void SettingsMenu::fill_check(Ticks now, screen::ScreenModel& model) const {
  const auto percent = [](std::int32_t level) {
    return static_cast<std::uint32_t>(level / kPercent);
  };
  const protocol::InputCaps& inputs = board_.inputs;
  const std::array<bool, kButtons> there{inputs.talk, inputs.cancel, inputs.up, inputs.down};
  switch (page_) {
    case MenuPage::microphone:
      model.cancel_does = kGoesBack;
      add(kBar.substr(0, static_cast<std::size_t>(level_ * kBarChars / 32'768)),
          text(percent(level_), "", " %"));
      add("Loudest", text(percent(loudest_), "", " %"));
      if (heard_samples_ == 0) add("No sound yet", {});
      break;
    case MenuPage::speaker:
      model.cancel_does = kGoesBack;
      add("A tone is played", {});
      add("TALK: once more", {});
      break;
    case MenuPage::display: model.test_pattern = static_cast<std::uint8_t>(place_ + 1); break;
    case MenuPage::inputs:
      if (board_.inputs.cancel) model.hint = "Hold ";
      model.cancel_does = board_.inputs.cancel ? " to go back" : kGoesBack;
      for (std::size_t i = 0; i < kButtonNames.size(); ++i) {
        if (!there[i]) continue;
        const bool here = pressed_ == static_cast<Button>(i);
        if (here) model.setting_chosen = lines_used_;
        add(kButtonNames[i], here ? kDown : std::string_view{});
      }
      break;
    case MenuPage::erase: {
      model.cancel_does = ": no";
      add("Forget key and settings?", {});
      const Ticks held = holds_ ? std::min(now - holds_since_, kEraseHoldMs) : 0;
      add("Yes: hold TALK", text((kEraseHoldMs - held + 999) / 1'000, "", " s"));
      model.setting_chosen = 1;
      break;
    }
    default: break;
  }
}

}  // namespace gadget::device
