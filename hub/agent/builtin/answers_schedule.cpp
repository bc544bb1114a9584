#include <algorithm>
#include <cmath>

#include "hub/agent/builtin/answers.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/strings.hpp"
#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {
namespace {

std::string lower_first_words(std::string text) {
  for (auto& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Say none(Entry::Kind kind) {
  return kind == Entry::Kind::timer   ? Say::timer_none
         : kind == Entry::Kind::alarm ? Say::alarm_none
                                      : Say::reminder_none;
}

std::string problem_text(SetProblem problem) {
  switch (problem) {
    case SetProblem::full: return say(Say::schedule_full, {std::to_string(kMaxEntries)});
    case SetProblem::newer: return say(Say::newer_store);
    default: return say(Say::not_saved);
  }
}

// "call the dentist." needs no second full stop in a sentence.
std::string bare_text(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == '!' || text.back() == ' '))
    text.pop_back();
  return text;
}

}  // namespace

bool ScheduleAnswers::takes(std::string_view intent) {
  return intent.starts_with("timer") || intent.starts_with("alarm") ||
         intent.starts_with("reminder") || intent == "cancel_it";
}

Answer ScheduleAnswers::answer(const DeviceId& id, Intent intent, Conversation& talk) {
  if (intent.slot("problem") == "range") return {say(Say::too_far)};
  const auto& name = intent.name;
  const bool all = intent.slot("all") == "yes";
  if (name == "timer") return set_timer(id, intent, talk);
  if (name == "alarm") return set_alarm(id, intent, talk);
  if (name == "reminder") return set_reminder(id, std::move(intent), talk);
  if (name == "timer_more") return more(id, intent);
  if (name == "timer_read") return read(id, Entry::Kind::timer, intent);
  if (name == "alarm_read") return read(id, Entry::Kind::alarm, intent);
  if (name == "reminder_read") return read(id, Entry::Kind::reminder, intent);
  if (name == "timer_cancel") return cancel(id, Entry::Kind::timer, intent, all);
  if (name == "alarm_cancel") return cancel(id, Entry::Kind::alarm, intent, all);
  if (name == "reminder_cancel") return cancel(id, Entry::Kind::reminder, intent, all);
  return cancel_it(id, talk);
}

Answer ScheduleAnswers::keep(const DeviceId& id, Entry entry, Conversation& talk, Answer done) {
  if (const auto problem = schedule_.add(id, entry); problem != SetProblem::none)
    return {problem_text(problem)};
  talk.last_entries = {entry.id};
  talk.last_kind = entry.kind;
  return done;
}

Answer ScheduleAnswers::set_timer(const DeviceId& id, const Intent& intent, Conversation& talk) {
  if (!intent.seconds) {
    talk.pending = Pending::timer_duration;
    talk.open = intent;
    return {say(Say::timer_how_long)};
  }
  Entry entry;
  entry.kind = Entry::Kind::timer;
  entry.text = intent.slot("name");
  entry.relative = true;
  entry.length_s = std::llround(*intent.seconds);
  const auto length = speak_duration(entry.length_s);
  const auto text = entry.text.empty() ? say(Say::timer_set, {length})
                                       : say(Say::timer_set_named, {length, capital(entry.text)});
  const auto body = entry.text.empty() ? length : capital(entry.text) + ": " + length;
  return keep(id, entry, talk, {text, say(Say::timer_due_title), body});
}

Answer ScheduleAnswers::set_alarm(const DeviceId& id, const Intent& intent, Conversation& talk) {
  Entry entry;
  entry.kind = Entry::Kind::alarm;
  entry.text = intent.slot("name");
  if (intent.when.in_s) {
    entry.relative = true;
    entry.length_s = std::llround(*intent.when.in_s);
    const auto length = speak_duration(entry.length_s);
    return keep(id, entry, talk,
                {say(Say::alarm_set_in, {length}), say(Say::alarm_due_title), length});
  }
  if (!intent.when.clock && intent.when.part == DayPart::none) {
    talk.pending = Pending::alarm_time;
    talk.open = intent;
    return {say(Say::alarm_when)};
  }
  const auto zone = host_.timezone(id);
  const auto due = resolve_when(intent.when, Purpose::alarm, host_.wall_now_ms(), zone);
  if (!due) return {say(Say::time_passed)};
  entry.date = due->date;
  entry.hour = due->hour;
  entry.minute = due->minute;
  entry.due_wall_ms = due->wall_ms;
  entry.repeat = intent.when.repeat;
  const auto clock = speak_clock(due->hour, due->minute);
  const auto today = local_time(host_.wall_now_ms(), zone).date;
  const auto text = entry.repeat != 0 ? say(Say::alarm_repeats, {clock, speak_repeat(entry.repeat)})
                                      : say(Say::alarm_set, {clock, speak_day(due->date, today)});
  return keep(id, entry, talk, {text, say(Say::alarm_due_title), line(id, entry)});
}

Answer ScheduleAnswers::set_reminder(const DeviceId& id, Intent intent, Conversation& talk) {
  if (intent.slot("text").empty()) {
    talk.pending = Pending::reminder_text;
    talk.open = std::move(intent);
    return {say(Say::reminder_what)};
  }
  Entry entry;
  entry.kind = Entry::Kind::reminder;
  entry.text = bare_text(intent.slot("text"));
  if (intent.when.in_s) {
    entry.relative = true;
    entry.length_s = std::llround(*intent.when.in_s);
    const auto length = speak_duration(entry.length_s);
    return keep(id, entry, talk,
                {say(Say::reminder_set_in, {length, entry.text}), say(Say::reminder_due_title),
                 capital(entry.text) + "\n" + length});
  }
  const auto zone = host_.timezone(id);
  const auto due = resolve_when(intent.when, Purpose::reminder, host_.wall_now_ms(), zone);
  if (!due) {
    if (intent.when.clock || intent.when.part != DayPart::none) return {say(Say::time_passed)};
    talk.pending = Pending::reminder_time;
    talk.open = std::move(intent);
    return {say(Say::reminder_when)};
  }
  entry.date = due->date;
  entry.hour = due->hour;
  entry.minute = due->minute;
  entry.due_wall_ms = due->wall_ms;
  entry.repeat = intent.when.repeat;
  const auto clock = speak_clock(due->hour, due->minute);
  const auto today = local_time(host_.wall_now_ms(), zone).date;
  const auto text =
      entry.repeat != 0
          ? say(Say::reminder_repeats, {clock, speak_repeat(entry.repeat), entry.text})
          : say(Say::reminder_set, {clock, speak_day(due->date, today), entry.text});
  return keep(id, entry, talk, {text, say(Say::reminder_due_title), line(id, entry)});
}

Answer ScheduleAnswers::more(const DeviceId& id, const Intent& intent) {
  auto timers = schedule_.entries(id, Entry::Kind::timer);
  if (timers.empty()) return {say(Say::timer_none)};
  auto named = intent;
  named.seconds.reset();  // how much more, not how long it is
  if (!intent.slot("name").empty()) timers = matching(timers, named);
  if (timers.empty()) return {say(Say::timer_none_named, {intent.slot("name")})};
  if (timers.size() > 1) {
    std::vector<std::string> names;
    for (const auto& t : timers) names.push_back(title(t));
    return {say(Say::timer_which, {speak_list(names)})};
  }
  const auto seconds = static_cast<std::int64_t>(intent.seconds.value_or(0));
  if (const auto problem = schedule_.extend(id, timers[0].id, seconds);
      problem != SetProblem::none) {
    return {problem_text(problem)};
  }
  return {say(Say::timer_more, {speak_duration(schedule_.left_s(timers[0]) + seconds)})};
}

Answer ScheduleAnswers::read(const DeviceId& id, Entry::Kind kind, const Intent& intent) {
  const auto entries = schedule_.entries(id, kind);
  if (entries.empty()) return {say(none(kind))};
  if (kind == Entry::Kind::timer) return read_timers(entries, intent);
  std::vector<std::string> lines;
  std::string body;
  for (const auto& entry : entries) {
    const auto one =
        kind == Entry::Kind::alarm ? moment(id, entry) : entry.text + ", " + moment(id, entry);
    lines.push_back(one);
    body += (body.empty() ? "" : "\n") + line(id, entry);
  }
  const auto count = std::to_string(entries.size());
  if (kind == Entry::Kind::alarm) {
    const auto text = entries.size() == 1 ? say(Say::alarm_one, {lines[0]})
                                          : say(Say::alarm_many, {count, speak_list(lines)});
    return {text, say(Say::alarm_title), body};
  }
  const auto text = entries.size() == 1 ? say(Say::reminder_one, {lines[0]})
                                        : say(Say::reminder_many, {count, speak_list(lines)});
  return {text, say(Say::reminder_title), body};
}

Answer ScheduleAnswers::read_timers(const std::vector<Entry>& timers, const Intent& intent) {
  const auto name = intent.slot("name");
  const auto some = name.empty() ? timers : matching(timers, intent);
  if (some.empty()) return {say(Say::timer_none_named, {name})};
  std::vector<std::string> lines;
  std::string body;
  for (const auto& timer : some) {
    const auto left = speak_duration(schedule_.left_s(timer));
    lines.push_back(say(Say::timer_left_named, {left, title(timer)}));
    body += (body.empty() ? "" : "\n") + capital(title(timer)) + ": " + left;
  }
  const bool plain = some.size() == 1 && some[0].text.empty();
  const auto text = plain ? say(Say::timer_left_one, {speak_duration(schedule_.left_s(some[0]))})
                          : capital(speak_list(lines)) + ".";
  return {text, say(Say::timer_left_title), body};
}

std::vector<Entry> ScheduleAnswers::matching(const std::vector<Entry>& entries,
                                             const Intent& intent) const {
  std::vector<Entry> out;
  const auto words =
      plain_words(lower_first_words(intent.slot("name") + " " + intent.slot("text")));
  for (const auto& entry : entries) {
    const auto have = plain_words(lower_first_words(entry.text));
    const bool named = std::all_of(words.begin(), words.end(), [&](const std::string& w) {
      return std::any_of(have.begin(), have.end(), [&](const std::string& h) {
        return h == w || singular(h) == singular(w);
      });
    });
    const bool lasting =
        !intent.seconds || entry.length_s == static_cast<std::int64_t>(*intent.seconds);
    bool timed = true;
    if (intent.when.clock) {
      const auto& clock = *intent.when.clock;
      timed = !entry.relative && entry.minute == clock.minute &&
              (clock.exact ? entry.hour == clock.hour : entry.hour % 12 == clock.hour % 12);
    }
    if (named && lasting && timed) out.push_back(entry);
  }
  return out;
}

Answer ScheduleAnswers::cancel(const DeviceId& id, Entry::Kind kind, const Intent& intent,
                               bool all) {
  const auto entries = schedule_.entries(id, kind);
  if (entries.empty()) return {say(none(kind))};
  const bool specific = !intent.slot("name").empty() || !intent.slot("text").empty() ||
                        intent.seconds || intent.when.clock;
  const auto chosen = specific ? matching(entries, intent) : entries;
  if (chosen.empty()) {
    if (kind == Entry::Kind::timer) {
      const auto what =
          intent.slot("name").empty()
              ? speak_duration_adjective(static_cast<std::int64_t>(intent.seconds.value_or(0)))
              : intent.slot("name");
      return {say(Say::timer_none_named, {what})};
    }
    return {say(kind == Entry::Kind::alarm ? Say::alarm_none_that : Say::reminder_none_that)};
  }
  if (chosen.size() > 1 && !all) {
    std::vector<std::string> names;
    for (const auto& entry : chosen) {
      names.push_back(kind == Entry::Kind::timer   ? title(entry)
                      : kind == Entry::Kind::alarm ? moment(id, entry)
                                                   : entry.text);
    }
    return {say(kind == Entry::Kind::timer   ? Say::timer_which
                : kind == Entry::Kind::alarm ? Say::alarm_which
                                             : Say::reminder_which,
                {speak_list(names)})};
  }
  return cancelled(id, chosen);
}

Answer ScheduleAnswers::cancelled(const DeviceId& id, const std::vector<Entry>& entries) {
  std::vector<std::uint64_t> ids;
  for (const auto& entry : entries) ids.push_back(entry.id);
  if (const auto problem = schedule_.remove(id, ids); problem != SetProblem::none)
    return {problem_text(problem)};
  const auto count = std::to_string(entries.size());
  const auto& first = entries.front();
  const bool one = entries.size() == 1;
  switch (first.kind) {
    case Entry::Kind::timer:
      return {one ? say(Say::timer_cancelled, {title(first)})
                  : say(Say::timers_cancelled, {count})};
    case Entry::Kind::alarm:
      return {one ? say(Say::alarm_cancelled, {moment(id, first)})
                  : say(Say::alarms_cancelled, {count})};
    case Entry::Kind::reminder: break;
  }
  return {one ? say(Say::reminder_cancelled, {first.text})
              : say(Say::reminders_cancelled, {count})};
}

Answer ScheduleAnswers::cancel_it(const DeviceId& id, Conversation& talk) {
  std::vector<Entry> chosen;
  for (const auto& entry : schedule_.entries(id, talk.last_kind)) {
    if (std::find(talk.last_entries.begin(), talk.last_entries.end(), entry.id) !=
        talk.last_entries.end()) {
      chosen.push_back(entry);
    }
  }
  talk.last_entries.clear();
  if (chosen.empty()) return {say(Say::nothing_to_cancel)};
  return cancelled(id, chosen);
}

std::string ScheduleAnswers::title(const Entry& entry) const {
  return entry.text.empty() ? speak_duration_adjective(entry.length_s) : entry.text;
}

std::string ScheduleAnswers::moment(const DeviceId& id, const Entry& entry) const {
  const auto zone = host_.timezone(id);
  const auto now = local_time(host_.wall_now_ms(), zone);
  if (entry.repeat != 0)
    return speak_clock(entry.hour, entry.minute) + " " + speak_repeat(entry.repeat);
  const auto due = local_time(entry.due_wall_ms, zone);
  return speak_clock(due.hour, due.minute) + " " + speak_day(due.date, now.date);
}

std::string ScheduleAnswers::line(const DeviceId& id, const Entry& entry) const {
  const auto zone = host_.timezone(id);
  const auto due = local_time(entry.due_wall_ms, zone);
  const auto today = local_time(host_.wall_now_ms(), zone).date;
  auto out = short_clock(due.hour, due.minute) + ", " +
             (entry.repeat != 0 ? speak_repeat(entry.repeat) : speak_day(due.date, today));
  if (!entry.text.empty()) out += ": " + entry.text;
  return out;
}

Answer ScheduleAnswers::due(const DeviceId& id, const Entry& entry) const {
  const auto zone = host_.timezone(id);
  const auto at = local_time(entry.due_wall_ms, zone);
  switch (entry.kind) {
    case Entry::Kind::timer:
      return {
          say(entry.text.empty() ? Say::timer_due : Say::timer_due_named, {title(entry)}),
          say(Say::timer_due_title),
          (entry.text.empty() ? "" : capital(entry.text) + ": ") + speak_duration(entry.length_s)};
    case Entry::Kind::alarm: {
      const auto now = local_time(host_.wall_now_ms(), zone);
      const auto clock =
          entry.relative ? speak_clock(now.hour, now.minute) : speak_clock(at.hour, at.minute);
      return {entry.text.empty() ? say(Say::alarm_due, {clock})
                                 : say(Say::alarm_due_named, {clock, entry.text}),
              say(Say::alarm_due_title), short_clock(at.hour, at.minute)};
    }
    case Entry::Kind::reminder: break;
  }
  return {say(Say::reminder_due, {entry.text}), say(Say::reminder_due_title), capital(entry.text)};
}

Answer ScheduleAnswers::missed(const DeviceId& id, const std::vector<Entry>& entries) const {
  const auto zone = host_.timezone(id);
  std::vector<std::string> lines;
  std::string body;
  for (const auto& entry : entries) {
    const auto age =
        speak_duration(std::max<Millis>(1, (host_.wall_now_ms() - entry.due_wall_ms) / 1000));
    const auto at = local_time(entry.due_wall_ms, zone);
    std::string one;
    switch (entry.kind) {
      case Entry::Kind::timer: one = say(Say::away_timer, {title(entry), age}); break;
      case Entry::Kind::alarm:
        one = say(Say::away_alarm, {speak_clock(at.hour, at.minute), age});
        break;
      case Entry::Kind::reminder: one = say(Say::away_reminder, {entry.text, age}); break;
    }
    body += (body.empty() ? "" : "\n") + capital(one);
    lines.push_back(std::move(one));
  }
  return {say(Say::away, {speak_list(lines)}), say(Say::away_title), body};
}

}  // namespace gadget::hub::builtin
