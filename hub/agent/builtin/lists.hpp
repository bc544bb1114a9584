// lists.hpp - the shopping, to-do and other lists of each device, stored through AgentHost as JSON
// with a version. One owner: the loop of the agent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hub/agent/agent.hpp"

namespace gadget::hub::builtin {

// Of one device, in all lists together; with items of 120 bytes they fit into one stored value (64
// KiB) even when every byte is escaped.
inline constexpr std::size_t kMaxItems = 240;
inline constexpr std::size_t kMaxLists = 20;

struct List {
  std::string name;  // "shopping", "to-do", "packing"
  std::vector<std::string> items;
};

class Lists {
 public:
  explicit Lists(AgentHost& host) : host_(host) {}

  [[nodiscard]] const std::vector<List>& of(const DeviceId& id);
  [[nodiscard]] List get(const DeviceId& id, std::string_view name);  // empty when there is none
  enum class Problem : std::uint8_t { none, full, not_saved, newer };
  [[nodiscard]] Problem put(const DeviceId& id, List list);  // replaces the list of this name
  void forget(const DeviceId& id);

 private:
  struct Device {
    std::vector<List> lists;
    bool newer = false;
  };
  Device& load(const DeviceId& id);

  AgentHost& host_;
  std::map<DeviceId, Device> devices_;
};

}  // namespace gadget::hub::builtin
