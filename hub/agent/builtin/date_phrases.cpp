#include <array>
#include <cmath>
#include <cstdio>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/time_phrases.hpp"

namespace gadget::hub::builtin {
namespace {

std::string_view word(std::span<const Token> tokens, std::size_t at) {
  return at < tokens.size() ? std::string_view(tokens[at].text) : std::string_view{};
}

std::optional<int> day_number(std::span<const Token> t, std::size_t at) {
  if (at >= t.size()) return std::nullopt;
  const bool fits = t[at].value >= 1 && t[at].value <= 31 && t[at].value == std::floor(t[at].value);
  if (t[at].kind == Token::Kind::ordinal && fits) return static_cast<int>(t[at].value);
  if (t[at].whole() && fits) return static_cast<int>(t[at].value);
  return std::nullopt;
}

// 2027, "twenty twenty seven" (two numbers), "two thousand and twenty seven" (composed)
Phrase<int> year(std::span<const Token> t, std::size_t at) {
  if (at >= t.size() || !t[at].whole()) return {};
  const auto v = static_cast<int>(t[at].value);
  if (v >= 1900 && v <= 2999) return {v, 1};
  if ((v == 19 || v == 20) && at + 1 < t.size() && t[at + 1].whole() && t[at + 1].value >= 10 &&
      t[at + 1].value < 100) {
    return {v * 100 + static_cast<int>(t[at + 1].value), 2};
  }
  return {};
}

struct Holiday {
  std::string_view words;
  std::string_view name;
};
constexpr Holiday kHolidays[] = {
    {"christmas eve", "christmas eve"},
    {"christmas day", "christmas"},
    {"christmas", "christmas"},
    {"xmas", "christmas"},
    {"boxing day", "boxing day"},
    {"new year is eve", "new year's eve"},
    {"new year's eve", "new year's eve"},
    {"new years eve", "new year's eve"},
    {"new year's day", "new year"},
    {"new years day", "new year"},
    {"new year's", "new year"},
    {"new years", "new year"},
    {"the new year", "new year"},
    {"new year", "new year"},
    {"halloween", "halloween"},
    {"valentine's day", "valentine's day"},
    {"valentines day", "valentine's day"},
    {"valentine's", "valentine's day"},
    {"easter sunday", "easter"},
    {"easter monday", "easter monday"},
    {"good friday", "good friday"},
    {"easter", "easter"},
    {"saint patrick's day", "st patrick's day"},
    {"st patrick's day", "st patrick's day"},
    {"april fool's day", "april fools' day"},
    {"april fools day", "april fools' day"},
    {"thanksgiving", "thanksgiving"},
};

std::size_t phrase_at(std::span<const Token> t, std::size_t at, std::string_view phrase) {
  std::size_t from = 0;
  std::size_t n = 0;
  while (from < phrase.size()) {
    const auto space = std::min(phrase.find(' ', from), phrase.size());
    if (word(t, at + n) != phrase.substr(from, space - from)) return 0;
    ++n;
    from = space + 1;
  }
  return n;
}

DaySpec offset(int days) {
  DaySpec d;
  d.days = days;
  return d;
}

// december 25 [2027], the 25th [of december], 25 december
Phrase<DaySpec> calendar_day(std::span<const Token> t, std::size_t at) {
  DaySpec d;
  d.kind = DaySpec::Kind::date;
  auto next = at;
  if (const auto month = month_number(word(t, next))) {
    ++next;
    if (word(t, next) == "the") ++next;
    const auto day = day_number(t, next);
    if (!day) return {};
    d.month = *month;
    d.day = *day;
    ++next;
  } else {
    const bool the = word(t, next) == "the";
    if (the) ++next;
    const auto day = day_number(t, next);
    if (!day) return {};
    const bool nth = t[next].kind == Token::Kind::ordinal;
    ++next;
    auto then = next;
    if (word(t, then) == "of") ++then;
    d.day = *day;
    if (const auto named = month_number(word(t, then))) {
      d.month = *named;
      next = then + 1;
    } else if (!the || !nth) {
      return {};
    }
  }
  if (d.month != 0) {
    auto then = next;
    if (word(t, then) == "in") ++then;
    if (const auto y = year(t, then)) {
      d.year = y.value;
      next = then + y.length;
    }
  }
  return {d, next - at};
}

}  // namespace

Phrase<DaySpec> parse_day(std::span<const Token> t, std::size_t at) {
  auto next = at;
  if (word(t, next) == "on" || word(t, next) == "for") ++next;
  const auto w = word(t, next);
  if (w == "today" || w == "tonight") {
    return {offset(0), next + (w == "today" ? 1U : 0U) - at};  // "tonight" is the part of day's
  }
  if (w == "tomorrow") return {offset(1), next + 1 - at};
  if (w == "yesterday") return {offset(-1), next + 1 - at};
  if (const auto n = phrase_at(t, next, "the day after tomorrow"))
    return {offset(2), next + n - at};
  if (const auto n = phrase_at(t, next, "day after tomorrow")) return {offset(2), next + n - at};
  if (const auto n = phrase_at(t, next, "the day before yesterday")) {
    return {offset(-2), next + n - at};
  }
  if (w == "in" && next + 2 < t.size() + 1) {
    auto number = next + 1 < t.size() && t[next + 1].whole() ? t[next + 1].value : 0.0;
    if (word(t, next + 1) == "a") number = 1;
    const auto unit = word(t, next + 2);
    if (number >= 1 && number < 10'000) {
      if (unit == "day" || unit == "days") return {offset(int(number)), next + 3 - at};
      if (unit == "week" || unit == "weeks") return {offset(int(number) * 7), next + 3 - at};
    }
  }
  DaySpec d;
  const bool following = w == "next" || w == "this" || w == "coming";
  const auto day_at = following ? next + 1 : next;
  if (const auto weekday = weekday_number(word(t, day_at));
      weekday && !word(t, day_at).ends_with("ays")) {
    d.kind = w == "next" ? DaySpec::Kind::next_weekday : DaySpec::Kind::weekday;
    d.weekday = *weekday;
    // "friday the 13th": the date counts
    if (const auto exact = calendar_day(t, day_at + 1))
      return {exact.value, day_at + 1 + exact.length - at};
    return {d, day_at + 1 - at};
  }
  for (const auto& h : kHolidays) {
    if (const auto n = phrase_at(t, next, h.words)) {
      d.kind = DaySpec::Kind::holiday;
      d.holiday = std::string(h.name);
      return {d, next + n - at};
    }
  }
  if (auto exact = calendar_day(t, next)) return {exact.value, next + exact.length - at};
  return {};
}

namespace {

Phrase<DayPart> parse_part(std::span<const Token> t, std::size_t at, bool after_day) {
  auto next = at;
  const auto w = word(t, next);
  if (w == "tonight") return {DayPart::evening, 1};
  if (w == "this" || (w == "in" && word(t, next + 1) == "the")) {
    next += w == "this" ? 1 : 2;
  } else if (w == "at" && word(t, next + 1) == "night") {
    ++next;
  } else if (!after_day) {
    return {};
  }
  const auto part = word(t, next);
  const auto length = next + 1 - at;
  if (part == "morning") return {DayPart::morning, length};
  if (part == "afternoon") return {DayPart::afternoon, length};
  if (part == "evening") return {DayPart::evening, length};
  if (part == "night") return {DayPart::night, length};
  return {};
}

// every day, daily, on weekdays, every monday and wednesday, on tuesdays
Phrase<Repeat> parse_repeat(std::span<const Token> t, std::size_t at) {
  auto next = at;
  if (word(t, next) == "on") ++next;
  const bool every = word(t, next) == "every" || word(t, next) == "each";
  if (every) ++next;
  const auto w = word(t, next);
  const auto length = next + 1 - at;
  if (w == "daily" || w == "everyday" || (every && w == "day")) return {kDaily, length};
  const bool part = w == "morning" || w == "afternoon" || w == "evening" || w == "night";
  if (every && part) return {kDaily, length - 1};  // the part itself is read next
  if (every && w == "single" && word(t, next + 1) == "day") return {kDaily, length + 1};
  if (w == "weekdays" || (every && w == "weekday")) return {kWeekdays, length};
  if (w == "weekends" || (every && w == "weekend")) return {kWeekends, length};
  Repeat days = 0;
  auto end = next;
  while (true) {
    auto name = next;
    if (days != 0 && word(t, name) == "and") ++name;
    if (days != 0 && word(t, name) == "every") ++name;
    const auto day = weekday_number(word(t, name));
    if (!day || !(every || word(t, name).ends_with("s"))) break;
    days = static_cast<Repeat>(days | (1U << static_cast<unsigned>(*day)));
    next = name + 1;
    end = next;
  }
  if (days == 0) return {};
  return {days, end - at};
}

// at half past six; by 5 pm; a bare number only after "at"
Phrase<ClockTime> parse_at(std::span<const Token> t, std::size_t at, bool bare) {
  auto next = at;
  const auto w = word(t, next);
  const bool led = w == "at" || w == "by" || w == "around" || w == "about" || w == "for";
  if (led) {
    ++next;
    if (word(t, next) == "about" || word(t, next) == "around") ++next;
    const bool really = w == "at" || w == "by" || w == "around" || bare;
    if (auto clock = parse_clock(t, next, really)) return {clock.value, next + clock.length - at};
  }
  if (auto clock = parse_clock(t, at, bare)) return clock;
  return {};
}

}  // namespace

Phrase<When> parse_when(std::span<const Token> t, std::size_t at, bool bare) {
  When when;
  auto next = at;
  if (word(t, next) == "for" && (word(t, next + 1) == "on" || word(t, next + 1) == "in")) ++next;
  if (word(t, next) == "in" || word(t, next) == "after") {
    auto from = next + 1;
    if (word(t, from) == "about") ++from;
    if (const auto duration = parse_duration(t, from)) {
      // "in two days at noon" is a day; "in two days" alone an instant
      const auto day = parse_day(t, next);
      const bool more =
          day && day.length == duration.length + 1 && parse_at(t, next + day.length, false);
      if (!more) {
        when.in_s = duration.value;
        next = from + duration.length;
        if (word(t, next) == "from" && word(t, next + 1) == "now") next += 2;
        return {when, next - at};
      }
    }
  }
  if (const auto duration = parse_duration(t, next); duration &&
                                                     word(t, next + duration.length) == "from" &&
                                                     word(t, next + duration.length + 1) == "now") {
    when.in_s = duration.value;
    return {when, duration.length + 2};
  }
  while (next < t.size()) {
    if (when.repeat == 0 && !when.day) {
      if (const auto repeat = parse_repeat(t, next)) {
        when.repeat = repeat.value;
        next += repeat.length;
        continue;
      }
    }
    if (when.part == DayPart::none) {
      const bool after_day = when.day || when.repeat != 0;
      if (const auto part = parse_part(t, next, after_day)) {
        if (!when.day && when.repeat == 0 && !(word(t, next) == "in" || word(t, next) == "at")) {
          when.day = offset(0);
        }
        when.part = part.value;
        next += part.length;
        continue;
      }
    }
    if (!when.day && when.repeat == 0) {
      if (const auto day = parse_day(t, next)) {
        when.day = day.value;
        next += day.length;
        continue;
      }
    }
    if (!when.clock) {
      if (const auto clock = parse_at(t, next, bare)) {
        when.clock = clock.value;
        next += clock.length;
        continue;
      }
    }
    break;
  }
  if (when.empty()) return {};
  // Half of the day that was said apart: "tomorrow evening at six".
  if (when.clock && !when.clock->exact && when.part != DayPart::none) {
    const bool pm = when.part != DayPart::morning;
    const int hour = when.clock->hour % 12;
    const bool past_midnight = when.part == DayPart::night && hour < 5;
    when.clock->hour = pm && !past_midnight ? hour + 12 : hour;
    when.clock->exact = true;
    when.part = DayPart::none;
  }
  return {when, next - at};
}

std::string to_text(const DaySpec& day) {
  constexpr std::array kNames = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  char text[40];
  switch (day.kind) {
    case DaySpec::Kind::offset:
      if (day.days == 0) return "today";
      if (day.days == 1) return "tomorrow";
      std::snprintf(text, sizeof text, "%+dd", day.days);
      return text;
    case DaySpec::Kind::weekday: return kNames[static_cast<std::size_t>(day.weekday)];
    case DaySpec::Kind::next_weekday:
      return std::string("next ") + kNames[static_cast<std::size_t>(day.weekday)];
    case DaySpec::Kind::holiday: return day.holiday;
    case DaySpec::Kind::date: break;
  }
  if (day.year != 0) {
    std::snprintf(text, sizeof text, "%04d-%02d-%02d", day.year, day.month, day.day);
  } else if (day.month != 0) {
    std::snprintf(text, sizeof text, "%02d-%02d", day.month, day.day);
  } else {
    std::snprintf(text, sizeof text, "day %d", day.day);
  }
  return text;
}

std::string to_text(const When& when) {
  constexpr std::array kNames = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  constexpr std::array kParts = {"", "morning", "afternoon", "evening", "night"};
  char text[40];
  if (when.in_s) {
    std::snprintf(text, sizeof text, "in %.0f", *when.in_s);
    return text;
  }
  std::string out;
  const auto add = [&](std::string_view part) {
    if (!out.empty()) out += ' ';
    out += part;
  };
  if (when.repeat == kDaily) {
    add("daily");
  } else if (when.repeat == kWeekdays) {
    add("weekdays");
  } else if (when.repeat == kWeekends) {
    add("weekends");
  } else if (when.repeat != 0) {
    std::string days;
    for (std::size_t d = 0; d < 7; ++d) {
      if ((when.repeat >> d & 1) != 0) days += (days.empty() ? "" : ",") + std::string(kNames[d]);
    }
    add("every " + days);
  }
  if (when.day) add(to_text(*when.day));
  if (when.part != DayPart::none) add(kParts[static_cast<std::size_t>(when.part)]);
  if (when.clock) {
    std::snprintf(text, sizeof text, "%02d:%02d%s", when.clock->hour, when.clock->minute,
                  when.clock->exact ? "" : "?");
    add(text);
  }
  return out;
}

}  // namespace gadget::hub::builtin
