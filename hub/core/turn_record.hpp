// turn_record.hpp - what is told of a turn when it has ended: for the owner's `turns`.
//
// A plain value. Texts of people are in it only where the setting `turn_texts` says so.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hub/agent/agent.hpp"

namespace gadget::hub {

struct TurnRecord {
  DeviceId device;
  std::string turn;
  std::string_view kind;  // "typed", "spoken", "event", "announcement"
  TurnOutcome outcome = TurnOutcome::failure;
  Millis ended_wall_ms = 0;
  Millis ours_ms = 0;  // what the hub itself took between the engines
  // Milliseconds from the end of the request to each point that it came to, by name.
  std::vector<std::pair<std::string_view, Millis>> timeline;
  bool has_texts = false;
  std::string asked;     // of an event: its name; cut
  std::string answered;  // cut
};

// Longest text that is kept of a turn. Beyond: cut.
inline constexpr std::size_t kTurnTextBytes = 4 * 1024;

[[nodiscard]] std::string_view name(TurnOutcome outcome);

}  // namespace gadget::hub
