// agents.hpp - who answers and with which engines, by name: what the `hub` command puts into the
// daemon.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hub/server/daemon.hpp"
#include "media/wav.hpp"

namespace gadget::cli {

// REQUIRES: a name that the configuration allows. Hermes is the daemon's own: the bridge makes it.
[[nodiscard]] std::function<std::unique_ptr<hub::Agent>(hub::AgentHost&)> agent_named(
    std::string_view name);

// The engines of `speech_profile`; the echo agent needs them too, to speak.
[[nodiscard]] decltype(hub::DaemonOptions::open_speech) speech_of(const hub::Config& config);

// A voice that says this whatever the text is, and no recognizer: for measurements.
[[nodiscard]] decltype(hub::DaemonOptions::open_speech) recorded_speech(media::Recording recording);

}  // namespace gadget::cli
