// hub_address.hpp - a hub's URL taken apart: ws://hub.local:8765/gadget,
// wss://[2001:db8::1]/gadget.
//
// No allocation: the parts are views of the URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/limits.hpp"

namespace gadget::ports::port_template {

struct HubAddress {
  bool tls = false;
  std::string_view host;  // without the brackets of an IPv6 address
  std::uint16_t port = protocol::kDefaultPort;
  std::string_view authority;  // as the Host header has it: "hub.local:8765"
  std::string_view path = protocol::kDefaultPath;
};

// Nothing: it is no such URL. Port and path may be left out.
[[nodiscard]] std::optional<HubAddress> parse_hub_address(std::string_view url);

}  // namespace gadget::ports::port_template
