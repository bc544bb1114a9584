#include "device/core/telemetry.hpp"

#include <algorithm>

#include "protocol/json_reader.hpp"

namespace gadget::device {

Telemetry::Entry* Telemetry::entry(std::string_view name) {
  Entry* free = nullptr;
  for (auto& candidate : entries_) {
    if (candidate.name.is(name)) return &candidate;
    if (free == nullptr && candidate.name.empty()) free = &candidate;
  }
  return free;
}

bool Telemetry::set(std::string_view name, std::string_view json) {
  if (name.empty() || name.size() > kSensorNameBytes || json.size() > kSensorValueBytes) {
    return false;
  }
  const auto token = protocol::check_json(json);
  if (!token || *token == protocol::Token::begin_object || *token == protocol::Token::begin_array) {
    return false;
  }
  Entry* const found = entry(name);
  const bool removes = *token == protocol::Token::null;
  if (found == nullptr) return removes;
  const bool is_new = found->name.empty();
  if (is_new && removes) return true;
  if (!is_new && found->value.view() == (removes ? std::string_view{} : json)) return true;
  found->name.set(name);
  found->value.set(removes ? std::string_view{} : json);
  found->changed = true;
  return true;
}

void Telemetry::write_all(protocol::JsonWriter& out) const {
  out.begin_object();
  for (const auto& one : entries_) {
    if (!one.name.empty() && !one.value.empty()) out.key(one.name.view()).raw(one.value.view());
  }
  out.end_object();
}

void Telemetry::told_all(Ticks now) { told(Due::everything, now); }

Telemetry::Due Telemetry::due(Ticks now) const {
  if (empty() || now - last_sent_ < kSensorChangeMs) return Due::nothing;
  if (now - last_everything_ >= kSensorRepeatMs) return Due::everything;
  for (const auto& one : entries_) {
    if (one.changed) return Due::changes;
  }
  return Due::nothing;
}

void Telemetry::write(Due due, protocol::JsonWriter& out) const {
  out.begin_object();
  for (const auto& one : entries_) {
    if (one.name.empty() || (due == Due::changes && !one.changed)) continue;
    out.key(one.name.view()).raw(one.value.empty() ? std::string_view{"null"} : one.value.view());
  }
  out.end_object();
}

void Telemetry::told(Due due, Ticks now) {
  for (auto& one : entries_) {
    one.changed = false;
    if (one.value.empty()) one.name.clear();  // the hub knows that it is gone
  }
  last_sent_ = now;
  if (due == Due::everything) last_everything_ = now;
}

bool Telemetry::empty() const {
  for (const auto& one : entries_) {
    if (!one.name.empty()) return false;
  }
  return true;
}

}  // namespace gadget::device
