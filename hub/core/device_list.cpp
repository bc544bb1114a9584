// Who is there: all devices, a page of them, one of them, or the one of a name.
#include <algorithm>
#include <unordered_set>

#include "hub/core/hub_core.hpp"
#include "hub/core/limits.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kOwnerNameKey = "hub.name";
constexpr std::string_view kZoneKey = "hub.timezone";
constexpr std::string_view kSeeDevices = "see: hermes-gadget devices";

tl::unexpected<Failure> unknown(const DeviceId& device) {
  return fail(FailureCode::not_found, "no device " + std::string(device.text()),
              std::string(kSeeDevices));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Without case in ASCII.
bool has(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

bool is_wanted(const DeviceStatus& status, const DeviceQuery& query) {
  if (query.online_only && !status.online) return false;
  const DeviceRecord& record = status.record;
  return query.text.empty() || has(record.id.text(), query.text) || has(record.name, query.text) ||
         has(record.board, query.text) || has(record.firmware, query.text);
}

}  // namespace

DeviceStatus HubCore::status_of(DeviceRecord record) {
  DeviceStatus status;
  status.paired = record.approved;
  status.address = record.address;
  status.timezone = context_.zones.of(record.id);
  if (const Twin* const twin = known_twin(record.id)) {
    status.online = twin->online();
    status.sensors = twin->sensors();
    status.actions = twin->manifest();
    status.recent_events = {twin->recent_events().begin(), twin->recent_events().end()};
    status.events = twin->events_counted();
  }
  status.record = std::move(record);
  return status;
}

Result<std::vector<DeviceStatus>> HubCore::devices() {
  auto records = context_.parts.store->devices();
  if (!records) return tl::unexpected(std::move(records.error()));
  auto named = context_.parts.store->devices_with_value(kOwnerNameKey);
  if (!named) return tl::unexpected(std::move(named.error()));
  const std::unordered_set<DeviceId, HashId> renamed(named->begin(), named->end());
  std::vector<DeviceStatus> list;
  list.reserve(records->size());
  for (DeviceRecord& record : *records) {
    if (renamed.contains(record.id)) {
      const auto name = context_.parts.store->value(record.id, kOwnerNameKey);
      if (name && *name) record.name = **name;
    }
    list.push_back(status_of(std::move(record)));
  }
  return list;
}

Result<DevicePage> HubCore::devices(const DeviceQuery& query) {
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, limits::kDevicePage);
  // A page in which a filter leaves little is looked through all the same, and no further.
  const bool filtered = query.online_only || !query.text.empty();
  const std::size_t looked_at = filtered ? limits::kDevicePage : limit;
  auto records = context_.parts.store->devices_after(query.after, looked_at, kOwnerNameKey);
  if (!records) return tl::unexpected(std::move(records.error()));
  DevicePage page;
  for (DeviceRecord& record : *records) {
    const DeviceId id = record.id;
    DeviceStatus status = status_of(std::move(record));
    if (!is_wanted(status, query)) continue;
    page.rows.push_back(std::move(status));
    if (page.rows.size() < limit) continue;
    page.next = id;
    return page;
  }
  if (records->size() == looked_at) page.next = records->back().id;
  return page;
}

Result<DeviceStatus> HubCore::device(const DeviceId& device) {
  auto record = context_.parts.store->device(device);
  if (!record) return tl::unexpected(std::move(record.error()));
  if (!*record) return unknown(device);
  auto name = context_.parts.store->value(device, kOwnerNameKey);
  if (name && *name) (*record)->name = std::move(**name);
  return status_of(std::move(**record));
}

Result<DeviceId> HubCore::find(std::string_view id_or_name) {
  if (const auto id = DeviceId::parse(id_or_name)) {
    const auto record = context_.parts.store->device(*id);
    if (!record) return tl::unexpected(record.error());
    if (!*record) return unknown(*id);
    return *id;
  }
  const auto found = context_.parts.store->devices_named(id_or_name, kOwnerNameKey);
  if (!found) return tl::unexpected(found.error());
  if (found->size() > 1) {
    return fail(FailureCode::invalid_argument, "several devices have that name: give the id",
                std::string(kSeeDevices));
  }
  if (found->size() == 1) return found->front();
  return fail(FailureCode::not_found, "no device of that name", std::string(kSeeDevices));
}

// ---- Where they are ----

void HubCore::load_zones() {
  const auto devices = context_.parts.store->devices_with_value(kZoneKey);
  if (!devices) return;
  for (const DeviceId& device : *devices) {
    auto zone = context_.parts.store->value(device, kZoneKey);
    if (zone && *zone) context_.zones.set(device, std::move(**zone));
  }
}

Result<void> HubCore::set_timezone(const DeviceId& device, std::string_view zone) {
  const auto record = context_.parts.store->device(device);
  if (!record) return tl::unexpected(record.error());
  if (!*record) return unknown(device);
  const auto& is_zone = context_.environment.is_zone;
  const std::string name = one_line(zone, protocol::kMaxNameCodePoints);
  if (!name.empty() && is_zone && !is_zone(name)) {
    return fail(FailureCode::invalid_argument, "there is no time zone \"" + name + "\"",
                "it is a name such as Europe/Berlin");
  }
  auto stored = name.empty() ? context_.parts.store->drop_value(device, kZoneKey)
                             : context_.parts.store->put_value(device, kZoneKey, name);
  if (!stored) return stored;
  context_.zones.set(device, name);
  context_.changed(device);
  return {};
}

}  // namespace gadget::hub
