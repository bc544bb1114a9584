// port.hpp - a whole gadget on a Board: the core, its link, store, screen, sound and buttons, and
// the loop that feeds them.
//
//   MyBoard board;
//   static PortMemory memory;
//   static Port port{board, config, memory};
//   port.start();
//   for (;;) port.step();          // every 10 ms, or when something happened
//
// Owner: main; one thread. No heap. What the board has is said in port_config.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "device/core/console.hpp"
#include "device/core/gadget.hpp"
#include "device/core/settings_menu.hpp"
#include "ports/template/board.hpp"
#include "ports/template/flash_store.hpp"
#include "ports/template/hub_link.hpp"
#include "ports/template/long_press.hpp"
#include "ports/template/port_config.hpp"
#include "ports/template/screen_out.hpp"

namespace gadget::ports::port_template {

// What the port works in. All of it is static; nothing is allocated later.
struct PortMemory {
  device::GadgetMemory<kSpeakerHz, 4 + kMicHz / 25 * 2> gadget;
  std::array<std::byte, kReceiveBytes> receive{};
  std::array<device::screen::Colour, std::size_t{kScreenWidth} * kScreenRows> pixels{};
  std::array<device::screen::Colour, std::size_t{kScreenWidth} * kStripeRows> stripe{};
};

// What a board without a display has instead of ScreenOut. It is no device::Screen: such a one
// would bring all that the core has for screens into the image.
struct NoScreenOut {
  explicit NoScreenOut(const auto&...) {}
};

// What a board without a console has instead of it.
struct NoConsole {
  explicit NoConsole(const auto&...) {}
  void feed(device::Millis, std::string_view) {}
  void tick(device::Millis) {}
  void noticed(device::Fact, std::string_view) {}
};

struct PortConfig {
  std::string_view name = {};   // "kitchen"; empty: the id; while none is set, as token and hub
  std::string_view token = {};  // GADGET_ACCESS_TOKEN of the hub; empty: none (H7)
  std::string_view hub = "ws://hub.local:8765/gadget";  // while none is set on the device
  std::int64_t build_time_ms = 0;      // Unix time of the build; for certificates (T2)
  device::Actions* actions = nullptr;  // what the board can do for the agent
};

class Port final : private device::Entropy,
                   private device::Microphone,
                   private device::Speaker,
                   private device::Lamp,
                   private device::Backlight,
                   private device::Watcher,
                   private device::ConsolePort {
 public:
  Port(Board& board, const PortConfig& config, PortMemory& memory);

  // False: the flash cannot keep the device's key; the screen says so.
  bool start();
  // All that happened since the last step. Returns soon: a few milliseconds, with a screen the time
  // of drawing it.
  void step();

  [[nodiscard]] device::Gadget& gadget() { return gadget_; }
  [[nodiscard]] device::Millis now();

 private:
  void fill(std::span<std::byte> out) override { board_.random(out); }
  void listen(bool on) override;
  void wake(bool on) override;
  void set(std::uint32_t rgb) override { board_.lamp(rgb); }
  void set(int percent) override { board_.backlight(percent); }
  void noticed(device::Fact fact, std::string_view text, device::Millis now) override;

  void write_line(std::string_view line) override { board_.console_line(line); }
  bool restart() override;

  void run_console(device::Millis now);
  void run_buttons(device::Millis now);
  void run_long_up(device::Millis now);
  void run_microphone(device::Millis now);
  void run_speaker(device::Millis now);
  void run_restart(device::Millis now);

  Board& board_;
  std::uint32_t last_ticks_ = 0;
  device::Millis now_ = 0;
  FlashStore store_;
  HubLink link_;
  std::conditional_t<kHasScreen, ScreenOut, NoScreenOut> screen_;
  std::conditional_t<kHasScreen, device::SettingsMenu, device::NoMenu> menu_;
  device::Gadget gadget_;
  std::conditional_t<kHasConsole, device::Console, NoConsole> console_;

  bool network_ = true;
  std::uint8_t raw_buttons_ = 0;  // as the pins were last
  std::uint8_t buttons_ = 0;      // debounced
  device::Millis buttons_since_ = 0;
  LongPress long_up_;
  bool listening_ = false;
  bool awake_ = false;       // the core has something to play
  bool speaker_on_ = false;  // the same, and a tail of silence
  device::Millis speaker_until_ = 0;
  device::Millis restart_at_ = 0;  // 0: never
};

}  // namespace gadget::ports::port_template
