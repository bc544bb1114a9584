#include "hub/agent/builtin/schedule.hpp"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>

namespace gadget::hub::builtin {
namespace {

namespace json = boost::json;

constexpr std::string_view kKey = "schedule";
constexpr std::int64_t kVersion = 1;

constexpr std::string_view kKinds[] = {"timer", "alarm", "reminder"};

std::int64_t integer(const json::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  return v != nullptr && v->is_int64() ? v->get_int64() : 0;
}

std::string string(const json::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string{};
}

}  // namespace

Schedule::Schedule(AgentHost& host, Due due, Missed missed)
    : host_(host), due_(std::move(due)), missed_(std::move(missed)) {}

Schedule::~Schedule() {
  for (auto& [id, device] : devices_) {
    for (auto& armed : device.armed) disarm(armed);
  }
}

void Schedule::restore_all() {
  for (const auto& id : host_.devices_with(kKey)) restore(id);
}

void Schedule::restore(const DeviceId& id) {
  if (devices_.contains(id)) return;
  auto& device = devices_[id];
  const auto stored = host_.recall(id, kKey);
  if (!stored) return;
  from_json(*stored, device);
  if (device.newer) return;

  const auto wall = host_.wall_now_ms();
  const auto now = host_.now_ms();
  const auto zone = host_.timezone(id);
  std::vector<Entry> missed;
  std::vector<Armed> alive;
  for (auto& armed : device.armed) {
    auto& entry = armed.entry;
    // The owner may have moved the device to another zone meanwhile.
    if (!entry.relative) entry.due_wall_ms = wall_time(entry.date, entry.hour, entry.minute, zone);
    entry.due_ms = now + (entry.due_wall_ms - wall);
    if (entry.due_wall_ms <= wall) {
      missed.push_back(entry);
      if (entry.repeat == 0) continue;
      const auto next = next_repeat(entry.repeat, entry.hour, entry.minute, wall, zone);
      entry.date = next.date;
      entry.due_wall_ms = next.wall_ms;
    }
    alive.push_back(std::move(armed));
  }
  device.armed = std::move(alive);
  for (auto& armed : device.armed) arm(id, armed);
  if (missed.empty()) return;
  (void)save(id,
             device);  // when this fails they are told again at the next start: late, but not lost
  missed_(id, missed);
}

std::vector<Entry> Schedule::entries(const DeviceId& id, Entry::Kind kind) {
  restore(id);
  std::vector<Entry> out;
  for (const auto& armed : devices_[id].armed) {
    if (armed.entry.kind == kind) out.push_back(armed.entry);
  }
  std::stable_sort(out.begin(), out.end(),
                   [this](const Entry& a, const Entry& b) { return left_s(a) < left_s(b); });
  return out;
}

SetProblem Schedule::add(const DeviceId& id, Entry& entry) {
  restore(id);
  auto& device = devices_[id];
  if (device.newer) return SetProblem::newer;
  if (device.armed.size() >= kMaxEntries) return SetProblem::full;
  entry.id = device.next_id++;
  entry.text = cut_text(entry.text, kMaxTextBytes);
  if (entry.relative) {
    entry.due_ms = host_.now_ms() + entry.length_s * 1000;
    entry.due_wall_ms = host_.wall_now_ms() + entry.length_s * 1000;
  }
  device.armed.push_back({entry, 0});
  if (const auto problem = save(id, device); problem != SetProblem::none) {
    device.armed.pop_back();
    return problem;
  }
  arm(id, device.armed.back());
  return SetProblem::none;
}

SetProblem Schedule::remove(const DeviceId& id, const std::vector<std::uint64_t>& ids) {
  restore(id);
  auto& device = devices_[id];
  if (device.newer) return SetProblem::newer;
  const auto gone = [&](const Armed& a) {
    return std::find(ids.begin(), ids.end(), a.entry.id) != ids.end();
  };
  Device after = device;
  std::erase_if(after.armed, gone);
  if (const auto problem = save(id, after); problem != SetProblem::none) return problem;
  for (auto& armed : device.armed) {
    if (gone(armed)) disarm(armed);
  }
  device = std::move(after);
  return SetProblem::none;
}

SetProblem Schedule::extend(const DeviceId& id, std::uint64_t entry, std::int64_t seconds) {
  restore(id);
  auto& device = devices_[id];
  for (auto& armed : device.armed) {
    if (armed.entry.id != entry) continue;
    const auto before = armed.entry;
    armed.entry.due_ms += seconds * 1000;
    armed.entry.due_wall_ms += seconds * 1000;
    armed.entry.length_s += seconds;
    if (const auto problem = save(id, device); problem != SetProblem::none) {
      armed.entry = before;
      return problem;
    }
    disarm(armed);
    arm(id, armed);
    return SetProblem::none;
  }
  return SetProblem::none;
}

void Schedule::forget(const DeviceId& id) {
  const auto found = devices_.find(id);
  if (found != devices_.end()) {
    for (auto& armed : found->second.armed) disarm(armed);
    devices_.erase(found);
  }
  (void)host_.erase(id, kKey);
}

std::int64_t Schedule::left_s(const Entry& entry) const {
  const auto left =
      entry.relative ? entry.due_ms - host_.now_ms() : entry.due_wall_ms - host_.wall_now_ms();
  return left <= 0 ? 0 : (left + 999) / 1000;
}

void Schedule::arm(const DeviceId& id, Armed& armed) {
  const auto entry = armed.entry.id;
  auto call = [this, id, entry] { on_due(id, entry); };
  armed.timer = armed.entry.relative ? host_.at(armed.entry.due_ms, std::move(call))
                                     : host_.at_wall(armed.entry.due_wall_ms, std::move(call));
}

void Schedule::disarm(Armed& armed) {
  if (armed.timer != 0) host_.cancel(std::exchange(armed.timer, 0));
}

void Schedule::on_due(const DeviceId& id, std::uint64_t entry) {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  auto& armed = found->second.armed;
  const auto it =
      std::find_if(armed.begin(), armed.end(), [&](const Armed& a) { return a.entry.id == entry; });
  if (it == armed.end()) return;
  it->timer = 0;
  const auto due = it->entry;
  if (due.repeat != 0) {
    const auto after = std::max(host_.wall_now_ms(), due.due_wall_ms);
    const auto next = next_repeat(due.repeat, due.hour, due.minute, after, host_.timezone(id));
    it->entry.date = next.date;
    it->entry.due_wall_ms = next.wall_ms;
    arm(id, *it);
  } else {
    armed.erase(it);
  }
  (void)save(id, found->second);  // at worst it is told once more after a restart
  due_(id, due);
}

SetProblem Schedule::save(const DeviceId& id, const Device& device) {
  if (device.armed.empty()) {
    return host_.erase(id, kKey) ? SetProblem::none : SetProblem::not_saved;
  }
  return host_.remember(id, kKey, to_json(device)) ? SetProblem::none : SetProblem::not_saved;
}

std::string Schedule::to_json(const Device& device) {
  json::array entries;
  for (const auto& armed : device.armed) {
    const auto& e = armed.entry;
    json::object o{
        {"id", e.id}, {"kind", kKinds[static_cast<std::size_t>(e.kind)]}, {"due", e.due_wall_ms}};
    if (!e.text.empty()) o["text"] = e.text;
    if (e.relative) {
      o["length_s"] = e.length_s;
    } else {
      o["date"] = day_count(e.date);
      o["minute"] = e.hour * 60 + e.minute;
      if (e.repeat != 0) o["repeat"] = e.repeat;
    }
    entries.push_back(std::move(o));
  }
  return json::serialize(
      json::object{{"version", kVersion}, {"next_id", device.next_id}, {"entries", entries}});
}

void Schedule::from_json(const std::string& text, Device& device) {
  boost::system::error_code error;
  const auto value = json::parse(text, error);
  if (error || !value.is_object()) return;
  const auto& o = value.get_object();
  if (integer(o, "version") > kVersion) {
    device.newer = true;
    return;
  }
  const auto* entries = o.if_contains("entries");
  if (entries == nullptr || !entries->is_array()) return;
  for (const auto& item : entries->get_array()) {
    if (!item.is_object() || device.armed.size() >= kMaxEntries) continue;
    const auto& i = item.get_object();
    Entry e;
    e.id = static_cast<std::uint64_t>(integer(i, "id"));
    const auto kind = string(i, "kind");
    e.kind = kind == kKinds[1]   ? Entry::Kind::alarm
             : kind == kKinds[2] ? Entry::Kind::reminder
                                 : Entry::Kind::timer;
    e.text = cut_text(string(i, "text"), kMaxTextBytes);
    e.due_wall_ms = integer(i, "due");
    e.relative = i.contains("length_s");
    e.length_s = integer(i, "length_s");
    // 1970 to 2500: beyond, the calendar's sums would not mean anything.
    e.date = date_of(std::clamp<std::int64_t>(integer(i, "date"), 0, 193'000));
    const auto minute = std::clamp<std::int64_t>(integer(i, "minute"), 0, 1439);
    e.hour = static_cast<int>(minute / 60);
    e.minute = static_cast<int>(minute % 60);
    e.repeat = static_cast<Repeat>(integer(i, "repeat") & kDaily);
    device.next_id = std::max(device.next_id, e.id + 1);
    device.armed.push_back({e, 0});
  }
  device.next_id = std::max(
      device.next_id, static_cast<std::uint64_t>(std::max<std::int64_t>(1, integer(o, "next_id"))));
}

}  // namespace gadget::hub::builtin
