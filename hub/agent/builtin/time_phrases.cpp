#include "hub/agent/builtin/time_phrases.hpp"

#include <array>
#include <cmath>

#include "hub/agent/builtin/lexicon.hpp"

namespace gadget::hub::builtin {
namespace {

std::string_view word(std::span<const Token> tokens, std::size_t at) {
  return at < tokens.size() ? std::string_view(tokens[at].text) : std::string_view{};
}

// Seconds of a unit of time; 0 when `w` is none. Years and months have no fixed length.
double unit_seconds(std::string_view w) {
  if (w == "second" || w == "seconds" || w == "s") return 1;
  if (w == "minute" || w == "minutes" || w == "m") return 60;
  if (w == "hour" || w == "hours" || w == "h") return 3600;
  if (w == "day" || w == "days") return 86'400;
  if (w == "week" || w == "weeks") return 604'800;
  return 0;
}

bool article(std::string_view w) { return w == "a" || w == "an" || w == "one"; }

// "four", but heard as "for", right before a unit.
std::optional<double> heard_number(std::span<const Token> t, std::size_t at) {
  if (at >= t.size()) return std::nullopt;
  if (t[at].number()) return t[at].value;
  if (unit_seconds(word(t, at + 1)) > 1 && word(t, at + 1).size() > 1) {
    if (t[at].is("for")) return 4;
    if (t[at].is("to") || t[at].is("too")) return 2;
    if (t[at].is("ate")) return 8;
  }
  return std::nullopt;
}

struct Piece {
  double seconds = 0;
  double unit = 0;
  std::size_t length = 0;
};

// One number with its unit.
Piece piece(std::span<const Token> t, std::size_t at) {
  const auto w = word(t, at);
  // half an hour, half a minute; a half hour; half hour
  const auto half_at = w == "a" && word(t, at + 1) == "half" ? at + 1 : at;
  if (word(t, half_at) == "half") {
    auto next = half_at + 1;
    if (article(word(t, next))) ++next;
    if (const auto unit = unit_seconds(word(t, next)); unit > 1) {
      return {unit / 2, unit, next + 1 - at};
    }
  }
  // a quarter of an hour; a quarter hour
  const auto quarter_at = article(w) && word(t, at + 1) == "quarter" ? at + 1 : at;
  if (word(t, quarter_at) == "quarter") {
    auto next = quarter_at + 1;
    if (word(t, next) == "of") ++next;
    if (article(word(t, next))) ++next;
    if (const auto unit = unit_seconds(word(t, next)); unit > 1) {
      return {unit / 4, unit, next + 1 - at};
    }
  }
  if (const auto number = heard_number(t, at)) {
    auto next = at + 1;
    if (word(t, next) == "more") ++next;
    if (word(t, next) == "of" && article(word(t, next + 1)))
      next += 2;  // three quarters of an hour
    if (const auto unit = unit_seconds(word(t, next)); unit > 0) {
      return {*number * unit, unit, next + 1 - at};
    }
    return {};
  }
  if (article(w)) {
    if (const auto unit = unit_seconds(word(t, at + 1)); unit > 0 && word(t, at + 1).size() > 1) {
      return {unit, unit, 2};
    }
  }
  return {};
}

}  // namespace

Phrase<double> parse_duration(std::span<const Token> t, std::size_t at) {
  auto total = piece(t, at);
  if (total.length == 0 || !std::isfinite(total.seconds)) return {};
  while (true) {
    auto next = at + total.length;
    const bool joined = word(t, next) == "and";
    if (joined) ++next;
    // an hour and a half; two hours and three quarters
    if (joined && word(t, next) == "a" &&
        (word(t, next + 1) == "half" || word(t, next + 1) == "quarter") &&
        unit_seconds(word(t, next + 2)) == 0 && word(t, next + 2) != "of" &&
        word(t, next + 2) != "an") {
      total.seconds += total.unit / (word(t, next + 1) == "half" ? 2 : 4);
      total.length = next + 2 - at;
      break;
    }
    const auto more = piece(t, next);
    if (more.length > 0 && more.unit < total.unit) {
      total.seconds += more.seconds;
      total.unit = more.unit;
      total.length = next + more.length - at;
      continue;
    }
    // 1 hour 30
    const bool digits = next < t.size() && t[next].whole() && t[next].value < 60;
    if (!joined && digits && (total.unit == 3600 || total.unit == 60) && next + 1 == t.size()) {
      total.seconds += t[next].value * total.unit / 60;
      total.length = next + 1 - at;
    }
    break;
  }
  return {total.seconds, total.length};
}

namespace {

// What may follow a time: am, pm, "in the morning".
struct Half {
  enum class Kind : std::uint8_t { unknown, am, pm };
  Kind kind = Kind::unknown;
  std::size_t length = 0;
};

Half half_of_day(std::span<const Token> t, std::size_t at) {
  using enum Half::Kind;
  const auto w = word(t, at);
  if (w == "am") return {am, 1};
  if (w == "pm") return {pm, 1};
  if (w == "in" && word(t, at + 1) == "the") {
    const auto part = word(t, at + 2);
    if (part == "morning") return {am, 3};
    if (part == "afternoon" || part == "evening") return {pm, 3};
  }
  if (w == "at" && word(t, at + 1) == "night") return {pm, 2};
  return {};
}

ClockTime finish(int hour, int minute, Half::Kind half) {
  ClockTime c{hour, minute, false};
  if (half == Half::Kind::am) {
    c.hour = hour % 12;
    c.exact = true;
  } else if (half == Half::Kind::pm) {
    c.hour = hour < 12 ? hour + 12 : hour;
    c.exact = true;
  } else if (hour > 12 || hour == 0) {
    c.exact = true;
  }
  return c;
}

std::optional<int> hour_number(std::span<const Token> t, std::size_t at) {
  if (at < t.size() && t[at].whole() && t[at].value >= 0 && t[at].value < 24) {
    return static_cast<int>(t[at].value);
  }
  return std::nullopt;
}

// half past six, quarter to seven, ten past three, twenty five minutes to nine, half six
Phrase<ClockTime> relative_clock(std::span<const Token> t, std::size_t at) {
  auto next = at;
  int minutes = -1;
  if (word(t, next) == "a" && (word(t, next + 1) == "quarter" || word(t, next + 1) == "half"))
    ++next;
  const bool half = word(t, next) == "half";
  if (half) {
    minutes = 30;
  } else if (word(t, next) == "quarter") {
    minutes = 15;
  } else if (next < t.size() && t[next].whole() && t[next].value >= 1 && t[next].value < 60) {
    minutes = static_cast<int>(t[next].value);
  } else {
    return {};
  }
  ++next;
  if (word(t, next) == "minutes" || word(t, next) == "minute") ++next;
  const auto w = word(t, next);
  bool before = false;
  if (w == "past" || w == "after") {
    ++next;
  } else if (w == "to" || w == "before" || w == "till" || w == "until") {
    before = true;
    ++next;
  } else if (!half) {
    return {};
  }
  if (word(t, next) == "noon" || word(t, next) == "midday" || word(t, next) == "midnight") {
    const int base = word(t, next) == "midnight" ? 0 : 12;
    const int total = (base * 60 + (before ? -minutes : minutes) + 1440) % 1440;
    return {{total / 60, total % 60, true}, next + 1 - at};
  }
  const auto hour = hour_number(t, next);
  if (!hour || *hour > 12 || *hour < 1) return {};
  ++next;
  if (word(t, next) == "oclock") ++next;
  const auto tail = half_of_day(t, next);
  int h = *hour;
  int m = minutes;
  if (before) {
    h = h == 1 ? 12 : h - 1;
    m = 60 - minutes;
  }
  return {finish(h, m, tail.kind), next + tail.length - at};
}

// 6.30 as some write 6:30
std::optional<ClockTime> dotted(const Token& t) {
  const auto dot = t.text.find('.');
  if (!t.number() || dot == std::string::npos || t.text.size() - dot != 3 || t.value >= 24)
    return {};
  const auto hour = static_cast<int>(t.value);
  const auto minute = static_cast<int>(std::lround((t.value - hour) * 100));
  if (minute > 59) return {};
  return ClockTime{hour, minute, false};
}

}  // namespace

Phrase<ClockTime> parse_clock(std::span<const Token> t, std::size_t at, bool bare) {
  if (at >= t.size()) return {};
  if (auto relative = relative_clock(t, at)) return relative;
  const auto w = word(t, at);
  if (w == "noon" || w == "midday") return {{12, 0, true}, 1};
  if (w == "midnight") return {{0, 0, true}, 1};
  if (t[at].kind == Token::Kind::clock) {
    auto next = at + 1;
    if (word(t, next) == "oclock") ++next;
    const auto tail = half_of_day(t, next);
    auto c = finish(static_cast<int>(t[at].value), t[at].minute, tail.kind);
    return {c, next + tail.length - at};
  }
  if (const auto c = dotted(t[at])) {
    const auto tail = half_of_day(t, at + 1);
    if (tail.length == 0 && !bare) return {};
    return {finish(c->hour, c->minute, tail.kind), 1 + tail.length};
  }
  auto hour = hour_number(t, at);
  if (!hour && bare) {  // "at four" heard as "at for", where nothing but a time makes sense
    const bool ends = at + 1 == t.size() || half_of_day(t, at + 1).length > 0 ||
                      word(t, at + 1) == "oclock" || word(t, at + 1) == "tomorrow";
    if (ends && w == "for") hour = 4;
    if (ends && (w == "to" || w == "too")) hour = 2;
    if (ends && w == "ate") hour = 8;
  }
  if (!hour) return {};
  auto next = at + 1;
  if (word(t, next) == "oclock") {
    ++next;
    const auto tail = half_of_day(t, next);
    return {finish(*hour, 0, tail.kind), next + tail.length - at};
  }
  // seven fifteen, six oh five
  int minute = 0;
  bool has_minute = false;
  if ((word(t, next) == "oh" || word(t, next) == "o") && next + 1 < t.size() &&
      t[next + 1].whole() && t[next + 1].value >= 1 && t[next + 1].value <= 9) {
    minute = static_cast<int>(t[next + 1].value);
    has_minute = true;
    next += 2;
  } else if (next < t.size() && t[next].whole() && t[next].value >= 10 && t[next].value < 60 &&
             !t[next].comma_before) {
    const auto unit = unit_seconds(word(t, next + 1));
    if (unit == 0) {
      minute = static_cast<int>(t[next].value);
      has_minute = true;
      ++next;
    }
  } else if (word(t, next) == "hundred" && word(t, next + 1) == "hours") {
    return {{*hour, 0, true}, 3};
  }
  const auto tail = half_of_day(t, next);
  if (!has_minute && tail.length == 0) {
    if (!bare || unit_seconds(word(t, next)) > 0) return {};
  }
  return {finish(*hour, minute, tail.kind), next + tail.length - at};
}

}  // namespace gadget::hub::builtin
