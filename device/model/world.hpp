// world.hpp - a gadget, the board under it and the hub before it, driven by steps and watched by
// the Contract. For tests and fuzz targets only.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/core/gadget.hpp"
#include "device/core/settings_menu.hpp"
#include "device/model/contract.hpp"
#include "device/model/firmware.hpp"
#include "device/model/steps.hpp"

namespace gadget::device::model {

// Later than this the gadget's clock stands still (gadget.hpp): nothing is due any more.
inline constexpr Millis kEndOfClock = kMaxClockMs;

// Room with walls: what is written beyond it is found.
template <class T>
class Walled {
 public:
  explicit Walled(std::size_t size) : all_(size + 2 * kWall, kBrick) {
    std::fill(all_.begin() + kWall, all_.end() - kWall, T{});
  }
  [[nodiscard]] std::span<T> room() {
    return std::span{all_}.subspan(kWall, all_.size() - 2 * kWall);
  }
  [[nodiscard]] bool intact() const {
    const auto is_brick = [](T one) { return one == kBrick; };
    return std::all_of(all_.begin(), all_.begin() + kWall, is_brick) &&
           std::all_of(all_.end() - kWall, all_.end(), is_brick);
  }

 private:
  static constexpr std::ptrdiff_t kWall = 16;
  static constexpr T kBrick = static_cast<T>(0x5A);
  std::vector<T> all_;
};

class World final : public Link,
                    public Store,
                    public Entropy,
                    public Screen,
                    public Microphone,
                    public Speaker,
                    public Lamp,
                    public Backlight,
                    public Actions,
                    public Watcher {
 public:
  explicit World(std::uint8_t profile);

  // Does it, and checks all that must hold. False: fault() says what was wrong.
  bool apply(const Step& step);
  // After all: with a hub that does as it should, the gadget is online again and all works (B-28).
  bool recover();
  [[nodiscard]] const std::string& fault() const { return contract_.fault(); }

  // ---- Link
  void connect(Epoch epoch) override { contract_.connects(epoch); }
  bool send_text(std::string_view message) override;
  bool send_binary(std::span<const std::byte> message) override;
  void close(std::uint16_t code, std::string_view reason) override {
    contract_.closes(code, reason);
  }
  bool secure() const override { return secure_; }
  // ---- Store
  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override;
  bool put(std::string_view name, std::span<const std::byte> value) override;
  // ---- The rest of the board
  void fill(std::span<std::byte> out) override;
  void show(const screen::ScreenModel& model, Millis now) override;
  void listen(bool on) override { contract_.listens(on); }
  void wake(bool on) override;
  void set(std::uint32_t rgb) override;
  void set(int percent) override;
  [[nodiscard]] std::span<const ActionSpec> list() const override;
  ActionOutcome run(const ActionSpec& action, const ActionArgs& args, ActionTicket ticket,
                    ActionAnswer& answer) override;
  void noticed(Fact fact, std::string_view text, Millis now) override;

 private:
  void build();
  void power_on();
  void take_key();
  void begin(Cause cause) {
    contract_.begin(cause, now_);
    if (firmware_) firmware_->begin(now_);
  }
  void check();
  void check_firmware();
  void check_screen(const screen::ScreenModel& model);
  void pass(Millis ms);

  // Steps
  void apply_link(const Step& step);
  void apply_hub(const Step& step);
  void apply_person(const Step& step);
  void apply_board(const Step& step);
  void apply_fate(const Step& step);
  void help(const Step& step);
  void help_online(const Step& step);
  void hub_says(std::string_view text);
  void hub_cut(std::string_view beginning);
  void hub_frame(std::int64_t stream, std::uint16_t sequence, std::size_t samples);
  void junk_frame(const Step& step);
  void update(const Step& step);
  void offer_update(const Step& step);
  void firmware_frame(std::uint16_t sequence, std::size_t bytes);
  void break_flash(const Step& step);
  void restart_machine();
  void stale(const Step& step);
  void close_link(const Step& step);
  void button(Button button, bool down);
  void call(const Step& step);
  void settings(const Step& step);
  void settings_check(const Step& step);
  // What an answer to a doubt did.
  void decided(Doubt before);
  void say_text(std::string_view text);
  void say_event(const Step& step);
  void play(std::size_t samples);
  void speak(std::size_t samples, std::int16_t level);
  void finish(const Step& step);
  void restart(const Step& step);
  void look(const Step& step);
  [[nodiscard]] std::string challenge_line(bool enrolled, std::uint32_t bits) const;
  [[nodiscard]] std::string welcome_line(bool proved, std::uint32_t bits) const;

  GadgetConfig config_;
  SettingsMenu menu_;
  bool secure_ = false;
  Contract contract_;
  Millis now_ = 1'000;
  std::uint64_t entropy_ = 1;

  std::map<std::string, std::vector<std::byte>, std::less<>> stored_;
  bool store_broken_ = false;
  bool store_doubtful_ = false;  // it refused something
  bool link_full_ = false;
  bool powered_ = false;  // started, with a key that is kept
  bool resets_ = false;   // to another key, in this step
  bool tone_ = false;     // the speaker's check sounds
  bool awake_ = false;
  Doubt doubt_seen_ = Doubt::none;
  Millis doubt_since_ = 0;
  std::uint32_t said_ = 0;   // texts and events, each with its number
  std::size_t offered_ = 0;  // of images()
  bool stopped_ = false;
  std::array<bool, kButtons> held_{};
  std::vector<ActionTicket> tickets_;
  Gadget::Counters before_;

  std::optional<Walled<std::int16_t>> playback_room_;
  std::optional<Walled<unsigned char>> microphone_room_;
  std::optional<Walled<char>> outgoing_room_;
  std::optional<Walled<char>> reply_room_;
  std::optional<Walled<char>> card_room_;
  std::optional<Walled<char>> backlog_room_;
  std::optional<Walled<screen::Colour>> image_room_;
  std::optional<Walled<screen::Colour>> canvas_room_;
  std::unique_ptr<Firmware> firmware_;
  std::unique_ptr<Gadget> gadget_;
};

// Runs a sequence. Empty: nothing was wrong; otherwise what, and at which step.
struct Fault {
  std::string what;
  std::size_t step = 0;  // as many steps as there are: when it was to recover
};
[[nodiscard]] std::optional<Fault> run(const Sequence& sequence);
// The shortest sequence found that still fails.
[[nodiscard]] Sequence shrink(Sequence sequence);

}  // namespace gadget::device::model
