#include "hub/agent/builtin/lists.hpp"

#include <algorithm>

#include <boost/json.hpp>

namespace gadget::hub::builtin {
namespace {

namespace json = boost::json;

constexpr std::string_view kKey = "lists";
constexpr std::int64_t kVersion = 1;

}  // namespace

Lists::Device& Lists::load(const DeviceId& id) {
  const auto found = devices_.find(id);
  if (found != devices_.end()) return found->second;
  auto& device = devices_[id];
  const auto stored = host_.recall(id, kKey);
  if (!stored) return device;
  boost::system::error_code error;
  const auto value = json::parse(*stored, error);
  if (error || !value.is_object()) return device;
  const auto* version = value.get_object().if_contains("version");
  device.newer = version != nullptr && version->is_int64() && version->get_int64() > kVersion;
  const auto* lists = value.get_object().if_contains("lists");
  if (device.newer || lists == nullptr || !lists->is_array()) return device;
  for (const auto& item : lists->get_array()) {
    const auto* o = item.if_object();
    if (o == nullptr || device.lists.size() >= kMaxLists) continue;
    const auto* name = o->if_contains("name");
    const auto* items = o->if_contains("items");
    if (name == nullptr || !name->is_string() || items == nullptr || !items->is_array()) continue;
    List list{std::string(name->get_string()), {}};
    for (const auto& i : items->get_array()) {
      if (i.is_string() && list.items.size() < kMaxItems) list.items.emplace_back(i.get_string());
    }
    device.lists.push_back(std::move(list));
  }
  return device;
}

const std::vector<List>& Lists::of(const DeviceId& id) { return load(id).lists; }

List Lists::get(const DeviceId& id, std::string_view name) {
  for (const auto& list : load(id).lists) {
    if (list.name == name) return list;
  }
  return {std::string(name), {}};
}

Lists::Problem Lists::put(const DeviceId& id, List list) {
  auto& device = load(id);
  if (device.newer) return Problem::newer;
  auto after = device.lists;
  const auto same =
      std::find_if(after.begin(), after.end(), [&](const List& l) { return l.name == list.name; });
  if (same == after.end()) {
    after.push_back(std::move(list));
  } else {
    *same = std::move(list);
  }
  std::size_t items = 0;
  for (const auto& l : after) items += l.items.size();
  if (items > kMaxItems || after.size() > kMaxLists) return Problem::full;

  json::array all;
  for (const auto& l : after) {
    all.push_back(
        json::object{{"name", l.name}, {"items", json::array(l.items.begin(), l.items.end())}});
  }
  const auto text = json::serialize(json::object{{"version", kVersion}, {"lists", all}});
  if (!host_.remember(id, kKey, text)) return Problem::not_saved;
  device.lists = std::move(after);
  return Problem::none;
}

void Lists::forget(const DeviceId& id) {
  devices_.erase(id);
  (void)host_.erase(id, kKey);
}

}  // namespace gadget::hub::builtin
