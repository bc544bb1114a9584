#include "hub/owner/rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "hub/owner/json_text.hpp"
#include "hub/owner/owner_api.hpp"

namespace gadget::hub {
namespace {

namespace json = boost::json;

tl::unexpected<Failure> wrong(std::string_view key, std::string_view what) {
  return fail(FailureCode::invalid_argument, std::string(key) + " " + std::string(what));
}

// What a device said stays what it said, also where it is no JSON that we would write.
json::value parsed(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value(json::string(text)) : value;
}

}  // namespace

std::string iso_time(Millis wall_ms) {
  if (wall_ms == 0) return {};
  const std::time_t seconds = static_cast<std::time_t>(wall_ms / 1000);
  std::tm parts{};
  std::array<char, 32> out{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  const std::size_t size = std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {out.data(), size};
}

Result<Fields> Fields::parse(std::string_view body) {
  if (body.empty()) return Fields(json::object{});
  json::parse_options options;
  options.max_depth = kMaxOwnerJsonDepth;
  boost::system::error_code error;
  json::value value = json::parse(body, error, {}, options);
  if (error || !value.is_object()) {
    return fail(FailureCode::invalid_argument, "the request is no JSON object");
  }
  return Fields(std::move(value.get_object()));
}

namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return out;
}

}  // namespace

Result<Fields> Fields::parse_query(std::string_view query,
                                   std::initializer_list<std::string_view> numbers) {
  json::object object;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto key = percent_decoded(pair.substr(0, equals));
    const auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) return wrong(pair, "is not percent-encoded");
    if (std::find(numbers.begin(), numbers.end(), *key) == numbers.end()) {
      object[*key] = *value;
      continue;
    }
    double number = 0;
    const auto parsed_to = std::from_chars(value->data(), value->data() + value->size(), number);
    if (parsed_to.ec != std::errc{} || parsed_to.ptr != value->data() + value->size()) {
      return wrong(*key, "is not a number");
    }
    object[*key] = number;
  }
  return Fields(std::move(object));
}

Result<std::string> Fields::text(std::string_view key) const {
  const json::value* value = object_.if_contains(key);
  if (value == nullptr) return wrong(key, "is missing");
  if (!value->is_string()) return wrong(key, "is not a text");
  return std::string(value->get_string());
}

Result<std::string> Fields::text_or(std::string_view key, std::string_view absent) const {
  if (!object_.contains(key)) return std::string(absent);
  return text(key);
}

Result<double> Fields::number(std::string_view key) const {
  const json::value* value = object_.if_contains(key);
  if (value == nullptr) return wrong(key, "is missing");
  boost::system::error_code error;
  const auto number = value->to_number<double>(error);
  if (error || !std::isfinite(number)) return wrong(key, "is not a number");
  return number;
}

Result<Millis> Fields::milliseconds_or(std::string_view key, Millis absent) const {
  if (!object_.contains(key)) return absent;
  auto seconds = number(key);
  if (!seconds) return tl::unexpected(std::move(seconds.error()));
  constexpr double kMaxS = 1e9;  // far beyond every limit of the hub's own, which it applies
  if (*seconds < 0 || *seconds > kMaxS) return wrong(key, "is out of range");
  return static_cast<Millis>(std::llround(*seconds * 1000));
}

Result<bool> Fields::yes_or_no(std::string_view key) const {
  const auto said = text_or(key, "false");
  if (!said) return tl::unexpected(said.error());
  if (*said == "true" || *said == "false") return *said == "true";
  return wrong(key, "is true or false");
}

Result<std::int64_t> Fields::whole_or(std::string_view key, std::int64_t absent) const {
  if (!object_.contains(key)) return absent;
  constexpr std::int64_t kMost = 999'999'999;
  const auto said = text(key);
  if (!said) return tl::unexpected(said.error());
  const auto number = whole_number(*said);
  if (!number || *number > kMost) return wrong(key, "is a whole number");
  return *number;
}

Result<std::string> Fields::json_object_or(std::string_view key, std::string_view absent) const {
  const json::value* value = object_.if_contains(key);
  if (value == nullptr) return std::string(absent);
  if (value->is_object()) return json_text(*value);
  if (value->is_string()) {
    boost::system::error_code error;
    const json::value inner = json::parse(value->get_string(), error);
    if (!error && inner.is_object()) return std::string(value->get_string());
  }
  return wrong(key, "is no JSON object");
}

Result<DeviceId> Fields::device(Hub& hub) const {
  return text("device").and_then([&](const std::string& named) { return hub.find(named); });
}

json::object device_object(const DeviceId& id) { return {{"device", id.text()}}; }

json::object device_row(const DeviceStatus& device) {
  json::object sensors;
  for (const auto& [name, reading] : device.sensors) sensors[name] = parsed(reading.json);
  json::array actions;
  for (const ActionInfo& action : device.actions) {
    actions.push_back(json::object{{"name", action.name},
                                   {"description", action.description},
                                   {"params", parsed(action.params_json)}});
  }
  const DeviceRecord& record = device.record;
  return json::object{{"id", record.id.text()},
                      {"name", record.name},
                      {"board", record.board},
                      {"firmware", record.firmware},
                      {"paired", device.paired},
                      {"online", device.online},
                      {"enrolled_in_clear", record.enrolled_in_clear},
                      {"address", device.address.empty() ? record.address : device.address},
                      {"first_contact", iso_time(record.first_contact_wall_ms)},
                      {"last_contact", iso_time(record.last_contact_wall_ms)},
                      {"sensors", std::move(sensors)},
                      {"actions", std::move(actions)}};
}

json::object device_details(const DeviceStatus& device) {
  json::object row = device_row(device);
  json::object times;
  for (const auto& [name, reading] : device.sensors) times[name] = iso_time(reading.wall_ms);
  json::array events;
  for (const RecentEvent& event : device.recent_events) {
    events.push_back(json::object{{"time", iso_time(event.wall_ms)},
                                  {"name", event.name},
                                  {"data", parsed(event.data_json)},
                                  {"reached_agent", event.reached_agent}});
  }
  row["timezone"] = device.timezone;
  row["sensor_times"] = std::move(times);
  row["events"] = device.events;
  row["recent_events"] = std::move(events);
  return row;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || text.front() == '-' || read.ec != std::errc{} || read.ptr != end) {
    return std::nullopt;
  }
  return number;
}

Result<json::object> pairing_rows(Hub& hub) {
  json::array rows;
  for (const PendingDevice& device : hub.pending()) {
    rows.push_back(json::object{{"id", device.id.text()},
                                {"address", device.address},
                                {"first_contact", iso_time(device.first_contact_wall_ms)},
                                {"code", device.code},
                                {"connected", device.connected}});
  }
  return json::object{{"pending", std::move(rows)}};
}

tl::unexpected<Failure> no_such_call(std::string_view path) {
  return fail(FailureCode::not_found, "this hub knows no call " + std::string(path),
              "its owner API is version " + std::to_string(kOwnerApiVersion));
}

}  // namespace gadget::hub
