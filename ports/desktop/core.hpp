// core.hpp - the device core of a virtual board, with its edge: every call goes through here, so
// that it can be recorded (journal.hpp) and its memory be watched (heap_watch.hpp).
//
// The calls are those of device::Gadget, with the same rules. Owner: the board, or a replay. One
// thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "device/core/console.hpp"
#include "device/core/gadget.hpp"
#include "device/core/settings_menu.hpp"
#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/outside.hpp"

namespace gadget::ports::desktop {

struct CoreOptions {
  Profile profile;
  std::string name;
  std::string token;
  std::string hub;  // its URL
  // Whether they go before what was set on the device (a command line), or are for want of it.
  bool name_given = false;
  bool token_given = false;
  bool hub_given = false;
  std::string firmware = GADGET_VERSION;
  std::int64_t build_time_s = 0;  // T2, Unix seconds
  bool heap_check = false;
};

// The most samples that microphone and speaker of a virtual board move in one call: 0.2 s at 48
// kHz.
inline constexpr std::size_t kMaxStepSamples = 9'600;

class Core final : private device::ConsolePort {
 public:
  // `journal` and `stand_in` may be null; all live longer than the core.
  Core(CoreOptions options, const device::Platform& platform, Journal* journal, StandIn* stand_in);
  ~Core();

  // A new Gadget that has not started yet; and none any more.
  // `firmware` is the version that runs, when it is another than the program's own.
  void power_on(device::Millis now, const std::string& firmware = {});
  void power_off(device::Millis now);
  [[nodiscard]] bool is_on() const { return gadget_ != nullptr; }

  // ---- device::Gadget; only while it is on
  bool start(device::Millis now);
  void tick(device::Millis now);
  void network(device::Millis now, bool up);
  void stop(device::Millis now, std::uint16_t code = 1000, std::string_view reason = "leaving");
  void link_transport(device::Millis now, device::Epoch epoch);
  void link_opened(device::Millis now, device::Epoch epoch);
  void link_text(device::Millis now, device::Epoch epoch, std::span<char> message);
  void link_cut_text(device::Millis now, device::Epoch epoch, std::span<char> beginning);
  void link_binary(device::Millis now, device::Epoch epoch, std::span<const std::byte> message);
  void link_alive(device::Millis now, device::Epoch epoch);
  void link_closed(device::Millis now, device::Epoch epoch, const device::LinkEnd& end);
  void button(device::Millis now, device::Button button, bool down);
  bool text(device::Millis now, std::string_view text);
  void cancel(device::Millis now);
  void new_session(device::Millis now);
  bool answer(device::Millis now, bool yes);
  void allow_reenrol(device::Millis now);
  void microphone(device::Millis now, std::span<const std::int16_t> samples);
  std::size_t play(device::Millis now, std::span<std::int16_t> out);
  bool sensor(device::Millis now, std::string_view name, std::string_view json);
  bool event(device::Millis now, std::string_view name, std::string_view data, bool notify);
  device::Settings::Outcome set(device::Millis now, device::Setting setting,
                                std::string_view value);
  device::Settings::Outcome set(device::Millis now, device::Setting setting, int value);
  bool factory_reset(device::Millis now);

  // ---- device::Console: a line that somebody typed on the board's serial port.
  void console(device::Millis now, std::string_view line);
  // The next line that it wrote; nothing: none waits.
  [[nodiscard]] std::optional<std::string> console_line();
  // `restart` was said: the board is to be switched off and on. True once.
  [[nodiscard]] bool take_restart() { return std::exchange(restart_, false); }

  // ---- To look at
  [[nodiscard]] const device::Gadget& look() const { return *gadget_; }
  [[nodiscard]] const Panel& panel() const { return panel_; }
  [[nodiscard]] const CoreOptions& options() const { return options_; }
  // What is on the screen, or would be at `now`.
  [[nodiscard]] bool shows(device::Millis now, std::string_view text) const;
  [[nodiscard]] std::string screen_text(device::Millis now) const;
  [[nodiscard]] Result<void> screenshot(device::Millis now, const std::string& path) const;
  // With heap_check: how often it, or the WebSocket client, took memory so far, and in which call
  // first.
  [[nodiscard]] std::uint64_t allocations() const { return allocations_; }
  [[nodiscard]] const std::string& first_allocation() const { return first_allocation_; }

  // Makes one call of the core, or of the WebSocket client before it, counted when asked for.
  // `what` names it as a record does.
  template <class Call>
  auto inside(std::string_view what, Call call) {
    std::optional<heap::Watch> watch;
    if (options_.heap_check) watch.emplace();
    const Tally tally{*this, what};
    return call();
  }

 private:
  struct Memory;  // what the Gadget works in

  // ---- device::ConsolePort
  void write_line(std::string_view line) override;
  [[nodiscard]] bool restart() override;

  // What one call took, without what calls of the core within it took.
  class Tally {
   public:
    Tally(Core& core, std::string_view what)
        : core_(core), what_(what), before_(heap::count()), within_(core.allocations_) {}
    ~Tally();
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;

   private:
    Core& core_;
    std::string_view what_;
    std::uint64_t before_;
    std::uint64_t within_;
  };
  bool yes_no(bool answer);
  device::Settings::Outcome outcome(device::Settings::Outcome outcome);

  CoreOptions options_;
  Journal* journal_;
  StandIn* stand_in_;
  Panel panel_;
  Outside outside_;
  std::string firmware_;  // of the options, or of what was installed
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<device::Gadget> gadget_;
  std::unique_ptr<device::Console> console_;
  device::SettingsMenu menu_;
  std::deque<std::string> console_lines_;
  bool restart_ = false;
  std::uint64_t allocations_ = 0;
  std::string first_allocation_;
};

// A button as records and scripts call it; and back.
[[nodiscard]] std::string_view name(device::Button button);
[[nodiscard]] std::optional<device::Button> button_named(std::string_view word);

}  // namespace gadget::ports::desktop
