// context.hpp - what every part of the hub's heart shares: options, the outside world, and the few
// services that they all need.
//
// One object, owned by the hub (hub_core.hpp); borrowed by all parts, which it outlives.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hub/core/counters.hpp"
#include "hub/core/device_zones.hpp"
#include "hub/core/hub.hpp"
#include "hub/core/scheduler.hpp"
#include "protocol/limits.hpp"

namespace gadget::hub {

class Updates;

class Context {
 public:
  Context(HubOptions options, Environment environment, Hub::Parts parts);
  ~Context() { end_burials(); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  HubOptions options;
  Environment environment;
  Hub::Parts parts;
  Scheduler scheduler;
  Counters counters;
  DeviceZones zones;
  Agent* agent = nullptr;      // set once by the hub, when it was made
  Updates* updates = nullptr;  // the same
  // Where messages are written before they are copied to a link: one for all, as nothing is written
  // twice at a time.
  std::array<char, protocol::kMaxMessageBytes + 1024> buffer{};

  // What pictures that wait for the worker count for, all devices together; shared with their jobs,
  // which may end after the hub.
  std::shared_ptr<std::size_t> picture_bytes = std::make_shared<std::size_t>(0);

  [[nodiscard]] Millis now() const { return environment.now_ms(); }
  [[nodiscard]] Millis wall() const { return environment.wall_now_ms(); }

  // Runs a job that takes long beside the loop; what it needs it owns, and it posts its result.
  void work(std::function<void()> job) const;

  // An id that is never used again, not by a later run of the hub either (E24, E25): a random part
  // of this run and a number. "q-5f0c92e1d3a4-17"
  [[nodiscard]] std::string fresh_id(std::string_view prefix);
  // Random hex digits.
  [[nodiscard]] std::string random_hex(std::size_t bytes) const;

  using Fields = std::vector<std::pair<std::string, std::string>>;
  void log(LogFact::Level level, std::string_view event, Fields fields) const;

  // What is shown of a device is another thing now.
  void changed(const DeviceId& device) const {
    if (parts.device_changed) parts.device_changed(device);
  }
  // The time zone that counts for a device.
  [[nodiscard]] std::string timezone(const DeviceId& device) const {
    std::string own = zones.of(device);
    return own.empty() ? options.timezone : own;
  }

  // Keeps an object until the loop has nothing of it on its stack: runs, sessions and twins end
  // inside calls that they made themselves.
  void bury(std::shared_ptr<void> object);
  // The hub goes: what is buried ends now, and what is buried later ends at once.
  void end_burials();

 private:
  std::string run_;
  std::uint64_t next_id_ = 1;
  std::shared_ptr<std::vector<std::shared_ptr<void>>> buried_;
};

}  // namespace gadget::hub
