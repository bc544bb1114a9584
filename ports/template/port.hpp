// port.hpp - a whole gadget on a Board: the core, its link, store, screen, sound and buttons, and
// the loop that feeds them.
//
//   MyBoard board;
//   static PortMemory memory;
//   static Port port{board, config, memory};
//   port.start();
//   for (;;) port.step();          // every 10 ms, or when something happened
//
// Owner: main; one thread. No heap. The marks `PORT:` are the places to fill in or to decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/core/console.hpp"
#include "device/core/gadget.hpp"
#include "device/core/settings_menu.hpp"
#include "ports/template/board.hpp"
#include "ports/template/flash_store.hpp"
#include "ports/template/hub_link.hpp"
#include "ports/template/screen_out.hpp"

namespace gadget::ports::port_template {

// PORT: what your board has. 0 Hz: it has no microphone, no speaker.
inline constexpr std::uint32_t kMicHz = 16'000;
inline constexpr std::uint32_t kSpeakerHz = 16'000;
// PORT: the display. GADGET_TEMPLATE_NO_SCREEN leaves all drawing and the fonts out of the image.
inline constexpr int kScreenWidth = 160;
inline constexpr int kScreenHeight = 128;
// PORT: rows of pixels that you have memory for: all, or a band (screen_out.hpp).
inline constexpr int kScreenRows = 32;
// PORT: with all of them, rows that are sent at a time.
inline constexpr int kStripeRows = kScreenRows < kScreenHeight ? 0 : 8;
// PORT: the longest message of the hub that is taken whole; 4,096 to 65,536 (E33).
inline constexpr std::size_t kReceiveBytes = 8'192;

// Buttons count as pressed or released when they were so for this long.
inline constexpr device::Millis kDebounceMs = 20;

// What the port works in. All of it is static; nothing is allocated later.
struct PortMemory {
  device::GadgetMemory<kSpeakerHz, 4 + kMicHz / 25 * 2> gadget;
  std::array<std::byte, kReceiveBytes> receive{};
#ifndef GADGET_TEMPLATE_NO_SCREEN
  device::SettingsMenu menu{};  // settings on the screen
  std::array<device::screen::Colour, std::size_t{kScreenWidth} * kScreenRows> pixels{};
  std::array<device::screen::Colour, std::size_t{kScreenWidth} * kStripeRows> stripe{};
#endif
};

struct PortConfig {
  std::string_view name = {};  // "kitchen"; empty: the id; while none is set, as token and hub
  std::string_view board = "my-board";
  std::string_view firmware = "0.1.0";
  std::string_view token = {};  // GADGET_ACCESS_TOKEN of the hub; empty: none (H7)
  std::string_view hub = "ws://hub.local:8765/gadget";  // while none is set on the device
  std::int64_t build_time_ms = 0;  // Unix time of the build; for certificates (T2)
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
  bool restart() override { return board_.restart(); }

  void run_console(device::Millis now);
  void run_buttons(device::Millis now);
  void run_microphone(device::Millis now);
  void run_speaker(device::Millis now);

  Board& board_;
  std::uint32_t last_ticks_ = 0;
  device::Millis now_ = 0;
  FlashStore store_;
  HubLink link_;
#ifndef GADGET_TEMPLATE_NO_SCREEN
  ScreenOut screen_;
#endif
  device::Gadget gadget_;
  device::Console console_;

  bool network_ = true;
  std::uint8_t raw_buttons_ = 0;  // as the pins were last
  std::uint8_t buttons_ = 0;      // debounced
  device::Millis buttons_since_ = 0;
  bool listening_ = false;
  bool awake_ = false;
};

}  // namespace gadget::ports::port_template
