// menu.hpp - the settings on the device's own screen, as Gadget sees them: their pages, and what
// they ask for. SettingsMenu (settings_menu.hpp) is them; a board without a screen leaves them out,
// and they are not in its image.
#pragma once

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

// By itself: no settings, that never open. Owned by the port, driven by Gadget, which does what
// press() and tick() ask for.
class Menu {
 public:
  struct Board {
    bool speaker = false;
    bool microphone = false;
    bool backlight = false;
    protocol::InputCaps inputs;
  };
  // What is to be done in consequence.
  enum class Ask : std::uint8_t {
    nothing,
    apply,  // settings count that are not kept yet
    kept,   // setting() was kept
    tone,   // the speaker's test
    erase,  // everything
  };

  // A Gadget has them from now on, closed. `settings` lives as long as it drives them.
  virtual void attach(Settings&, const Board&) {}
  virtual void open(Ticks) {}
  // A check asked for elsewhere. False: another page is open, or there are none.
  virtual bool check(Ticks, MenuEvent) { return false; }
  virtual Ask leave() { return Ask::nothing; }
  virtual Ask press(Ticks, Button, bool) { return Ask::nothing; }
  virtual Ask tick(Ticks) { return Ask::nothing; }
  // What the microphone hears, while its page is open.
  virtual void hear(std::span<const std::int16_t>) {}
  // The page as the screen's list; its views are valid until the next call.
  virtual void fill(Ticks, const DeviceInfo&, screen::ScreenModel&) const {}

  [[nodiscard]] MenuPage page() const { return page_; }
  [[nodiscard]] bool is_open() const { return page_ != MenuPage::closed; }
  [[nodiscard]] Setting setting() const { return setting_; }
  [[nodiscard]] std::uint32_t heard_samples() const { return heard_samples_; }  // since it opened
  [[nodiscard]] int loudest_percent() const { return loudest_ / kPercent; }     // the same
  [[nodiscard]] std::optional<Button> pressed() const { return pressed_; }      // the same, last

 protected:
  ~Menu() = default;
  static constexpr std::int32_t kPercent = 328;  // of a full sample

  MenuPage page_ = MenuPage::closed;
  Setting setting_ = Setting::volume;  // that was kept last
  std::optional<Button> pressed_;
  std::uint32_t heard_samples_ = 0;
  std::int32_t loudest_ = 0;
};

// What a Gadget without settings on its screen has.
class NoMenu final : public Menu {};

}  // namespace gadget::device
