#include "ports/desktop/hub_url.hpp"

#include <charconv>

namespace gadget::ports::desktop {
namespace {

tl::unexpected<Failure> wrong(std::string_view text, std::string_view why) {
  return fail(FailureCode::invalid_argument,
              "\"" + std::string{text} + "\" is no hub URL: " + std::string{why},
              "ws://127.0.0.1:8765/gadget is one; `hermes-gadget info` prints yours");
}

bool is_plain(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c == 0x7F || c == '"' || c == '\\') return false;
  }
  return true;
}

}  // namespace

std::string HubUrl::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<HubUrl> parse_hub_url(std::string_view text) {
  HubUrl url;
  std::string_view rest = text;
  if (rest.starts_with("wss://")) {
    url.tls = true;
    rest.remove_prefix(6);
  } else if (rest.starts_with("ws://")) {
    rest.remove_prefix(5);
  } else {
    return wrong(text, "it must begin with ws:// or wss://");
  }
  if (!is_plain(rest)) return wrong(text, "it has characters that no URL has");
  const std::size_t slash = rest.find_first_of("/?");
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) {
    url.path = rest.substr(slash);
    if (url.path[0] == '?') url.path.insert(0, 1, '/');
    if (url.path == "/") url.path = protocol::kDefaultPath;
    if (url.path.find('#') != std::string::npos) return wrong(text, "it has a fragment (#)");
  }
  if (authority.find('@') != std::string_view::npos) {
    return wrong(text, "it must not have a user; the token is an option");
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return wrong(text, "the ] after the address is missing");
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = authority.find(':');
    url.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (url.host.empty()) return wrong(text, "it names no host");
  if (port.empty()) return url;
  if (port[0] != ':') return wrong(text, "the address is not followed by a port");
  port.remove_prefix(1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc{} || end != port.data() + port.size() || url.port == 0) {
    return wrong(text, "the port must be a number from 1 to 65535");
  }
  return url;
}

}  // namespace gadget::ports::desktop
