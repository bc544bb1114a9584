// Time and date, sums and units: what needs no memory.
#include <cmath>

#include "hub/agent/builtin/answers.hpp"
#include "hub/agent/builtin/calendar.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/strings.hpp"

namespace gadget::hub::builtin {
namespace {

// "new york" as it is written.
std::string title_case(std::string text) {
  bool first = true;
  for (auto& c : text) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == ' ';
  }
  return text;
}

std::string day_name(const DaySpec& spec, const Date& date) {
  switch (spec.kind) {
    case DaySpec::Kind::offset:
      if (spec.days == 0) return "Today";
      if (spec.days == 1) return "Tomorrow";
      if (spec.days == -1) return "Yesterday";
      return "That";
    case DaySpec::Kind::holiday: return title_case(spec.holiday);
    case DaySpec::Kind::next_weekday: return "Next " + weekday_name(weekday(date));
    default: return "That";
  }
}

// Units are said with less precision than sums: 141.7 grams, 37.78 degrees.
double shortened(double value) {
  const double size = std::fabs(value);
  const double scale = size >= 100 ? 10 : size >= 1 ? 100 : 0;
  return scale == 0 ? value : std::round(value * scale) / scale;
}

std::string quantity_text(const Quantity& q) {
  const bool one = std::fabs(q.value) == 1;
  return speak_number(q.value) + " " + std::string(one ? q.unit->one : q.unit->many);
}

}  // namespace

Answer answer_time(AgentHost& host, const DeviceId& id, const Intent& intent) {
  const auto wall = host.wall_now_ms();
  const auto here = local_time(wall, host.timezone(id));
  if (intent.name == "time") {
    const auto place = intent.slot("place");
    if (place.empty()) return {say(Say::time_now, {speak_clock(here.hour, here.minute)})};
    // "london england": the longest beginning that is a place.
    auto zone = zone_of_place(place);
    for (auto cut = place.rfind(' '); !zone && cut != std::string::npos && cut > 0;
         cut = place.rfind(' ', cut - 1)) {
      zone = zone_of_place(std::string_view(place).substr(0, cut));
    }
    if (!zone) return {say(Say::place_unknown, {title_case(place)})};
    const auto there = local_time(wall, *zone);
    const auto clock = speak_clock(there.hour, there.minute);
    if (there.date == here.date) return {say(Say::time_in, {title_case(place), clock})};
    return {
        say(Say::time_in_other_day, {title_case(place), clock, weekday_name(weekday(there.date))})};
  }
  if (!intent.day)
    return {say(Say::today_is, {speak_date(here.date), std::to_string(here.date.year)})};
  const auto date = resolve_day(*intent.day, here.date);
  if (!date) return {say(Say::no_such_day)};
  if (intent.name == "days_until") {
    const auto days = day_count(*date) - day_count(here.date);
    if (days == 0) return {say(Say::days_today)};
    const auto name =
        intent.day->kind == DaySpec::Kind::holiday ? title_case(intent.day->holiday) : "then";
    return {say(Say::days_until, {plural(days, "day", "days"), name, speak_date(*date)})};
  }
  return {say(Say::day_is,
              {day_name(*intent.day, *date), speak_date(*date), std::to_string(date->year)})};
}

Answer answer_sum(const Intent& intent) {
  const auto& sum = *intent.sum;
  switch (sum.problem) {
    case Sum::Problem::division_by_zero: return {say(Say::sum_zero)};
    case Sum::Problem::negative_root: return {say(Say::sum_root)};
    case Sum::Problem::too_large: return {say(Say::sum_large)};
    case Sum::Problem::none: break;
  }
  // Long sums are not read back.
  constexpr std::size_t kMaxReadBack = 80;
  const auto text = sum.spoken.size() <= kMaxReadBack ? capital(sum.spoken) : std::string("That");
  return {say(is_rounded(sum.value) ? Say::sum_is_about : Say::sum_is,
              {text, speak_number(sum.value)})};
}

Answer answer_conversion(const Intent& intent) {
  const auto what = intent.slot("what");
  const auto grams_per_ml = what.empty() ? std::nullopt : density(what);
  const auto done = grams_per_ml ? convert_through(*intent.from, *intent.to, *grams_per_ml)
                                 : convert(*intent.from, *intent.to);
  if (!done) {
    const auto a = intent.from->unit->dimension;
    const auto b = intent.to->dimension;
    const bool kitchen = (a == Dimension::volume && b == Dimension::mass) ||
                         (a == Dimension::mass && b == Dimension::volume);
    if (kitchen) {
      return {say(Say::conversion_needs_what, {quantity_text(*intent.from), intent.to->many})};
    }
    return {say(Say::conversion_not, {capital(intent.from->unit->many), intent.to->many})};
  }
  if (std::fabs(done->to.value) > kMaxResult) return {say(Say::sum_large)};
  auto to = done->to;
  to.value = shortened(to.value);
  const bool about = is_rounded(done->to.value) || std::fabs(to.value - done->to.value) > 1e-9;
  if (what.empty()) {
    return {say(about ? Say::conversion_is_about : Say::conversion_is,
                {capital(quantity_text(done->from)), quantity_text(to)})};
  }
  return {say(about || grams_per_ml ? Say::conversion_of_about : Say::conversion_of,
              {capital(quantity_text(done->from)), quantity_text(to), what})};
}

}  // namespace gadget::hub::builtin
