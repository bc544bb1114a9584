#include "ports/template/hub_address.hpp"

namespace gadget::ports::port_template {
namespace {

constexpr std::uint32_t kLastPort = 65'535;

std::optional<std::uint16_t> port_of(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
    if (value > kLastPort) return std::nullopt;
  }
  if (value == 0) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

}  // namespace

std::optional<HubAddress> parse_hub_address(std::string_view url) {
  HubAddress address;
  address.tls = url.starts_with("wss://");
  if (!address.tls && !url.starts_with("ws://")) return std::nullopt;
  url.remove_prefix(address.tls ? 6 : 5);
  const auto slash = url.find('/');
  address.authority = url.substr(0, slash);
  if (slash != std::string_view::npos) address.path = url.substr(slash);

  std::string_view host = address.authority;
  std::string_view rest;  // ":8765", or nothing
  if (host.starts_with('[')) {
    const auto bracket = host.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    rest = host.substr(bracket + 1);
    host = host.substr(1, bracket - 1);
  } else if (const auto colon = host.find(':'); colon != std::string_view::npos) {
    rest = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (host.empty()) return std::nullopt;
  address.host = host;
  if (rest.empty()) return address;
  const auto port = port_of(rest.substr(1));
  if (rest[0] != ':' || !port) return std::nullopt;
  address.port = *port;
  return address;
}

}  // namespace gadget::ports::port_template
