// builtin.hpp - the agent of owners without a network: of real use by itself, and honest about the
// rest.
//
// Time and date, timers, alarms and reminders that speak up when due (kept across restarts), lists,
// sums, units, the device's actions and sensors by their names. Rules, no model: see
// understand.hpp. Sans-I/O; everything goes through AgentHost and TurnSink, on their loop.
#pragma once

#include <memory>

#include "hub/agent/agent.hpp"

namespace gadget::hub {

// `host` is borrowed and outlives the agent. Restores what is stored in a posted call, so that
// nothing is said before the hub stands; what came due while the hub was down is told then, with
// its age.
[[nodiscard]] std::unique_ptr<Agent> make_builtin_agent(AgentHost& host);

}  // namespace gadget::hub
