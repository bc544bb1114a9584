// settings.hpp - what the owner's settings mean to the parts of the daemon.
//
// Pure functions of a Config.
#pragma once

#include <string>

#include "base/failure.hpp"
#include "hub/config/config.hpp"
#include "hub/core/hub.hpp"
#include "wire/lobby.hpp"

namespace gadget::hub {

// What the table of keys cannot tell: that the time zone exists. Error: invalid_argument.
[[nodiscard]] Result<Config> checked(Config config);

[[nodiscard]] HubOptions hub_options(const Config& config);
[[nodiscard]] wire::LobbyLimits lobby_limits(const Config& config);

// The host of the URL that devices get. A hub that listens on all networks is reached at one of
// this machine's addresses: the first that is no loopback, if there is one.
[[nodiscard]] std::string reachable_host(const std::string& host);

}  // namespace gadget::hub
