// admission.hpp - what the hub answers to an HTTP request, before there is a WebSocket (T1, T3, E3,
// E8, E9).
//
// A decision on values; no I/O but the list of this machine's addresses, which is passed in. No web
// page of somewhere else can drive a hub, not even by DNS rebinding: an Origin must be one that the
// owner knows, and whatever is no device path answers only to the hub's own names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http.hpp"

namespace gadget::hub {

struct AdmissionOptions {
  std::string path = "/gadget";
  std::string host;  // as configured: "127.0.0.1", "gadget.lan", "0.0.0.0"
  std::uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> hosts;    // further names, "gadget.lan" or "gadget.lan:8443"
  std::vector<std::string> origins;  // further origins, "https://panel.example"
  std::vector<std::string> proxies;  // numeric addresses
  // The numeric addresses of this machine: its names when the hub listens on all networks. Asked
  // only when it matters.
  std::function<std::vector<std::string>()> own_addresses;
};

struct Admission {
  wire::Decision decision;
  std::string address;  // peer_address(), for the log
  std::string refusal;  // for the log: "origin", "host", "path", "no upgrade"; empty: none
  std::string origin;   // as sent, for the log
};

[[nodiscard]] Admission admit(const wire::HttpRequest& request, const AdmissionOptions& options);

// E3: whose request it is: the TCP peer's address, or behind configured proxies the last forwarded
// one that is none of them. Numeric, not grouped.
[[nodiscard]] std::string peer_address(const wire::HttpRequest& request,
                                       const AdmissionOptions& options);

// The addresses of all network interfaces, numeric.
[[nodiscard]] std::vector<std::string> addresses_of_this_machine();

}  // namespace gadget::hub
