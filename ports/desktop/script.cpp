#include "ports/desktop/script.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "ports/desktop/core.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr double kDefaultWaitS = 10;
constexpr double kMaxSeconds = 86'400;
constexpr std::string_view kBlank = " \t\r";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Takes the first word off `text`.
std::string_view word(std::string_view& text) {
  text = trim(text);
  const auto end = text.find_first_of(kBlank);
  const auto first = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end));
  return first;
}

std::optional<double> seconds_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0 || value > kMaxSeconds) {
    return std::nullopt;
  }
  return value;
}

const std::map<std::string_view, StepKind>& words() {
  static const std::map<std::string_view, StepKind> table{
      {"wait", StepKind::wait},
      {"sleep", StepKind::sleep},
      {"text", StepKind::text},
      {"press", StepKind::press},
      {"release", StepKind::release},
      {"tap", StepKind::tap},
      {"wav", StepKind::wav},
      {"say", StepKind::say},
      {"drain", StepKind::drain},
      {"sensor", StepKind::sensor},
      {"event", StepKind::event},
      {"event!", StepKind::event_notify},
      {"expect", StepKind::expect},
      {"expect-spoken", StepKind::expect_spoken},
      {"screenshot", StepKind::screenshot},
      {"speaker", StepKind::speaker},
      {"link", StepKind::link_down},
      {"power", StepKind::power_cut},
      {"answer-reenrol", StepKind::answer_reenrol},
      {"console", StepKind::console},
      {"quit", StepKind::quit},
  };
  return table;
}

// Fills the step from the rest of its line; the error says what is wanted.
Result<void> read_arguments(Step& step, std::string_view rest) {
  const auto wants = [](const char* what) { return fail(FailureCode::invalid_argument, what); };
  const auto nothing_left = [&rest, &wants]() -> Result<void> {
    if (!rest.empty()) return wants("nothing may follow here");
    return {};
  };
  switch (step.kind) {
    case StepKind::wait: {
      std::string_view names = word(rest);
      for (;;) {
        const auto comma = names.find(',');
        const auto state = device::screen::state_named(names.substr(0, comma));
        if (!state) return wants("`wait` wants a screen, e.g. `wait ready` or `wait ready,card`");
        step.states.push_back(*state);
        if (comma == std::string_view::npos) break;
        names.remove_prefix(comma + 1);
      }
      step.seconds = kDefaultWaitS;
      if (rest.empty()) return {};
      const auto seconds = seconds_of(word(rest));
      if (!seconds) return wants("`wait SCREEN` may be followed by seconds only");
      step.seconds = *seconds;
      return nothing_left();
    }
    case StepKind::sleep:
    case StepKind::expect_spoken: {
      const auto seconds = seconds_of(word(rest));
      if (!seconds) return wants("seconds are wanted here");
      step.seconds = *seconds;
      return nothing_left();
    }
    case StepKind::press:
    case StepKind::release:
    case StepKind::tap: {
      const auto button = button_named(word(rest));
      if (!button) return wants("the buttons are talk, cancel, up and down");
      step.button = *button;
      return nothing_left();
    }
    case StepKind::text:
    case StepKind::wav:
    case StepKind::say:
    case StepKind::expect:
    case StepKind::console:
    case StepKind::screenshot:
    case StepKind::speaker:
      if (rest.empty()) return wants("something must follow here");
      step.text = rest;
      return {};
    case StepKind::sensor:
      step.name = word(rest);
      if (step.name.empty() || rest.empty()) return wants("`sensor` wants a name and a value");
      step.text = json_of(rest);
      return {};
    case StepKind::event:
    case StepKind::event_notify:
      step.name = word(rest);
      if (step.name.empty()) return wants("`event` wants a name");
      if (!rest.empty() && !protocol::check_json(rest)) return wants("the data is no JSON");
      step.text = rest;
      return {};
    case StepKind::link_down:
    case StepKind::link_up: {
      const auto which = word(rest);
      if (which != "down" && which != "up") return wants("`link down` or `link up`");
      step.kind = which == "down" ? StepKind::link_down : StepKind::link_up;
      return nothing_left();
    }
    case StepKind::power_cut:
      if (word(rest) != "cut") return wants("`power cut`");
      return nothing_left();
    case StepKind::answer_reenrol: {
      const auto answer = word(rest);
      if (answer != "yes" && answer != "no") return wants("`answer-reenrol yes` or `no`");
      step.yes = answer == "yes";
      return nothing_left();
    }
    case StepKind::drain:
    case StepKind::quit: return nothing_left();
  }
  return {};
}

}  // namespace

std::string json_of(std::string_view value) {
  const auto token = protocol::check_json(value);
  if (token && *token != protocol::Token::begin_array && *token != protocol::Token::begin_object) {
    return std::string{value};
  }
  std::string room(6 * value.size() + 2, '\0');  // every byte as \u00XX, and the quotes
  protocol::JsonWriter writer{room};
  writer.string(value);
  return std::string{writer.finish().value_or("\"\"")};
}

Result<std::vector<Step>> parse_script(std::string_view text) {
  std::vector<Step> steps;
  int line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    std::string_view rest = trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (rest.empty() || rest[0] == '#') continue;
    const std::string prefix = "line " + std::to_string(line) + ": ";
    const auto first = word(rest);
    const auto found = words().find(first);
    if (found == words().end()) {
      return fail(FailureCode::invalid_argument,
                  prefix + "there is no step \"" + std::string{first} + "\"",
                  "the steps are in `hermes-gadget sim --help`");
    }
    Step step;
    step.kind = found->second;
    step.line = line;
    if (const auto read = read_arguments(step, rest); !read) {
      return fail(FailureCode::invalid_argument, prefix + read.error().text);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace gadget::ports::desktop
