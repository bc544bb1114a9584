// settings.hpp - what the person can set, checked and kept: volume, brightness, talk mode, screen
// timeout, name, hub and token.
//
// Each value lies in the Store under its own name, as version, value and checksum: it is replaced
// as a whole or not at all, and written only when it differs from what lies there. One that is
// damaged, or of a later version, counts as never set; damaged() says which. A value that a start
// forces (a command line) goes before the stored one and is not kept.
//
// Owned by Gadget, which applies what is set. No heap.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "device/core/platform.hpp"
#include "device/core/text.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class Setting : std::uint8_t {
  volume,          // percent
  brightness,      // percent, from kMinBrightness on
  talk_mode,       // hold or tap
  screen_timeout,  // seconds until the screen goes dark; 0: never
  name,            // empty: the device id
  hub,             // its URL; empty: the port's own
  token,           // GADGET_ACCESS_TOKEN; empty: none. A secret: never shown
};
inline constexpr std::size_t kSettings = 7;
inline constexpr std::size_t kNumberSettings = 4;  // the first ones

// The word of a console and of the Store: "volume", "talk_mode" ...; and back.
[[nodiscard]] std::string_view name(Setting setting);
[[nodiscard]] std::optional<Setting> setting_named(std::string_view word);
// What it may be, for a person: "a whole number from 0 to 100".
[[nodiscard]] std::string_view rule(Setting setting);

// Host and port of a URL, or all of a text that is none: what a screen has room for.
[[nodiscard]] std::string_view host_of(std::string_view url);

class Settings {
 public:
  // What counts while nothing was set. Views live as long as the Settings.
  struct Defaults {
    int screen_timeout_s = kScreenTimeoutS;
    std::string_view name;
    std::string_view hub;
    std::string_view token;
  };
  // What this start forces; a later set() goes before it.
  struct Forced {
    std::optional<std::string_view> name;
    std::optional<std::string_view> hub;
    std::optional<std::string_view> token;
  };

  Settings(Store& store, const Defaults& defaults) : store_(store), defaults_(defaults) {}
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  void load(const Forced& forced);

  enum class Outcome : std::uint8_t {
    kept,
    invalid,  // it is as before; see rule()
    unkept,   // it counts until the next start: the store does not take it
  };
  // From a text, as a console has it. "never" is a timeout of 0; an empty text is the default.
  Outcome set(Setting setting, std::string_view text);
  // Of a number, clamped to its range; of a text: invalid.
  Outcome set(Setting setting, int value);
  // The same, not kept: while somebody tries what is good.
  void preview(Setting setting, int value);

  // REQUIRES: the setting is a number.
  [[nodiscard]] int number(Setting setting) const {
    return numbers_[static_cast<std::size_t>(setting)];
  }
  // The text of a setting that has one. Of the token: only `hello` may have it.
  [[nodiscard]] std::string_view text(Setting setting) const;
  [[nodiscard]] protocol::TalkMode talk_mode() const {
    return number(Setting::talk_mode) == 0 ? protocol::TalkMode::hold : protocol::TalkMode::tap;
  }

  // Which of them could not be read by load(): bit 1 << setting.
  [[nodiscard]] std::uint8_t damaged() const { return damaged_; }

  // ---- Back to what it was when it was new. begin_reset() is remembered through a power cut:
  // reset_pending() until end_reset().
  [[nodiscard]] bool reset_pending() const;
  bool begin_reset();
  // Forgets every setting, in the Store too. False: it does not let go of one.
  bool forget();
  void end_reset();

 private:
  Outcome keep(Setting setting, std::span<const std::byte> value);
  // Takes a value as the Store has it; false: it is none for this setting.
  bool take(Setting setting, std::span<const std::byte> value);
  void take_default(Setting setting);
  void take_text(Setting setting, const std::string_view& text);
  [[nodiscard]] TextHead& kept_text(Setting setting);

  Store& store_;
  Defaults defaults_;
  std::array<std::int16_t, kNumberSettings> numbers_{};
  FixedText<kNameBytes> name_;
  FixedText<kHubUrlBytes> hub_;
  FixedText<kTokenBytes> token_;
  std::uint8_t damaged_ = 0;
};

}  // namespace gadget::device
