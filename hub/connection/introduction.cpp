#include "hub/connection/introduction.hpp"

#include <algorithm>
#include <unordered_map>

#include "hub/connection/encode.hpp"
#include "hub/schema/schema.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

// Longer tokens of numbers are no readings of this world; the reading is dropped.
constexpr std::size_t kMaxNumberChars = 40;

std::string decoded(protocol::RawString text) {
  if (text.raw.empty()) return {};
  std::string out(text.raw.size(), '\0');
  out.resize(text.decode(out).size());
  return out;
}

std::string quoted(std::string_view text) {
  std::vector<char> buffer(text.size() * 6 + 2);
  protocol::JsonWriter writer{buffer};
  writer.string(text);
  const auto json = writer.finish();
  return json ? std::string(*json) : std::string("\"\"");
}

std::string value_of(const protocol::Reading& reading) {
  if (reading.kind != protocol::Reading::Kind::text) return std::string(reading.value);
  const std::string text = decoded(protocol::RawString{reading.value});
  return quoted(one_line(text, protocol::kMaxSensorTextCodePoints));
}

// What check_schema() said of schemas that came before: a fleet of one firmware sends the same ones
// in every hello, and compiling one takes longer than all else of a hello. Of one loop's thread.
// Bounded: when it is full it begins anew, so a stranger's schemas cost time at most.
class SchemaVerdicts {
 public:
  // Why it cannot be used; empty: it can.
  [[nodiscard]] std::string problem_of(const std::string& schema) {
    if (const auto known = known_.find(schema); known != known_.end()) return known->second;
    const auto fits = check_schema(schema);
    std::string problem = fits ? std::string() : fits.error().text;
    if (schema.size() > kMostBytes) return problem;
    if (known_.size() >= kMostSchemas) known_.clear();
    return known_.emplace(schema, std::move(problem)).first->second;
  }

 private:
  static constexpr std::size_t kMostSchemas = 256;
  static constexpr std::size_t kMostBytes = 2'048;  // longer ones are rare: half a MiB in all
  std::unordered_map<std::string, std::string> known_;
};

// B-86: an action whose schema cannot be used is offered as one that takes anything.
std::vector<ActionInfo> manifest(protocol::Json actions, std::vector<std::string>& ignored) {
  thread_local SchemaVerdicts verdicts;
  std::vector<ActionInfo> list;
  protocol::ActionReader reader{actions};
  while (const auto action = reader.next()) {
    ActionInfo info;
    info.name = one_line(decoded(action->name), protocol::kMaxNameCodePoints);
    const auto same = [&](const ActionInfo& other) { return other.name == info.name; };
    if (std::any_of(list.begin(), list.end(), same)) continue;  // H6: the first counts
    info.description = one_line(decoded(action->description), protocol::kMaxActionsBytes);
    info.params_json = action->params.empty() ? "{}" : std::string(action->params.text);
    if (info.params_json != "{}") {
      if (const auto problem = verdicts.problem_of(info.params_json); !problem.empty()) {
        ignored.push_back(info.name + ": " + problem);
        info.params_json = "{}";
      }
    }
    list.push_back(std::move(info));
  }
  return list;
}

}  // namespace

std::size_t merge_sensors(protocol::Json readings, SensorMap& sensors, Millis wall_ms) {
  if (readings.empty()) return 0;
  std::size_t dropped = 0;
  protocol::ReadingReader reader{readings};
  while (const auto reading = reader.next()) {
    const std::string name = one_line(decoded(reading->name), protocol::kMaxNameCodePoints);
    const auto known = sensors.find(name);
    if (reading->kind == protocol::Reading::Kind::removed) {
      if (known != sensors.end()) sensors.erase(known);
      continue;
    }
    const bool number = reading->kind == protocol::Reading::Kind::number;
    if (number && reading->value.size() > kMaxNumberChars) continue;
    if (known == sensors.end() && sensors.size() >= protocol::kMaxSensors) {
      ++dropped;
      continue;
    }
    sensors[name] = SensorReading{value_of(*reading), wall_ms};
  }
  return dropped;
}

Result<Introduction> introduce(const protocol::Hello& hello, Millis wall_ms) {
  Introduction made;
  made.id = hello.device_id;
  made.name = one_line(hello.name, protocol::kMaxNameCodePoints);
  if (made.name.empty()) made.name = std::string(hello.device_id.text());
  made.board =
      hello.board.empty() ? "unknown" : one_line(hello.board, protocol::kMaxNameCodePoints);
  made.firmware = hello.firmware.empty()
                      ? "unknown"
                      : one_line(hello.firmware, protocol::kMaxFirmwareCodePoints);
  made.caps = hello.caps;
  if (!hello.actions.empty()) made.actions = manifest(hello.actions, made.ignored_schemas);
  if (merge_sensors(hello.sensors, made.sensors, wall_ms) > 0) {
    return fail(FailureCode::invalid_argument, "sensors has more than 64 readings");
  }
  made.nonce = std::string(hello.nonce);
  return made;
}

}  // namespace gadget::hub
