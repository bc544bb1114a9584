#include "hub/agent/builtin/understand.hpp"

#include <algorithm>
#include <cstdio>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/pattern.hpp"
#include "hub/agent/builtin/speakable.hpp"

namespace gadget::hub::builtin {
namespace {

// A timer or a reminder ahead further than this is not meant (and would overflow sums of time).
constexpr double kMaxAheadSeconds = 366.0 * 86'400;

struct Compiled {
  std::string_view intent;
  Pattern pattern;
};

const std::vector<Compiled>& compiled() {
  static const auto kCompiled = [] {
    std::vector<Compiled> out;
    for (const auto& rule : rules()) out.push_back({rule.intent, Pattern(rule.pattern)});
    return out;
  }();
  return kCompiled;
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

// One match of a template becomes an intent, or is turned down by what a template cannot say.
class Builder {
 public:
  Builder(const Utterance& said, const Context& context, const Captures& captures)
      : said_(said), context_(context), captures_(captures) {}

  std::optional<Intent> build(std::string_view name) {
    intent_.name = name;
    common();
    if (!times()) return std::nullopt;
    if (name.ends_with("_cancel") && says_all()) intent_.slots["all"] = "yes";
    if (name == "timer" || name == "timer_more") {
      if (intent_.seconds && (*intent_.seconds < 1 || *intent_.seconds > kMaxAheadSeconds)) {
        intent_.slots["problem"] = "range";
      }
      return intent_;
    }
    if (name.starts_with("list_") || name == "todo_read") return list();
    if (name == "conversion") return conversion();
    if (name == "sensor") return sensor();
    if (name == "date_tomorrow") {
      intent_.name = "date";
      intent_.day = DaySpec{};
      intent_.day->days = 1;
      intent_.slots["day"] = "tomorrow";
      return intent_;
    }
    if (name == "time" && captures_.contains("place")) return place();
    return arithmetic(name);
  }

 private:
  [[nodiscard]] const Captured* captured(std::string_view key) const {
    const auto found = captures_.find(key);
    return found == captures_.end() ? nullptr : &found->second;
  }

  void common() {
    for (const auto key : {"name", "text", "place", "what"}) {
      if (const auto* c = captured(key))
        intent_.slots[key] = cut_text(said_.said(c->first, c->last), 200);
    }
    if (const auto* c = captured("for")) {
      intent_.seconds = parse_duration(said_.tokens, c->first).value;
      intent_.slots["seconds"] = number_text(*intent_.seconds);
    }
    if (const auto* c = captured("day")) {
      intent_.day = parse_day(said_.tokens, c->first).value;
      intent_.slots["day"] = to_text(*intent_.day);
    }
    if (intent_.slots.contains("text") && intent_.name.starts_with("reminder")) own_words();
  }

  [[nodiscard]] bool says_all() const {
    return std::any_of(said_.tokens.begin(), said_.tokens.end(), [](const Token& t) {
      return t.is("all") || t.is("both") || t.is("every") || t.is("timers") || t.is("alarms") ||
             t.is("reminders");
    });
  }

  // "my keys" is said back as "your keys" when the agent reminds of them; kept as it was said here.
  void own_words() {
    auto& text = intent_.slots["text"];
    while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == ',')) {
      text.pop_back();
    }
  }

  // When-slots, of which a sentence may have two; false when they contradict each other.
  bool times() {
    const bool bare = intent_.name.starts_with("alarm") || intent_.name.starts_with("reminder");
    if (const auto* c = captured("when")) {
      // The template's slot decides how it was read; the length tells which.
      auto phrase = parse_when(said_.tokens, c->first, false);
      if (bare && phrase.length != c->last - c->first)
        phrase = parse_when(said_.tokens, c->first, true);
      intent_.when = phrase.value;
    }
    if (const auto* c = captured("more")) {
      const auto more = parse_when(said_.tokens, c->first, false).value;
      if (more.in_s || intent_.when.in_s) return false;
      if (more.clock && intent_.when.clock) return false;
      if (more.day && intent_.when.day) return false;
      if (more.clock) intent_.when.clock = more.clock;
      if (more.day) intent_.when.day = more.day;
      if (more.repeat != 0) intent_.when.repeat = more.repeat;
      if (more.part != DayPart::none) intent_.when.part = more.part;
    }
    if (!intent_.when.empty()) intent_.slots["when"] = to_text(intent_.when);
    if (intent_.when.in_s && (*intent_.when.in_s < 1 || *intent_.when.in_s > kMaxAheadSeconds)) {
      intent_.slots["problem"] = "range";
    }
    return true;
  }

  std::optional<Intent> list() {
    const auto name = intent_.name;
    if (const auto* c = captured("list")) {
      intent_.slots["list"] = list_name(said_.words(c->first, c->last));
    }
    if (name == "todo_read") {
      intent_.name = "list_read";
      intent_.slots["list"] = "to-do";
      return intent_;
    }
    if (const auto* c = captured("items")) {
      intent_.items = split_items(said_, c->first, c->last);
      if (intent_.items.empty()) return std::nullopt;
      std::string all;
      for (const auto& item : intent_.items) all += (all.empty() ? "" : "; ") + item;
      intent_.slots["items"] = all;
      if (!believable(name, *c)) return std::nullopt;
    }
    if (name == "list_done" || name == "list_drop") intent_.name = "list_remove";
    if (name == "list_maybe") intent_.name = "list_add";
    if (intent_.name == "list_check" && !captured("list") && !context_.list_talk &&
        said_.tokens.back().is("it")) {
      return std::nullopt;
    }
    return intent_;
  }

  // Sentences that name no list count only when they are surely about one.
  [[nodiscard]] bool believable(std::string_view name, const Captured& items) const {
    const auto on_a_list = [&](const std::string& item) {
      return std::any_of(context_.list_items.begin(), context_.list_items.end(),
                         [&](const std::string& have) { return same_item(have, item); });
    };
    if (name == "list_done" || name == "list_drop") {
      return std::all_of(intent_.items.begin(), intent_.items.end(), on_a_list);
    }
    if (name == "list_remove" && !captured("list") && !said_.tokens.back().is("list")) {
      return std::all_of(intent_.items.begin(), intent_.items.end(), on_a_list);
    }
    if (name != "list_maybe") return true;
    const bool plain_add = said_.tokens.front().is("add");
    if (plain_add && context_.list_talk) return true;
    return std::all_of(intent_.items.begin(), intent_.items.end(), [&](const std::string& item) {
      const auto words = plain_words(item);
      return items.last - items.first <= 12 && !words.empty() && words.size() <= 5 &&
             known_grocery(words.back());
    });
  }

  std::optional<Intent> conversion() {
    intent_.from = parse_quantity(said_.tokens, captured("from")->first).value;
    intent_.to = parse_unit(said_.tokens, captured("to")->first).value;
    intent_.slots["from"] =
        number_text(intent_.from->value) + " " + std::string(intent_.from->unit->one);
    intent_.slots["to"] = std::string(intent_.to->one);
    if (const auto* c = captured("what")) {
      intent_.slots["what"] = said_.words(c->first, c->last);
      if (!density(intent_.slots["what"]) && c->last - c->first > 3) return std::nullopt;
    }
    return intent_;
  }

  std::optional<Intent> sensor() {
    const auto* c = captured("what");
    if (c == nullptr || c->last - c->first > 5) return std::nullopt;
    const auto what = said_.words(c->first, c->last);
    auto found = match_sensors(what, context_);
    if (!found) return std::nullopt;
    if (const auto where = elsewhere()) {
      if (where->empty()) return std::nullopt;
      std::erase_if(*found, [&](const std::string& sensor) {
        const auto words = plain_words(sensor);
        return std::find(words.begin(), words.end(), *where) == words.end();
      });
      intent_.slots["where"] = *where;
    }
    intent_.sensors = *found;
    intent_.slots["what"] = what;
    std::string all;
    for (const auto& s : *found) all += (all.empty() ? "" : ",") + s;
    intent_.slots["sensor"] = all;
    return intent_;
  }

  // The place that was asked about, when it is not where the device stands; "" for what is no
  // place.
  [[nodiscard]] std::optional<std::string> elsewhere() const {
    if (said_.tokens.back().is("outside") || said_.tokens.back().is("outdoors")) return "outside";
    const auto* c = captured("where");
    if (c == nullptr) return std::nullopt;
    const auto where = said_.words(c->first, c->last);
    const auto here = plain_words(context_.device_name);
    if (std::find(here.begin(), here.end(), said_.tokens[c->first].text) != here.end()) {
      return std::nullopt;
    }
    return known_room(where) ? where : std::string{};
  }

  std::optional<Intent> place() {
    const auto* c = captured("place");
    if (c->last - c->first > 4) return std::nullopt;
    intent_.slots["place"] = said_.words(c->first, c->last);
    return intent_;
  }

  [[nodiscard]] double number(std::string_view key) const {
    const auto* c = captured(key);
    return c == nullptr ? 0 : said_.tokens[c->first].value;
  }

  std::optional<Intent> arithmetic(std::string_view name) {
    Sum sum;
    const double a = number("a");
    const double b = number("b");
    const auto spoken = [&](std::string_view between) {
      sum.spoken = speak_number(a) + " " + std::string(between) + " " + speak_number(b);
    };
    if (name == "arithmetic") {
      const auto* c = captured("x");
      sum = parse_sum(said_.tokens, c->first).value;
      if (!sum.operation) return std::nullopt;
    } else if (name == "add") {
      sum.value = a + b;
      spoken("plus");
    } else if (name == "multiply") {
      sum.value = a * b;
      spoken("times");
    } else if (name == "subtract") {
      sum.value = a - b;
      spoken("minus");
    } else if (name == "divide") {
      spoken("divided by");
      if (b == 0) {
        sum.problem = Sum::Problem::division_by_zero;
      } else {
        sum.value = a / b;
      }
    } else if (name == "square") {
      sum.value = a * a;
      sum.spoken = speak_number(a) + " squared";
    } else {
      return intent_;
    }
    if (!(std::abs(sum.value) <= kMaxResult)) sum.problem = Sum::Problem::too_large;
    intent_.name = "arithmetic";
    intent_.slots["value"] = sum.problem == Sum::Problem::none ? number_text(sum.value) : "none";
    intent_.sum = sum;
    return intent_;
  }

  const Utterance& said_;
  const Context& context_;
  const Captures& captures_;
  Intent intent_;
};

std::optional<Intent> by_template(const Utterance& said, const Context& context,
                                  std::string_view only = {}) {
  for (const auto& rule : compiled()) {
    if (!only.empty() && !rule.intent.starts_with(only)) continue;
    if (only.empty() && rule.intent.starts_with("sensor")) continue;  // after the actions
    const auto captures = rule.pattern.match(said.tokens);
    if (!captures) continue;
    if (auto intent = Builder(said, context, *captures).build(rule.intent)) return intent;
  }
  return std::nullopt;
}

// The whole sentence from `at` on is a time.
std::optional<When> whole_when(const Utterance& said) {
  const auto phrase = parse_when(said.tokens, 0, true);
  if (!phrase || phrase.length != said.tokens.size()) return std::nullopt;
  return phrase.value;
}

std::optional<double> whole_duration(const Utterance& said) {
  std::size_t at = 0;
  if (!said.tokens.empty() && (said.tokens[0].is("for") || said.tokens[0].is("in"))) at = 1;
  const auto phrase = parse_duration(said.tokens, at);
  if (phrase && at + phrase.length == said.tokens.size()) return phrase.value;
  // A number alone answers "For how long?" in minutes.
  if (said.tokens.size() == at + 1 && said.tokens[at].number()) return said.tokens[at].value * 60;
  return std::nullopt;
}

void set_when(Intent& intent, const When& when) {
  intent.when = when;
  intent.slots["when"] = to_text(when);
  if (when.in_s && (*when.in_s < 1 || *when.in_s > kMaxAheadSeconds))
    intent.slots["problem"] = "range";
}

// The answer to what the agent asked back. `early` before the templates: answers that are nothing
// else; afterwards free text, once it is clear that no other request was made.
std::optional<Intent> follow_up(const Utterance& said, const Context& context, bool early) {
  Intent intent;
  switch (context.pending) {
    case Pending::timer_duration:
      if (const auto seconds = early ? whole_duration(said) : std::nullopt) {
        intent.name = "timer";
        intent.seconds = seconds;
        intent.slots["seconds"] = number_text(*seconds);
        if (*seconds < 1 || *seconds > kMaxAheadSeconds) intent.slots["problem"] = "range";
        return intent;
      }
      break;
    case Pending::alarm_time:
    case Pending::reminder_time:
      if (const auto when = early ? whole_when(said) : std::nullopt) {
        intent.name = context.pending == Pending::alarm_time ? "alarm" : "reminder";
        set_when(intent, *when);
        return intent;
      }
      break;
    case Pending::reminder_text:
      if (!early) {
        std::size_t at = said.tokens.front().is("to") || said.tokens.front().is("about") ? 1 : 0;
        if (at == said.tokens.size()) break;
        intent.name = "reminder";
        intent.slots["text"] = cut_text(said.said(at, said.tokens.size()), 200);
        return intent;
      }
      break;
    case Pending::list_items:
      if (!early) {
        intent.items = split_items(said, 0, said.tokens.size());
        if (intent.items.empty()) break;
        intent.name = "list_add";
        for (const auto& item : intent.items) {
          auto& all = intent.slots["items"];
          all += (all.empty() ? "" : "; ") + item;
        }
        return intent;
      }
      break;
    case Pending::action_value:
    case Pending::none: break;
  }
  return std::nullopt;
}

Intent action_intent(ActionMatch match) {
  Intent intent;
  intent.name = "action";
  intent.slots["action"] = match.action;
  intent.slots["args"] = match.args_json;
  if (match.problem == ActionMatch::Problem::missing) intent.slots["problem"] = "missing";
  if (match.problem == ActionMatch::Problem::out_of_range) intent.slots["problem"] = "range";
  if (match.problem == ActionMatch::Problem::unknown_level) intent.slots["problem"] = "level";
  intent.action = std::move(match);
  return intent;
}

}  // namespace

std::string Intent::slot(std::string_view key) const {
  const auto found = slots.find(key);
  return found == slots.end() ? std::string{} : found->second;
}

Intent understand(std::string_view text, const Context& context) {
  const auto said = normalise(text);
  if (said.tokens.empty()) return {};
  if (auto intent = follow_up(said, context, true)) return *intent;
  if (auto intent = by_template(said, context)) return *intent;
  if (auto match = match_action(said.tokens, context)) return action_intent(std::move(*match));
  if (auto intent = by_template(said, context, "sensor")) return *intent;
  if (auto intent = follow_up(said, context, false)) return *intent;
  return {};
}

}  // namespace gadget::hub::builtin
