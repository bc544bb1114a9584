// speakable.hpp - numbers, durations, times and lists as people say them. English. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hub/agent/builtin/calendar.hpp"
#include "hub/agent/builtin/time_phrases.hpp"

namespace gadget::hub::builtin {

// At most four significant digits after the point that mean something: "391", "2.5", "0.333".
[[nodiscard]] std::string speak_number(double value);
// Whether speak_number() leaves digits out: then a result is "about" it.
[[nodiscard]] bool is_rounded(double value);

// "1 hour 30 minutes", "45 seconds"; at most the two largest units that are not zero.
[[nodiscard]] std::string speak_duration(std::int64_t seconds);
// As before a noun: "10 minute".
[[nodiscard]] std::string speak_duration_adjective(std::int64_t seconds);

[[nodiscard]] std::string speak_clock(int hour, int minute);  // "9:05 in the morning", "noon"
[[nodiscard]] std::string short_clock(int hour, int minute);  // "9:05 am", for cards
[[nodiscard]] std::string speak_date(const Date& date);       // "Tuesday, November 10"
[[nodiscard]] std::string weekday_name(int weekday);          // 0 Sunday
// "today", "tomorrow", "on Friday", "on Friday, December 25", seen from `today`.
[[nodiscard]] std::string speak_day(const Date& date, const Date& today);
[[nodiscard]] std::string speak_repeat(Repeat repeat);  // "every weekday"

[[nodiscard]] std::string speak_list(std::span<const std::string> items);  // "a, b and c"
[[nodiscard]] std::string plural(std::int64_t count, std::string_view one, std::string_view many);
[[nodiscard]] std::string capital(std::string_view text);  // first letter upper case

}  // namespace gadget::hub::builtin
