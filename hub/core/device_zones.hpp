// device_zones.hpp - the time zones of devices that are not where their hub is (N2). Few have one.
//
// Any thread; kept in the store by who sets them.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "hub/agent/agent.hpp"

namespace gadget::hub {

class DeviceZones {
 public:
  void set(const DeviceId& device, std::string zone) {
    const std::lock_guard lock(mutex_);
    if (zone.empty()) {
      zones_.erase(device);
    } else {
      zones_[device] = std::move(zone);
    }
  }
  // Empty: it has none of its own.
  [[nodiscard]] std::string of(const DeviceId& device) const {
    const std::lock_guard lock(mutex_);
    const auto at = zones_.find(device);
    return at == zones_.end() ? std::string() : at->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<DeviceId, std::string> zones_;
};

}  // namespace gadget::hub
