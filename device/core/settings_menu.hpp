// settings_menu.hpp - the settings on the device's own screen: a list, and behind its rows what can
// be changed, checked, read and erased.
//
//   UP and DOWN held for kSettingsHoldMs open it; then UP and DOWN choose, TALK changes or enters,
//   CANCEL goes back. It closes by itself when nobody pressed anything for kMenuIdleMs.
//
// Owned by the port, which hands it to a Gadget (GadgetConfig::menu). No heap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/core/menu.hpp"

namespace gadget::device {

class SettingsMenu final : public Menu {
 public:
  void attach(Settings& settings, const Board& board) override;
  void open(Ticks now) override;
  bool check(Ticks now, MenuEvent which) override;
  Ask leave() override;
  Ask press(Ticks now, Button button, bool down) override;
  Ask tick(Ticks now) override;
  void hear(std::span<const std::int16_t> samples) override;
  void fill(Ticks now, const DeviceInfo& info, screen::ScreenModel& model) const override;

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

  bool step(MenuEvent event);
  [[nodiscard]] bool has(Row row) const;
  [[nodiscard]] Setting chosen() const { return static_cast<Setting>(row_); }
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
  void fill_check(Ticks now, screen::ScreenModel& model) const;

  Settings* settings_ = nullptr;
  Board board_;
  Row row_ = Row::volume;
  std::uint8_t place_ = 0;   // which line of the information, which pattern
  std::int16_t before_ = 0;  // the setting that is being changed, as it was
  Ticks pressed_at_ = 0;     // the last press
  bool holds_ = false;       // the button that counts by being held is
  Ticks holds_since_ = 0;    // since when
  std::int32_t level_ = 0;   // sinks slowly

  // What fill() hands out.
  mutable std::array<screen::SettingView, kInfoRows> lines_;
  mutable std::uint8_t lines_used_ = 0;
  mutable std::array<char, 96> pool_;
  mutable std::uint8_t pool_used_ = 0;
};

}  // namespace gadget::device
