// What a device does, measures and tells.
#include <boost/json.hpp>

#include "hub/agent/builtin/answers.hpp"
#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/strings.hpp"

namespace gadget::hub::builtin {
namespace {

namespace json = boost::json;

// Sensors are sent at least every 5 minutes (E39); an older reading is told with its age.
constexpr Millis kFreshMs = 600'000;
// What is read out of an event's data or an action's result.
constexpr std::size_t kMaxDataBytes = 200;
constexpr std::size_t kMaxDataFields = 6;

std::string value_text(const json::value& v) {
  if (v.is_string()) return cut_text(std::string(v.get_string()), kMaxDataBytes);
  if (v.is_bool()) return say(v.get_bool() ? Say::sensor_yes : Say::sensor_no);
  if (v.is_number()) return speak_number(v.to_number<double>());
  return {};
}

json::value parsed(std::string_view text) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  return error ? json::value{} : value;
}

// "door_opened" as people say it.
std::string words(std::string_view name) {
  std::string out;
  for (const auto& w : plain_words(name)) out += (out.empty() ? "" : " ") + w;
  return out.empty() ? std::string(name) : out;
}

std::string reading_text(const SensorName& name, const SensorReading& reading) {
  const auto value = parsed(reading.json);
  auto text = value_text(value);
  if (value.is_number() && !name.unit.empty()) text += " " + name.unit;
  return text;
}

}  // namespace

Answer answer_sensor(const DeviceView& device, const Intent& intent, Millis wall_now_ms) {
  if (device.sensors.empty()) return {say(Say::sensor_none)};
  std::vector<std::string> names;
  std::string card;
  for (const auto& [key, reading] : device.sensors) {
    const auto name = sensor_name(key);
    names.push_back(name.spoken);
    card += (card.empty() ? "" : "\n") + capital(name.spoken) + ": " + reading_text(name, reading);
  }
  std::vector<std::string> said;
  for (const auto& [key, reading] : device.sensors) {
    const bool wanted =
        intent.name == "sensors" ||
        std::find(intent.sensors.begin(), intent.sensors.end(), key) != intent.sensors.end();
    if (!wanted) continue;
    const auto name = sensor_name(key);
    const auto text = reading_text(name, reading);
    const auto age = wall_now_ms - reading.wall_ms;
    said.push_back(
        reading.wall_ms > 0 && age > kFreshMs
            ? capital(say(Say::sensor_old, {speak_duration(age / 1000), name.spoken, text}))
            : say(Say::sensor_is, {name.spoken, text}));
  }
  if (said.empty()) return {say(Say::sensor_missing, {speak_list(names)})};
  std::string text;
  for (const auto& one : said) text += (text.empty() ? "" : " ") + one;
  if (intent.name == "sensors") return {text, say(Say::sensor_title), card};
  return {text};
}

Answer answer_event(const AgentRequest& request) {
  const auto name = capital(words(cut_text(request.event_name, 64)));
  const auto data = parsed(request.text);
  std::vector<std::string> parts;
  if (const auto* o = data.if_object()) {
    for (const auto& [key, value] : *o) {
      const auto text = value_text(value);
      if (!text.empty() && parts.size() < kMaxDataFields) parts.push_back(words(key) + " " + text);
    }
  } else if (const auto text = value_text(data); !text.empty()) {
    parts.push_back(text);
  }
  if (parts.empty()) return {say(Say::event, {name}), name, say(Say::event, {name})};
  const auto text = cut_text(speak_list(parts), kMaxDataBytes);
  return {say(Say::event_data, {name, text}), name, text};
}

Answer answer_action(const ActionMatch& match, const Result<std::string>& result) {
  if (!result) return {say(Say::action_failed, {cut_text(result.error().text, kMaxDataBytes)})};
  const auto value = parsed(*result);
  // A device that has something to say is quoted; "ok" and echoes of the value are not worth it.
  if (const auto* o = value.if_object()) {
    for (const auto key : {"message", "text"}) {
      const auto* v = o->if_contains(key);
      if (v != nullptr && v->is_string() && !v->get_string().empty()) return {value_text(*v)};
    }
  }
  if (match.value.empty()) return {say(Say::action_done)};
  return {say(Say::action_is, {match.subject, match.value})};
}

Answer answer_action_problem(const ActionMatch& match, const ActionShape& shape) {
  const Param* param = nullptr;
  for (const auto& p : shape.params) {
    if (p.name == match.param) param = &p;
  }
  if (param == nullptr) return {say(Say::action_which_level, {match.subject})};
  if (match.problem == ActionMatch::Problem::out_of_range) {
    return {say(Say::action_range, {match.subject, speak_number(param->minimum.value_or(0)),
                                    speak_number(param->maximum.value_or(kMaxResult))})};
  }
  if (match.problem == ActionMatch::Problem::unknown_level) {
    const double middle = (param->minimum.value_or(0) + param->maximum.value_or(100)) / 2;
    return {say(Say::action_level,
                {match.subject, speak_number(param->integer ? double(int(middle)) : middle)})};
  }
  if (param->kind == Param::Kind::boolean) return {say(Say::action_on_off, {match.subject})};
  if (param->kind == Param::Kind::choice) {
    return {say(Say::action_which, {match.subject, speak_list(param->choices)})};
  }
  return {say(Say::action_which_level, {match.subject})};
}

}  // namespace gadget::hub::builtin
