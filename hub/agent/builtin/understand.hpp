// understand.hpp - what a sentence asks for: a pure function from words and context to an intent.
//
// No machine learning: templates over normalised words (rules_en.cpp), and rules for what depends
// on the device (actions, sensors). A sentence is understood as a whole or not at all, so that talk
// that merely mentions a timer starts none. Deterministic; bounded for hostile input; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hub/agent/builtin/arithmetic.hpp"
#include "hub/agent/builtin/time_phrases.hpp"
#include "hub/agent/builtin/units.hpp"

namespace gadget::hub::builtin {

// What an action's parameter takes, read from its JSON Schema.
struct Param {
  enum class Kind : std::uint8_t { choice, number, boolean, other };
  std::string name;
  Kind kind = Kind::other;
  bool required = false;
  bool integer = false;
  std::vector<std::string> choices;  // choice: as they are sent
  bool numeric_choices = false;      // ... as JSON numbers
  std::optional<double> minimum, maximum;
};

struct ActionShape {
  std::string name;
  std::string description;
  std::vector<Param> params;
};

// From ActionInfo. A schema that cannot be read counts as one without parameters.
[[nodiscard]] ActionShape action_shape(std::string_view name, std::string_view description,
                                       std::string_view params_json);

// What was asked last and still lacks something: the next message may be just that.
enum class Pending : std::uint8_t {
  none,
  timer_duration,
  alarm_time,
  reminder_text,
  reminder_time,
  list_items,
  action_value
};

struct Context {
  std::vector<ActionShape> actions;
  std::string device_name;              // "Kitchen": often the room that it stands in
  std::vector<std::string> sensors;     // names, as the device gives them
  std::vector<std::string> list_items;  // all that stand on any list of the device
  Pending pending = Pending::none;
  std::string last_action;  // what "it" is in "turn it off"
  bool list_talk = false;   // the conversation was about a list: "add butter" is enough
  // Numbers that are known: of sensors by name, of action parameters by "action.param".
  std::map<std::string, double, std::less<>> numbers;
};

struct ActionMatch {
  enum class Problem : std::uint8_t { none, missing, out_of_range, unknown_level };
  std::string action;
  std::string args_json = "{}";
  std::string subject;  // "light", "fan speed"
  std::string value;    // "red", "40", "on"; empty for an action without parameters
  Problem problem = Problem::none;
  std::string param;                                   // the one that is missing or out of range
  std::map<std::string, double, std::less<>> numbers;  // what it sets, for Context::numbers
};

struct Intent {
  std::string name = "unknown";
  std::map<std::string, std::string, std::less<>> slots;  // canonical text, for tests and logs

  When when;
  std::optional<DaySpec> day;
  std::optional<double> seconds;
  std::vector<std::string> items;
  std::optional<Sum> sum;
  std::optional<Quantity> from;
  const Unit* to = nullptr;
  std::optional<ActionMatch> action;
  std::vector<std::string> sensors;

  [[nodiscard]] std::string slot(std::string_view key) const;
};

[[nodiscard]] Intent understand(std::string_view text, const Context& context);

// ---- The parts, for their own tests ----

struct Rule {
  std::string_view intent;
  std::string_view pattern;
};
[[nodiscard]] std::span<const Rule> rules();  // in the order in which they are tried

[[nodiscard]] std::optional<ActionMatch> match_action(std::span<const Token> tokens,
                                                      const Context& context);
// The sensors that `what` ("temperature", "warm", "battery level") means. An empty list: a kind
// that people ask for and this device lacks. Nothing: no sensor talk at all.
[[nodiscard]] std::optional<std::vector<std::string>> match_sensors(std::string_view what,
                                                                    const Context& context);
// "temperature_c" -> {"temperature", "degrees Celsius"}
struct SensorName {
  std::string spoken;
  std::string unit;
};
[[nodiscard]] SensorName sensor_name(std::string_view name);

// Items of "milk, eggs and two loaves of bread".
[[nodiscard]] std::vector<std::string> split_items(const Utterance& said, std::size_t first,
                                                   std::size_t last);
// "grocery" and "groceries" are the shopping list, "task" and "todo" the to-do list.
[[nodiscard]] std::string list_name(std::string_view words);
// Whether an item on a list is what the person means by `said` ("milk": "2 litres of milk").
[[nodiscard]] bool same_item(std::string_view item, std::string_view said);

}  // namespace gadget::hub::builtin
