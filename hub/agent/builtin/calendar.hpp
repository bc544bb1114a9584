// calendar.hpp - between instants and what a calendar on the wall says, in a zone, with its DST
// rules.
//
// ICU beneath. A time that a DST change skips is taken as the first one that exists; one that comes
// twice as the first. Pure but for ICU's tables; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hub/agent/builtin/time_phrases.hpp"

namespace gadget::hub::builtin {

struct Date {
  int year = 1970;
  int month = 1;
  int day = 1;
  auto operator<=>(const Date&) const = default;
};

struct LocalTime {
  Date date;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// Days since 1970-01-01, and back; weekday 0 is Sunday.
[[nodiscard]] std::int64_t day_count(const Date& date);
[[nodiscard]] Date date_of(std::int64_t days);
[[nodiscard]] int weekday(const Date& date);
[[nodiscard]] bool exists(const Date& date);  // February 30 does not

[[nodiscard]] bool zone_known(const std::string& zone);
// In an unknown zone: UTC.
[[nodiscard]] LocalTime local_time(std::int64_t wall_ms, const std::string& zone);
[[nodiscard]] std::int64_t wall_time(const Date& date, int hour, int minute,
                                     const std::string& zone);

// The zone of a city or country by its name ("tokyo", "new york", "japan"); nothing when unknown.
[[nodiscard]] std::optional<std::string> zone_of_place(std::string_view place);

// The day that was meant, seen from `today`; nothing when there is none ("february 30").
[[nodiscard]] std::optional<Date> resolve_day(const DaySpec& spec, const Date& today);

// What a request is for: a time without am or pm is guessed differently.
enum class Purpose : std::uint8_t { alarm, reminder };

struct Due {
  Date date;
  int hour = 0;
  int minute = 0;
  std::int64_t wall_ms = 0;
};
// When `when` (not relative) comes next after `now_ms`. Nothing when it names no time (needs one),
// or lies in the past.
[[nodiscard]] std::optional<Due> resolve_when(const When& when, Purpose purpose,
                                              std::int64_t now_ms, const std::string& zone);
// The next time of a repeating alarm strictly after `after_ms`.
[[nodiscard]] Due next_repeat(Repeat repeat, int hour, int minute, std::int64_t after_ms,
                              const std::string& zone);

}  // namespace gadget::hub::builtin
