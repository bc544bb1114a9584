// front.hpp - the front of a virtual gadget as one picture: its screen, enlarged by a whole number,
// its lamp, its buttons, and a line for what is typed. Pure: pixels out, places in; the window
// shows it.
//
// One thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/core/gadget.hpp"
#include "device/screen/canvas.hpp"
#include "ports/desktop/panel.hpp"

namespace gadget::ports::desktop {

class Front {
 public:
  struct Look {
    std::array<bool, device::kButtons> down{};  // by device::Button
    std::optional<std::uint32_t> lamp;          // 0xRRGGBB
    int backlight_percent = 100;
    std::string typed;
    std::string note;  // instead of the hint, while nothing is typed
    [[nodiscard]] bool operator==(const Look&) const = default;
  };

  explicit Front(const Profile& profile);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  // How many pixels of the front a pixel of the screen has on a side.
  [[nodiscard]] int scale() const { return scale_; }
  // RGB565, row by row; valid until the next call.
  [[nodiscard]] std::span<const device::screen::Colour> draw(const Panel& panel, const Look& look);
  // Which button is there.
  [[nodiscard]] std::optional<device::Button> button_at(int x, int y) const;
  [[nodiscard]] device::screen::Rect place_of(device::Button button) const {
    return buttons_[static_cast<std::size_t>(button)];
  }
  [[nodiscard]] const device::screen::Rect& screen_place() const { return screen_; }

 private:
  void draw_screen(const Panel& panel, int backlight_percent);
  void draw_button(device::Button button, bool down);
  void draw_typed(const Look& look);

  Profile profile_;
  int scale_ = 1;
  int width_ = 0;
  int height_ = 0;
  device::screen::Rect screen_;
  std::array<device::screen::Rect, device::kButtons> buttons_;
  device::screen::Rect line_;
  std::vector<device::screen::Colour> pixels_;
  device::screen::Canvas canvas_;
};

}  // namespace gadget::ports::desktop
