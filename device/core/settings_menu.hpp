// settings_menu.hpp - the settings on the device's own screen: a list, and behind its rows what can
// be changed, checked, read and erased.
//
//   UP and DOWN held for kSettingsHoldMs open it; then UP and DOWN choose, TALK changes or enters,
//   CANCEL goes back. It closes by itself when nobody pressed anything for kMenuIdleMs.
//
// Owned and driven by Gadget, which does what press() and tick() ask for. No heap.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/platform.hpp"
#include "device/core/settings.hpp"
#include "device/screen/model.hpp"

namespace gadget::device {

enum class MenuPage : std::uint8_t {
  closed,
  list,
  edit,        // the chosen setting is being changed: seen and heard at once, kept by TALK
  info,        // what this device is
  microphone,  // its level, live
  speaker,     // a tone
  display,     // test patterns
  inputs,      // which button is down
  erase,       // factory reset: TALK held is the yes
};
inline constexpr std::size_t kMenuPages = 9;

enum class MenuEvent : std::uint8_t {
  open,
  edit,
  info,
  microphone,
  speaker,
  display,
  inputs,
  erase,
  back,
  leave,  // idle, erased, or told to
};
inline constexpr std::size_t kMenuEvents = 10;

// The whole menu. Empty: that event means nothing on that page.
[[nodiscard]] constexpr std::optional<MenuPage> next(MenuPage page, MenuEvent event) {
  using enum MenuPage;
  switch (event) {
    case MenuEvent::open:
      if (page == closed) return list;
      break;
    case MenuEvent::edit:
    case MenuEvent::info:
    case MenuEvent::erase:
      if (page != list) break;
      if (event == MenuEvent::edit) return edit;
      return event == MenuEvent::info ? info : erase;
    case MenuEvent::microphone:
    case MenuEvent::speaker:
    case MenuEvent::display:
    case MenuEvent::inputs: {
      if (page != list && page != closed) break;  // closed: a console asks for it
      if (event == MenuEvent::microphone) return microphone;
      if (event == MenuEvent::speaker) return speaker;
      return event == MenuEvent::display ? display : inputs;
    }
    case MenuEvent::back:
      if (page == list) return closed;
      if (page != closed) return list;
      break;
    case MenuEvent::leave:
      if (page != closed) return closed;
      break;
  }
  return std::nullopt;
}

// What the device is, for its page of information.
struct DeviceInfo {
  std::string_view id;
  std::string_view name;
  std::string_view firmware;
  std::string_view board;
  std::string_view hub;
  std::string_view state;
  std::uint32_t uptime_s = 0;
  std::uint32_t connections = 0;
  std::uint32_t dropped = 0;    // messages of the hub that could not be used
  std::uint32_t unsent = 0;     // messages that the link did not take
  std::uint32_t underruns = 0;  // of the voice
};

class SettingsMenu {
 public:
  struct Board {
    bool speaker = false;
    bool microphone = false;
    bool backlight = false;
  };
  SettingsMenu(Settings& settings, const Board& board) : settings_(settings), board_(board) {}

  // What is to be done in consequence.
  enum class Ask : std::uint8_t {
    nothing,
    apply,  // settings count that are not kept yet
    kept,   // setting() was kept
    tone,   // the speaker's test
    erase,  // everything
  };
  void open(Millis now);
  // A check asked for elsewhere. False: another page is open.
  bool check(Millis now, MenuEvent which);
  Ask leave();
  Ask press(Millis now, Button button, bool down);
  Ask tick(Millis now);
  // What the microphone hears, while its page is open.
  void hear(std::span<const std::int16_t> samples);

  [[nodiscard]] MenuPage page() const { return page_; }
  [[nodiscard]] bool is_open() const { return page_ != MenuPage::closed; }
  [[nodiscard]] Setting setting() const;
  [[nodiscard]] std::uint32_t heard_samples() const { return heard_samples_; }  // since it opened
  [[nodiscard]] int loudest_percent() const { return loudest_ / kPercent; }     // the same
  [[nodiscard]] std::optional<Button> pressed() const { return pressed_; }      // the same, last

  // The page as the screen's list; its views are valid until the next call.
  void fill(Millis now, const DeviceInfo& info, screen::ScreenModel& model) const;

 private:
  // The list's rows, in order; the first ones are settings.
  enum class Row : std::uint8_t {
    volume,
    brightness,
    talk_mode,
    screen_timeout,
    microphone,
    speaker,
    display,
    inputs,
    info,
    erase,
  };
  static constexpr std::size_t kRows = 10;
  static constexpr std::size_t kInfoRows = 11;
  static constexpr std::int32_t kPercent = 328;  // of a full sample

  bool step(MenuEvent event);
  [[nodiscard]] bool has(Row row) const;
  void choose(int by);
  Ask enter();
  Ask change(int by);
  Ask undo();
  [[nodiscard]] std::string_view text(std::uint32_t value, std::string_view before,
                                      std::string_view after) const;
  [[nodiscard]] std::string_view value(Row row) const;
  void add(std::string_view label, std::string_view value) const;
  void fill_list(screen::ScreenModel& model) const;
  void fill_info(const DeviceInfo& info) const;
  void fill_check(Millis now, screen::ScreenModel& model) const;

  Settings& settings_;
  Board board_;
  MenuPage page_ = MenuPage::closed;
  Row row_ = Row::volume;
  std::uint8_t place_ = 0;   // which line of the information, which pattern
  std::int16_t before_ = 0;  // the setting that is being changed, as it was
  Millis pressed_at_ = 0;    // the last press
  Millis holds_since_ = 0;   // the button that counts by being held; 0: it is not
  std::optional<Button> pressed_;
  std::uint32_t heard_samples_ = 0;
  std::int32_t level_ = 0;  // sinks slowly
  std::int32_t loudest_ = 0;

  // What fill() hands out.
  mutable std::array<screen::SettingView, kInfoRows> lines_;
  mutable std::uint8_t lines_used_ = 0;
  mutable std::array<char, 96> pool_;
  mutable std::uint8_t pool_used_ = 0;
};

}  // namespace gadget::device
