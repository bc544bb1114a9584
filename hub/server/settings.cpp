#include "hub/server/settings.hpp"

#include "hub/server/admission.hpp"
#include "hub/server/owner_gate.hpp"
#include "hub/server/zones.hpp"

namespace gadget::hub {

Result<Config> checked(Config config) {
  if (!config.timezone.empty() && !is_zone(config.timezone)) {
    return fail(FailureCode::invalid_argument, "there is no time zone \"" + config.timezone + "\"",
                "timezone is a name such as Europe/Berlin");
  }
  if (!config.owner_listen.empty()) {
    const auto where = parse_owner_listen(config.owner_listen);
    if (!where) return tl::unexpected(where.error());
  }
  return config;
}

HubOptions hub_options(const Config& config) {
  HubOptions hub;
  hub.access_token = config.access_token;
  hub.heartbeat_s = config.heartbeat_s;
  hub.max_utterance_s = config.max_utterance_s;
  hub.speak_replies = config.speak_replies;
  hub.server_name = config.server_name;
  hub.timezone = config.timezone;
  hub.turn_texts = config.turn_texts;
  return hub;
}

wire::LobbyLimits lobby_limits(const Config& config) {
  return {.total = static_cast<std::size_t>(config.max_unauthenticated),
          .per_address = static_cast<std::size_t>(config.max_unauthenticated_per_address)};
}

std::string reachable_host(const std::string& host) {
  if (host != "0.0.0.0" && host != "::") return host;
  const bool v6 = host == "::";
  for (const std::string& address : addresses_of_this_machine()) {
    const bool is_v6 = address.find(':') != std::string::npos;
    const bool is_local =
        address.starts_with("127.") || address == "::1" || address.starts_with("fe80:");
    if (!is_local && is_v6 == v6) return address;
  }
  return v6 ? "::1" : "127.0.0.1";
}

}  // namespace gadget::hub
