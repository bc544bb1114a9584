// hub_url.hpp - where a hub is: ws://HOST:PORT/PATH or wss://... (T1, T2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "protocol/limits.hpp"

namespace gadget::ports::desktop {

struct HubUrl {
  bool tls = false;
  std::string host;  // without brackets: "::1"
  std::uint16_t port = protocol::kDefaultPort;
  std::string path{protocol::kDefaultPath};  // with the query, if any

  // "host:port" as a Host header and a person write it: "[::1]:8765".
  [[nodiscard]] std::string authority() const;
};

// Port and path may be left out. Error: invalid_argument that says what is wrong with it.
[[nodiscard]] Result<HubUrl> parse_hub_url(std::string_view text);

}  // namespace gadget::ports::desktop
