// introduction.hpp - what a device said about itself in `hello`, kept until it has proved who it
// is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"
#include "protocol/codec.hpp"

namespace gadget::hub {

using SensorMap = std::map<std::string, SensorReading>;

struct Introduction {
  DeviceId id;
  std::string name, board, firmware;  // cleaned and cut (E6); the name is the id when it gave none
  protocol::Caps caps;
  std::vector<ActionInfo> actions;
  std::vector<std::string> ignored_schemas;  // of actions, and why, for the log (B-86)
  SensorMap sensors;
  std::string nonce;  // N1: for the hub's proof; empty: none wanted
};

// Copies what is kept. Error: more than 64 sensors (E6).
[[nodiscard]] Result<Introduction> introduce(const protocol::Hello& hello, Millis wall_ms);

// Merges readings by name over `sensors`; null removes one (S1). Returns how many were dropped
// because there is no room for another name (E6).
std::size_t merge_sensors(protocol::Json readings, SensorMap& sensors, Millis wall_ms);

}  // namespace gadget::hub
