#include "hub/agent/builtin/speakable.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gadget::hub::builtin {
namespace {

constexpr std::array kMonths = {"January",   "February", "March",    "April",
                                "May",       "June",     "July",     "August",
                                "September", "October",  "November", "December"};
constexpr std::array kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                              "Thursday", "Friday", "Saturday"};

// How many digits after the point are worth saying.
int decimals(double value) {
  const double size = std::fabs(value);
  if (size >= 1000) return 1;
  if (size >= 100) return 2;
  if (size >= 1) return 3;
  if (size == 0) return 0;
  return std::min(12, 3 - static_cast<int>(std::floor(std::log10(size))));
}

double rounded(double value) {
  const double scale = std::pow(10.0, decimals(value));
  return std::round(value * scale) / scale;
}

}  // namespace

std::string speak_number(double value) {
  if (!std::isfinite(value)) return "infinity";
  const bool minus = value < 0;
  const double size = rounded(std::fabs(value));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals(value), size);
  std::string out = text.data();
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  const auto whole = std::min(out.find('.'), out.size());
  if (whole > 4) {  // 12,345 but 2026
    for (auto at = static_cast<std::ptrdiff_t>(whole) - 3; at > 0; at -= 3) {
      out.insert(static_cast<std::size_t>(at), ",");
    }
  }
  return minus && out != "0" ? "minus " + out : out;
}

bool is_rounded(double value) {
  return std::fabs(rounded(value) - value) > std::fabs(value) * 1e-12 + 1e-15;
}

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

namespace {
struct Part {
  std::int64_t seconds;
  std::string_view one, many;
};
constexpr std::array kParts = {Part{604'800, "week", "weeks"}, Part{86'400, "day", "days"},
                               Part{3'600, "hour", "hours"}, Part{60, "minute", "minutes"},
                               Part{1, "second", "seconds"}};
}  // namespace

std::string speak_duration(std::int64_t seconds) {
  if (seconds <= 0) return "0 seconds";
  std::string out;
  int said = 0;
  for (std::size_t i = 0; i < kParts.size() && said < 2; ++i) {
    const auto& part = kParts[i];
    const auto count = seconds / part.seconds;
    if (count == 0) {
      if (said > 0) break;  // "2 hours", not "2 hours 5 seconds"
      continue;
    }
    if (!out.empty()) out += ' ';
    out += plural(count, part.one, part.many);
    seconds -= count * part.seconds;
    ++said;
  }
  return out;
}

std::string speak_duration_adjective(std::int64_t seconds) {
  auto out = speak_duration(seconds);
  for (const auto& part : kParts) {
    for (auto at = out.find(part.many); at != std::string::npos; at = out.find(part.many, at + 1)) {
      out.replace(at, part.many.size(), part.one);
    }
  }
  return out;
}

std::string speak_clock(int hour, int minute) {
  if (minute == 0 && hour == 12) return "noon";
  if (minute == 0 && hour == 0) return "midnight";
  const int shown = hour % 12 == 0 ? 12 : hour % 12;
  const char* part = hour < 12   ? "in the morning"
                     : hour < 18 ? "in the afternoon"
                                 : "in the evening";
  if (hour >= 22) part = "at night";
  if (hour < 4) part = "at night";
  std::array<char, 40> text{};
  if (minute == 0) {
    std::snprintf(text.data(), text.size(), "%d o'clock %s", shown, part);
  } else {
    std::snprintf(text.data(), text.size(), "%d:%02d %s", shown, minute, part);
  }
  return text.data();
}

std::string short_clock(int hour, int minute) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%d:%02d %s", hour % 12 == 0 ? 12 : hour % 12, minute,
                hour < 12 ? "am" : "pm");
  return text.data();
}

std::string weekday_name(int day) { return kDays[static_cast<std::size_t>(day)]; }

std::string speak_date(const Date& date) {
  return weekday_name(weekday(date)) + ", " + kMonths[static_cast<std::size_t>(date.month - 1)] +
         " " + std::to_string(date.day);
}

std::string speak_day(const Date& date, const Date& today) {
  const auto ahead = day_count(date) - day_count(today);
  if (ahead == 0) return "today";
  if (ahead == 1) return "tomorrow";
  if (ahead > 1 && ahead < 7) return "on " + weekday_name(weekday(date));
  auto out = "on " + speak_date(date);
  if (date.year != today.year) out += ", " + std::to_string(date.year);
  return out;
}

std::string speak_repeat(Repeat repeat) {
  if (repeat == kDaily) return "every day";
  if (repeat == kWeekdays) return "every weekday";
  if (repeat == kWeekends) return "every weekend";
  std::vector<std::string> days;
  for (int d = 1; d <= 7; ++d) {
    if ((repeat >> static_cast<unsigned>(d % 7) & 1U) != 0) days.push_back(weekday_name(d % 7));
  }
  return "every " + speak_list(days);
}

std::string speak_list(std::span<const std::string> items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

std::string capital(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

}  // namespace gadget::hub::builtin
