// address.hpp - host names, numeric addresses and web origins as texts: what the settings and the
// HTTP requests of a hub name them by. No look-ups, no I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gadget {

// A..Z made small; all else stays (names on the network are ASCII).
[[nodiscard]] std::string ascii_lower(std::string_view text);

// A numeric address in its one form; empty when it is none. IPv4-mapped IPv6 is IPv4.
[[nodiscard]] std::string canonical_address(std::string_view text);

// Splits "host", "host:port", "[v6]" and "[v6]:port"; the host in lower case, the port 0 when there
// is none. False: it is nothing of that kind.
[[nodiscard]] bool split_host(std::string_view text, std::string& host, std::uint16_t& port);

// An origin in its parts, in lower case, with the scheme's port when it names none.
struct Origin {
  std::string scheme, host;
  std::uint16_t port = 0;
  bool operator==(const Origin&) const = default;
};
// False for anything but SCHEME://HOST[:PORT]: paths, user names, empty hosts, ports out of range.
[[nodiscard]] bool parse_origin(std::string_view text, Origin& out);

}  // namespace gadget
