// outside.hpp - what the core asks of its platform, on the way out: not counted as the core's
// memory, without secrets when there is a record, and written down.
//
// Forwards to `real`, which must have all that a virtual board has. One thread, that of the core.
#pragma once

#include "device/core/console.hpp"
#include "device/core/platform.hpp"
#include "ports/desktop/journal.hpp"
#include "ports/desktop/outside_slots.hpp"
#include "ports/desktop/panel.hpp"
#include "ports/desktop/stand_in.hpp"

namespace gadget::ports::desktop {

class Outside final : private device::Link,
                      private device::Store,
                      private device::Entropy,
                      private device::Screen,
                      private device::Microphone,
                      private device::Lamp,
                      private device::Backlight,
                      private device::Watcher {
 public:
  // `journal` and `stand_in` may be null. `panel` is what the screen is drawn on.
  Outside(const device::Platform& real, Panel& panel, Journal* journal, StandIn* stand_in)
      : real_(real),
        panel_(panel),
        journal_(journal),
        stand_in_(stand_in),
        slots_(real.firmware, journal) {}

  // For a Gadget: has of the optional parts what `real` has, and always a screen.
  [[nodiscard]] device::Platform platform();
  // Facts go there, too; null: not.
  void log_to(device::Console* console) { console_ = console; }

 private:
  // ---- device::Link
  void connect(device::Epoch epoch) override;
  bool send_text(std::string_view message) override;
  bool send_binary(std::span<const std::byte> message) override;
  void close(std::uint16_t code, std::string_view reason) override;
  bool secure() const override;
  // ---- device::Store
  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override;
  bool put(std::string_view name, std::span<const std::byte> value) override;
  // ---- the others
  void fill(std::span<std::byte> out) override;
  void show(const device::screen::ScreenModel& model, device::Millis now) override;
  void listen(bool on) override;
  void set(std::uint32_t rgb) override;
  void set(int percent) override;
  void noticed(device::Fact fact, std::string_view text, device::Millis now) override;

  device::Platform real_;
  Panel& panel_;
  Journal* journal_;
  StandIn* stand_in_;
  device::Console* console_ = nullptr;
  OutsideSlots slots_;
};

}  // namespace gadget::ports::desktop
