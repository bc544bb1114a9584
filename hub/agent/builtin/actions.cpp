// Which of a device's actions a sentence asks for, and with what arguments. Works for any device:
// the names, descriptions and schemas are its own. Every word of the sentence must be accounted
// for.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <boost/json.hpp>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

namespace json = boost::json;

// A request to a device is short; longer talk is none.
constexpr std::size_t kMaxActionWords = 16;
// "Louder", "dimmer": this part of the whole range.
constexpr double kStepOfRange = 0.1;

using Words = std::set<std::string_view>;

const Words& verbs() {
  static const Words kVerbs = {
      "turn",   "switch",  "set",      "make",     "put",   "change",  "adjust",   "start",
      "stop",   "open",    "close",    "shut",     "run",   "trigger", "activate", "deactivate",
      "enable", "disable", "increase", "decrease", "raise", "lower",   "dim",      "brighten",
      "reduce", "move",    "play",     "ring",     "flash", "blink",   "press",    "push",
      "get",    "bring",   "crank",    "light",    "do",    "use",     "mute",     "unmute",
      "toggle", "pause",   "resume",   "show"};
  return kVerbs;
}

const Words& glue() {
  static const Words kGlue = {
      "the",     "my",         "a",      "an",    "to",    "at",       "of",     "in",   "it",
      "for",     "into",       "as",     "your",  "this",  "that",     "our",    "be",   "by",
      "and",     "with",       "all",    "level", "mode",  "set",      "little", "bit",  "is",
      "percent", "degrees",    "color",  "state", "value", "position", "them",   "here", "room",
      "back",    "completely", "should", "two",   "too"};
  return kGlue;
}

enum class Turn : std::uint8_t { none, on, off, up, down, most, least, half };

Turn turn_of(std::string_view w) {
  static const std::map<std::string_view, Turn> kTurns = {
      {"on", Turn::on},        {"off", Turn::off},       {"of", Turn::none},
      {"start", Turn::on},     {"stop", Turn::off},      {"enable", Turn::on},
      {"disable", Turn::off},  {"activate", Turn::on},   {"deactivate", Turn::off},
      {"open", Turn::on},      {"close", Turn::off},     {"shut", Turn::off},
      {"up", Turn::up},        {"down", Turn::down},     {"higher", Turn::up},
      {"lower", Turn::down},   {"louder", Turn::up},     {"quieter", Turn::down},
      {"softer", Turn::down},  {"brighter", Turn::up},   {"dimmer", Turn::down},
      {"faster", Turn::up},    {"slower", Turn::down},   {"warmer", Turn::up},
      {"cooler", Turn::down},  {"increase", Turn::up},   {"raise", Turn::up},
      {"brighten", Turn::up},  {"decrease", Turn::down}, {"reduce", Turn::down},
      {"dim", Turn::down},     {"more", Turn::up},       {"less", Turn::down},
      {"maximum", Turn::most}, {"max", Turn::most},      {"full", Turn::most},
      {"highest", Turn::most}, {"minimum", Turn::least}, {"min", Turn::least},
      {"lowest", Turn::least}, {"mute", Turn::least},    {"half", Turn::half},
      {"yes", Turn::on},       {"true", Turn::on},       {"false", Turn::off}};
  const auto found = kTurns.find(w);
  return found == kTurns.end() ? Turn::none : found->second;
}

// Words of an action's name that name no thing.
bool generic(std::string_view w) {
  static const Words kGeneric = {"set",    "get",  "do",     "control", "state", "action", "value",
                                 "run",    "turn", "switch", "output",  "write", "level",  "the",
                                 "device", "a",    "change", "update",  "to"};
  return kGeneric.contains(w);
}

// Words of a description that are worth matching: long enough, and no grammar.
bool descriptive(std::string_view w) {
  static const Words kPlain = {
      "sets",    "this",     "that",    "with",  "from",  "turns",  "device", "given",
      "value",   "which",    "when",    "color", "into",  "colour", "gadget", "makes",
      "changes", "switches", "between", "shows", "plays", "time",   "timer",  "alarm",
      "list",    "until",    "what",    "board", "your",  "have",   "been"};
  return w.size() >= 4 && !kPlain.contains(w) && !verbs().contains(w) && turn_of(w) == Turn::none;
}

struct Reading {
  int score = 0;
  bool name_hit = false;
  bool verb = false;
  std::string subject;
  Turn turn = Turn::none;
  std::vector<double> numbers;
  bool percent = false;
  bool self_contained = false;  // "louder"
  bool foreign_choice = false;  // a color that this device lacks
  // Choices that were said: param index -> choice index.
  std::map<std::size_t, std::size_t> choices;
};

class Matcher {
 public:
  Matcher(std::span<const Token> tokens, const ActionShape& action, const Context& context)
      : t_(tokens), action_(action), context_(context) {
    for (const auto& w : plain_words(action.name)) {
      if (!generic(w)) names_.push_back(w);
    }
    for (const auto& p : action.params) {
      for (const auto& w : plain_words(p.name)) {
        if (!generic(w)) params_.push_back(w);
      }
    }
    own_name_ = plain_words(context.device_name);
    for (const auto& w : plain_words(action.description)) {
      if (descriptive(w)) hints_.push_back(w);
    }
  }

  std::optional<std::pair<int, ActionMatch>> run() {
    Reading reading;
    for (std::size_t i = 0; i < t_.size();) {
      const auto n = take(i, reading);
      if (n == 0) return std::nullopt;
      i += n;
    }
    const bool referred = context_.last_action == action_.name &&
                          reading.score == choice_score(reading) &&
                          (refers() || context_.pending == Pending::action_value);
    const bool on_target = reading.name_hit || referred;
    if (!on_target) return std::nullopt;
    const bool says = reading.verb || reading.turn != Turn::none || !reading.numbers.empty() ||
                      !reading.choices.empty();
    // "doorbell" alone is no request; "ring the doorbell" is, and "doorbell.ring" has both words.
    const bool whole_name =
        action_.params.empty() && reading.name_hit && names_.size() > 1 && all_names();
    const bool one_word = t_.size() == 1 && !referred && !reading.self_contained;
    if ((!says || one_word) && !whole_name) return std::nullopt;
    return fill(reading);
  }

 private:
  static bool alike(std::string_view a, std::string_view b) {
    return a == b || thing(a) == thing(b) || singular(a) == singular(b);
  }
  static bool among(std::string_view w, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& x) { return alike(x, w); });
  }
  [[nodiscard]] int choice_score(const Reading& r) const {
    return 2 * static_cast<int>(r.choices.size());
  }

  [[nodiscard]] bool refers() const {
    return std::any_of(t_.begin(), t_.end(),
                       [](const Token& t) { return t.is("it") || t.is("that") || t.is("them"); });
  }
  [[nodiscard]] bool all_names() const {
    return std::all_of(names_.begin(), names_.end(), [&](const std::string& n) {
      return std::any_of(t_.begin(), t_.end(), [&](const Token& t) { return alike(n, t.text); });
    });
  }

  // How many tokens from `at` are accounted for; 0: a word that has no place in this request.
  std::size_t take(std::size_t at, Reading& r) const {
    if (const auto n = take_choice(at, r)) return n;
    const auto& token = t_[at];
    if (token.number()) {
      if (token.is("one") && r.numbers.empty() && at + 1 == t_.size() && !wants_number()) return 0;
      r.numbers.push_back(token.value);
      return 1;
    }
    if (token.kind != Token::Kind::word) return 0;
    const std::string_view w = token.text;
    if (w == "percent") r.percent = true;
    bool used = false;
    const bool first = at == 0;
    if (const auto turn = turn_of(w); turn != Turn::none) {
      if (r.turn == Turn::none || turn == Turn::on || turn == Turn::off) {
        if (r.turn == Turn::none || !first_was_turn_verb(at)) r.turn = turn;
      }
      used = true;
    }
    if (among(w, names_)) {
      r.score += std::find(names_.begin(), names_.end(), w) != names_.end() ? 4 : 3;
      const bool acts = first && verbs().contains(w);
      if (!acts || names_.size() == 1) r.name_hit = true;
      // "louder" names the volume and says what to do with it.
      const auto called = used ? thing(w) : w;
      if (used && called != w) r.self_contained = true;
      if (!acts || r.self_contained) {
        r.subject = r.subject.empty() ? std::string(called) : r.subject + " " + std::string(called);
      }
      if (acts) r.verb = true;
      return 1;
    }
    if (among(w, params_)) {
      r.score += 2;
      if (w != "color" && w != "level" && w != "value" && w != "state" && w != "mode") {
        r.name_hit = true;
        r.subject = r.subject.empty() ? std::string(w) : r.subject + " " + std::string(w);
      }
      return 1;
    }
    if (verbs().contains(w) && first) {
      r.verb = true;
      return 1;
    }
    if (among(w, hints_)) {
      r.score += 1;
      r.name_hit = true;
      r.subject = r.subject.empty() ? std::string(w) : r.subject + " " + std::string(w);
      return 1;
    }
    if (known_color(w) && offers_colors()) {
      r.foreign_choice = true;
      return 1;
    }
    if (among(w, own_name_)) return 1;  // "the kitchen light", said to the kitchen
    return used || glue().contains(w) ? 1 : 0;
  }

  // "turn the fan off" is off; "start ... up" keeps what the verb said.
  [[nodiscard]] bool first_was_turn_verb(std::size_t at) const {
    return at > 0 && turn_of(t_[0].text) != Turn::none && t_[at].text != "off" &&
           t_[at].text != "on";
  }

  [[nodiscard]] bool offers_colors() const {
    return std::any_of(action_.params.begin(), action_.params.end(), [](const Param& p) {
      return std::any_of(p.choices.begin(), p.choices.end(),
                         [](const std::string& c) { return known_color(c); });
    });
  }

  [[nodiscard]] bool wants_number() const {
    return std::any_of(action_.params.begin(), action_.params.end(), [](const Param& p) {
      return p.kind == Param::Kind::number || p.numeric_choices;
    });
  }

  std::size_t take_choice(std::size_t at, Reading& r) const {
    std::size_t best = 0;
    for (std::size_t p = 0; p < action_.params.size(); ++p) {
      const auto& param = action_.params[p];
      if (param.kind != Param::Kind::choice || r.choices.contains(p)) continue;
      for (std::size_t c = 0; c < param.choices.size(); ++c) {
        const auto words = plain_words(param.choices[c]);
        if (words.empty() || at + words.size() > t_.size() || words.size() <= best) continue;
        bool same = true;
        for (std::size_t k = 0; k < words.size() && same; ++k) {
          const auto& token = t_[at + k];
          same = token.text == words[k] || heard_color(token.text) == words[k] ||
                 (token.number() && speak_number(token.value) == words[k]);
        }
        // "on" in "put it on" counts as a choice only when it is one, which it is here.
        if (same) {
          best = words.size();
          r.choices[p] = c;
        }
      }
      if (best > 0) {
        r.score += 2;
        return best;
      }
    }
    return 0;
  }

  static std::string_view heard_color(std::string_view w) {
    if (w == "read") return "red";
    if (w == "blew") return "blue";
    if (w == "grey") return "gray";
    if (w == "gray") return "grey";
    if (w == "medium" || w == "middle") return "med";
    return {};
  }

  std::optional<std::pair<int, ActionMatch>> fill(const Reading& r) const {
    ActionMatch m;
    m.action = action_.name;
    m.subject = r.subject.empty() ? (names_.empty() ? action_.name : std::string(thing(names_[0])))
                                  : r.subject;
    json::object args;
    auto numbers = r.numbers;
    bool turn_used = r.turn == Turn::none;
    int score = r.score;
    for (std::size_t p = 0; p < action_.params.size(); ++p) {
      const auto& param = action_.params[p];
      switch (param.kind) {
        case Param::Kind::choice:
          if (const auto choice = choose(p, r); choice) {
            if (param.numeric_choices) {
              args[param.name] = json::parse(param.choices[*choice]);
            } else {
              args[param.name] = param.choices[*choice];
            }
            m.value = param.choices[*choice];
            turn_used = true;
          }
          break;
        case Param::Kind::boolean:
          if (r.turn == Turn::on || r.turn == Turn::off || r.turn == Turn::up ||
              r.turn == Turn::down) {
            args[param.name] = r.turn == Turn::on || r.turn == Turn::up;
            m.value = r.turn == Turn::on || r.turn == Turn::up ? "on" : "off";
            turn_used = true;
          }
          break;
        case Param::Kind::number: number(param, r, numbers, args, m, turn_used); break;
        case Param::Kind::other: break;
      }
      if (param.required && args.find(param.name) == args.end() &&
          m.problem == ActionMatch::Problem::none) {
        if (param.kind == Param::Kind::other)
          return std::nullopt;  // nothing that a sentence could give
        m.problem = ActionMatch::Problem::missing;
        m.param = param.name;
        score -= 2;
      }
    }
    if (!numbers.empty()) return std::nullopt;
    if (r.foreign_choice && m.problem == ActionMatch::Problem::none) return std::nullopt;
    if (action_.params.empty() && (r.turn == Turn::off || r.percent)) return std::nullopt;
    if (!turn_used && !action_.params.empty() && m.problem == ActionMatch::Problem::none)
      return std::nullopt;
    if (m.problem == ActionMatch::Problem::missing && !r.verb && r.turn == Turn::none)
      return std::nullopt;
    m.args_json = json::serialize(args);
    return std::pair{score, m};
  }

  [[nodiscard]] static std::optional<std::size_t> find(
      const Param& param, std::initializer_list<std::string_view> wanted) {
    for (const auto want : wanted) {
      for (std::size_t c = 0; c < param.choices.size(); ++c) {
        if (plain_words(param.choices[c]) == std::vector<std::string>{std::string(want)}) return c;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> choose(std::size_t p, const Reading& r) const {
    const auto& param = action_.params[p];
    if (const auto said = r.choices.find(p); said != r.choices.end()) return said->second;
    switch (r.turn) {
      case Turn::off:
      case Turn::least:
        return find(param, {"off", "closed", "close", "stop", "stopped", "none", "0"});
      case Turn::on: {
        if (const auto on = find(param, {"on", "open", "start", "white", "medium", "auto", "1"}))
          return on;
        for (std::size_t c = 0; c < param.choices.size(); ++c) {
          if (param.choices[c] != "off" && param.choices[c] != "none") return c;
        }
        return std::nullopt;
      }
      case Turn::up: return find(param, {"up", "open", "high"});
      case Turn::down: return find(param, {"down", "closed", "close", "low"});
      case Turn::most: return find(param, {"max", "maximum", "high", "full"});
      case Turn::half: return find(param, {"half", "medium"});
      case Turn::none: break;
    }
    return std::nullopt;
  }

  void number(const Param& param, const Reading& r, std::vector<double>& numbers,
              json::object& args, ActionMatch& m, bool& turn_used) const {
    const double low = param.minimum.value_or(0);
    const double high = param.maximum.value_or(100);
    const double range = high - low;
    const auto key = action_.name + "." + param.name;
    std::optional<double> value;
    const bool relative = r.turn == Turn::up || r.turn == Turn::down;
    const bool by = std::any_of(t_.begin(), t_.end(), [](const Token& t) { return t.is("by"); });
    if (relative && (by || numbers.empty())) {
      turn_used = true;
      const auto now = known(key);
      double step = range * kStepOfRange;
      if (!numbers.empty()) {
        step = r.percent && high != 100 ? numbers.front() * range / 100 : numbers.front();
        numbers.erase(numbers.begin());
      }
      if (!now) {
        m.problem = ActionMatch::Problem::unknown_level;
        m.param = param.name;
        return;
      }
      value = std::clamp(*now + (r.turn == Turn::up ? step : -step), low, high);
    } else if (!numbers.empty()) {
      value = numbers.front();
      numbers.erase(numbers.begin());
      if (r.percent && param.maximum && high != 100) value = low + range * *value / 100;
      turn_used = true;
    } else if (r.turn == Turn::most || r.turn == Turn::least || r.turn == Turn::half ||
               (r.turn == Turn::off && param.minimum)) {
      value = r.turn == Turn::most ? high : r.turn == Turn::half ? low + range / 2 : low;
      turn_used = true;
    }
    if (!value) return;
    if (param.integer) value = std::round(*value);
    if ((param.minimum && *value < *param.minimum) || (param.maximum && *value > *param.maximum)) {
      m.problem = ActionMatch::Problem::out_of_range;
      m.param = param.name;
    }
    if (param.integer && std::fabs(*value) < 9e15) {
      args[param.name] = static_cast<std::int64_t>(*value);
    } else {
      args[param.name] = *value;
    }
    m.numbers[key] = *value;
    m.value = speak_number(*value);
  }

  // What the level is now: set before, or told by a sensor of that name.
  [[nodiscard]] std::optional<double> known(const std::string& key) const {
    if (const auto set = context_.numbers.find(key); set != context_.numbers.end())
      return set->second;
    for (const auto& [name, value] : context_.numbers) {
      const auto words = plain_words(name);
      if (!words.empty() && name.find('.') == std::string::npos && among(words.front(), names_))
        return value;
    }
    return std::nullopt;
  }

  std::span<const Token> t_;
  const ActionShape& action_;
  const Context& context_;
  std::vector<std::string> names_, params_, hints_, own_name_;
};

}  // namespace

std::optional<ActionMatch> match_action(std::span<const Token> tokens, const Context& context) {
  if (tokens.empty() || tokens.size() > kMaxActionWords) return std::nullopt;
  std::optional<std::pair<int, ActionMatch>> best;
  for (const auto& action : context.actions) {
    auto found = Matcher(tokens, action, context).run();
    if (found && (!best || found->first > best->first)) best = std::move(found);
  }
  if (!best) return std::nullopt;
  return std::move(best->second);
}

}  // namespace gadget::hub::builtin
