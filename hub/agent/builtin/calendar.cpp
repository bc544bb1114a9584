#include "hub/agent/builtin/calendar.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <unicode/gregocal.h>
#include <unicode/timezone.h>

namespace gadget::hub::builtin {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

std::chrono::year_month_day civil(const Date& d) {
  return std::chrono::year{d.year} / std::chrono::month{static_cast<unsigned>(d.month)} /
         std::chrono::day{static_cast<unsigned>(d.day)};
}

std::unique_ptr<icu::TimeZone> zone_named(const std::string& zone) {
  std::unique_ptr<icu::TimeZone> tz(
      icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(zone)));
  if (*tz == icu::TimeZone::getUnknown()) tz.reset(icu::TimeZone::getGMT()->clone());
  return tz;
}

// A day counted from the end or the middle of a month: the `n`th `wanted` weekday.
Date nth_weekday(int year, int month, int wanted, int n) {
  const Date first{year, month, 1};
  const int ahead = (wanted - weekday(first) + 7) % 7;
  return date_of(day_count(first) + ahead + 7 * (n - 1));
}

// The Gregorian computus.
Date easter(int year) {
  const int a = year % 19;
  const int b = year / 100;
  const int c = year % 100;
  const int d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  const int e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7;
  const int f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
  return {year, f / 31, f % 31 + 1};
}

std::optional<Date> holiday(std::string_view name, int year) {
  if (name == "christmas") return Date{year, 12, 25};
  if (name == "christmas eve") return Date{year, 12, 24};
  if (name == "boxing day") return Date{year, 12, 26};
  if (name == "new year's eve") return Date{year, 12, 31};
  if (name == "new year") return Date{year, 1, 1};
  if (name == "halloween") return Date{year, 10, 31};
  if (name == "valentine's day") return Date{year, 2, 14};
  if (name == "st patrick's day") return Date{year, 3, 17};
  if (name == "april fools' day") return Date{year, 4, 1};
  if (name == "thanksgiving") return nth_weekday(year, 11, 4, 4);
  if (name == "easter") return easter(year);
  if (name == "easter monday") return date_of(day_count(easter(year)) + 1);
  if (name == "good friday") return date_of(day_count(easter(year)) - 2);
  return std::nullopt;
}

struct Hours {
  int first, second;  // candidates in order of preference within a day; -1: none
};

// "at three" without am or pm: an alarm rings in the morning, a reminder while people are awake.
Hours guess(const ClockTime& clock, Purpose purpose, bool today_only) {
  if (clock.exact) return {clock.hour, -1};
  const int am = clock.hour % 12;
  const int pm = am + 12;
  if (today_only) return {am, pm};  // whichever is still to come
  if (purpose == Purpose::alarm) return clock.hour == 12 ? Hours{12, -1} : Hours{am, -1};
  return clock.hour == 12 || clock.hour < 7 ? Hours{pm, -1} : Hours{am, -1};
}

// What a part of the day without a time means.
ClockTime part_hour(DayPart part) {
  switch (part) {
    case DayPart::morning: return {9, 0, true};
    case DayPart::afternoon: return {15, 0, true};
    case DayPart::evening: return {19, 0, true};
    case DayPart::night: return {21, 0, true};
    case DayPart::none: break;
  }
  return {9, 0, true};
}

}  // namespace

std::int64_t day_count(const Date& date) {
  return std::chrono::sys_days(civil(date)).time_since_epoch().count();
}

Date date_of(std::int64_t days) {
  const std::chrono::year_month_day ymd{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
  return {int(ymd.year()), static_cast<int>(unsigned(ymd.month())),
          static_cast<int>(unsigned(ymd.day()))};
}

int weekday(const Date& date) {
  return static_cast<int>(std::chrono::weekday(std::chrono::sys_days(civil(date))).c_encoding());
}

bool exists(const Date& date) { return civil(date).ok(); }

bool zone_known(const std::string& zone) {
  std::unique_ptr<icu::TimeZone> tz(
      icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(zone)));
  return !(*tz == icu::TimeZone::getUnknown());
}

LocalTime local_time(std::int64_t wall_ms, const std::string& zone) {
  const auto tz = zone_named(zone);
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t raw = 0;
  std::int32_t dst = 0;
  tz->getOffset(static_cast<UDate>(wall_ms), 0, raw, dst, status);
  const std::int64_t local = wall_ms + (U_SUCCESS(status) ? raw + dst : 0);
  const std::int64_t days = local >= 0 ? local / kDayMs : -((-local + kDayMs - 1) / kDayMs);
  const std::int64_t seconds = (local - days * kDayMs) / 1000;
  return {date_of(days), static_cast<int>(seconds / 3600), static_cast<int>(seconds / 60 % 60),
          static_cast<int>(seconds % 60)};
}

std::int64_t wall_time(const Date& date, int hour, int minute, const std::string& zone) {
  UErrorCode status = U_ZERO_ERROR;
  icu::GregorianCalendar calendar(zone_named(zone).release(), status);
  if (U_FAILURE(status)) return (day_count(date) * 24 + hour) * 3'600'000 + minute * 60'000;
  calendar.setSkippedWallTimeOption(UCAL_WALLTIME_NEXT_VALID);
  calendar.setRepeatedWallTimeOption(UCAL_WALLTIME_FIRST);
  calendar.clear();
  calendar.set(date.year, date.month - 1, date.day, hour, minute, 0);
  return static_cast<std::int64_t>(calendar.getTime(status));
}

std::optional<Date> resolve_day(const DaySpec& spec, const Date& today) {
  const auto now = day_count(today);
  switch (spec.kind) {
    case DaySpec::Kind::offset: return date_of(now + spec.days);
    case DaySpec::Kind::weekday: {
      const int ahead = (spec.weekday - weekday(today) + 7) % 7;
      return date_of(now + (ahead == 0 ? 7 : ahead));
    }
    case DaySpec::Kind::next_weekday: {
      // The week begins on Monday: "next Friday" is the one of the week after this.
      const int monday_based = (weekday(today) + 6) % 7;
      return date_of(now - monday_based + 7 + (spec.weekday + 6) % 7);
    }
    case DaySpec::Kind::holiday: {
      auto date = holiday(spec.holiday, today.year);
      if (date && *date < today) date = holiday(spec.holiday, today.year + 1);
      return date;
    }
    case DaySpec::Kind::date: break;
  }
  Date date{spec.year, spec.month, spec.day};
  if (spec.month == 0) {  // "the 25th": of this month, or the first that has one
    date = {today.year, today.month, spec.day};
    for (int tries = 0; tries < 12 && (!exists(date) || date < today); ++tries) {
      date.month = date.month % 12 + 1;
      if (date.month == 1) ++date.year;
    }
  } else if (spec.year == 0) {
    date.year = today.year;
    for (int tries = 0; tries < 8 && (!exists(date) || date < today); ++tries) ++date.year;
  }
  if (!exists(date)) return std::nullopt;
  return date;
}

std::optional<Due> resolve_when(const When& when, Purpose purpose, std::int64_t now_ms,
                                const std::string& zone) {
  const auto now = local_time(now_ms, zone);
  const auto clock =
      when.clock                   ? when.clock
      : when.part != DayPart::none ? std::optional(part_hour(when.part))
      : when.day && purpose == Purpose::reminder && when.day->days != 0
          ? std::optional(ClockTime{9, 0, true})
      : when.day && purpose == Purpose::reminder && when.day->kind != DaySpec::Kind::offset
          ? std::optional(ClockTime{9, 0, true})
          : std::nullopt;
  if (!clock) return std::nullopt;
  const auto at = [&](const Date& date, int hour) {
    return Due{date, hour, clock->minute, wall_time(date, hour, clock->minute, zone)};
  };
  if (when.repeat != 0) {
    const auto hours = guess(*clock, purpose, false);
    return next_repeat(when.repeat, hours.first, clock->minute, now_ms, zone);
  }
  if (when.day) {
    auto date = resolve_day(*when.day, now.date);
    if (!date) return std::nullopt;
    // "friday" said on a Friday, with a time still to come, is today.
    if (when.day->kind == DaySpec::Kind::weekday && weekday(now.date) == when.day->weekday) {
      const auto due = at(now.date, guess(*clock, purpose, false).first);
      if (due.wall_ms > now_ms) return due;
    }
    const auto hours = guess(*clock, purpose, *date == now.date);
    for (const int hour : {hours.first, hours.second}) {
      if (hour < 0) continue;
      const auto due = at(*date, hour);
      if (due.wall_ms > now_ms) return due;
    }
    return std::nullopt;
  }
  const auto tomorrow = date_of(day_count(now.date) + 1);
  const auto hours = guess(*clock, purpose, false);
  const auto today_due = at(now.date, hours.first);
  if (today_due.wall_ms > now_ms) return today_due;
  // A reminder "at eight", said at noon, is for this evening; an alarm is for the morning.
  if (!clock->exact && purpose == Purpose::reminder && hours.first < 12) {
    const auto evening = at(now.date, hours.first + 12);
    if (evening.wall_ms > now_ms) return evening;
  }
  return at(tomorrow, hours.first);
}

Due next_repeat(Repeat repeat, int hour, int minute, std::int64_t after_ms,
                const std::string& zone) {
  const auto start = day_count(local_time(after_ms, zone).date);
  for (int ahead = 0; ahead <= 8; ++ahead) {
    const auto date = date_of(start + ahead);
    if ((repeat >> static_cast<unsigned>(weekday(date)) & 1U) == 0) continue;
    const auto wall = wall_time(date, hour, minute, zone);
    if (wall > after_ms) return {date, hour, minute, wall};
  }
  const auto date = date_of(start + 1);
  return {date, hour, minute, wall_time(date, hour, minute, zone)};
}

}  // namespace gadget::hub::builtin
