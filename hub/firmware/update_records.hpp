// update_records.hpp - what the store keeps of firmware updates, so that they go on after the hub
// was restarted. Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "hub/firmware/update_phase.hpp"
#include "protocol/identity.hpp"

namespace gadget::hub {

// The newest update of one device. Times are Unix milliseconds.
struct UpdateRecord {
  protocol::DeviceId device;
  std::string image;    // SHA-256, lowercase hex
  std::string version;  // as it is offered
  // The image says its version itself. If not (an image of another kind, forced), a later hello
  // cannot have it.
  bool version_known = true;
  std::string previous;  // what the device reported when it was offered last
  std::int64_t size_bytes = 0;
  UpdatePhase phase = UpdatePhase::waiting;
  std::int64_t tries = 0;
  bool forced = false;
  bool fleet = false;  // part of the fleet's update
  std::int64_t started_wall_ms = 0;
  std::int64_t due_wall_ms = 0;  // waiting: not before; restarting: a hello until then
  std::string code, message;     // what went wrong last: the device's code, or ours
};

enum class FleetStage : std::uint8_t { canary, rolling, finished, halted, cancelled };
[[nodiscard]] constexpr std::string_view name(FleetStage stage) {
  constexpr std::string_view kNames[] = {"canary", "rolling", "finished", "halted", "cancelled"};
  return kNames[static_cast<std::size_t>(stage)];
}

// The newest update of many devices.
struct FleetRecord {
  std::string image, version, board;
  FleetStage stage = FleetStage::canary;
  std::int64_t batch = 0;                // at most so many at a time
  std::int64_t stop_after_failures = 0;  // so many failures halt it
  bool forced = false;
  std::int64_t total = 0, installed = 0, failed = 0;
  std::int64_t started_wall_ms = 0;
  std::string reason;  // why it was halted
};

}  // namespace gadget::hub
