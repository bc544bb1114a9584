// time_phrases.hpp - how long, what time, which day: as people say it, without a clock at hand.
//
// "an hour and a half", "ten past six", "the day after tomorrow at noon", "every weekday at 7:15".
// The result says what was meant; hub time and zone turn it into an instant (calendar.hpp).
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {

template <class T>
struct Phrase {
  T value{};
  std::size_t length = 0;  // tokens; 0: nothing there
  explicit operator bool() const { return length > 0; }
};

// Seconds. "90 seconds", "half an hour", "1 hour 30", "two and a half days".
[[nodiscard]] Phrase<double> parse_duration(std::span<const Token> tokens, std::size_t at);

struct ClockTime {
  int hour = 0;  // 0-23 when `exact`; otherwise 1-12 as it was said
  int minute = 0;
  bool exact = false;  // morning or afternoon is known
  bool operator==(const ClockTime&) const = default;
};

// "6:30 pm", "half past six", "noon", "seven fifteen". A number alone ("six") only when `bare`.
[[nodiscard]] Phrase<ClockTime> parse_clock(std::span<const Token> tokens, std::size_t at,
                                            bool bare);

// Which day, as it was said.
struct DaySpec {
  enum class Kind : std::uint8_t { offset, weekday, next_weekday, date, holiday };
  Kind kind = Kind::offset;
  int days = 0;     // offset: 0 today
  int weekday = 0;  // 0 Sunday
  int year = 0;     // date: 0 when not said
  int month = 0;    // date: 0 when not said ("the 25th")
  int day = 0;
  std::string holiday;  // "christmas", ...
  bool operator==(const DaySpec&) const = default;
};

// "tomorrow", "next friday", "the 25th of december", "christmas", "in three days".
[[nodiscard]] Phrase<DaySpec> parse_day(std::span<const Token> tokens, std::size_t at);

enum class DayPart : std::uint8_t { none, morning, afternoon, evening, night };

// The days that an alarm repeats on: bit 0 Sunday ... bit 6 Saturday; 0 when it does not.
using Repeat = std::uint8_t;
inline constexpr Repeat kDaily = 0x7F;
inline constexpr Repeat kWeekdays = 0x3E;
inline constexpr Repeat kWeekends = 0x41;

struct When {
  std::optional<double> in_s;  // "in twenty minutes": then nothing else is set
  std::optional<ClockTime> clock;
  std::optional<DaySpec> day;
  DayPart part = DayPart::none;
  Repeat repeat = 0;

  [[nodiscard]] bool empty() const {
    return !in_s && !clock && !day && part == DayPart::none && repeat == 0;
  }
  bool operator==(const When&) const = default;
};

// A time to be reminded at. A number alone needs "at" before it, unless `bare`.
[[nodiscard]] Phrase<When> parse_when(std::span<const Token> tokens, std::size_t at, bool bare);

// One canonical line, for slots and tests: "in 1200", "tomorrow 06:30?", "weekdays 07:15 am".
[[nodiscard]] std::string to_text(const When& when);
[[nodiscard]] std::string to_text(const DaySpec& day);

}  // namespace gadget::hub::builtin
