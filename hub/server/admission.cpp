#include "hub/server/admission.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include "protocol/limits.hpp"
#include "wire/lobby.hpp"

namespace gadget::hub {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::uint16_t> port_of_scheme(std::string_view scheme) {
  if (scheme == "http" || scheme == "ws") return std::uint16_t{80};
  if (scheme == "https" || scheme == "wss") return std::uint16_t{443};
  return std::nullopt;
}

// A numeric address in its one form; empty when it is none. IPv4-mapped IPv6 is IPv4.
std::string canonical_address(std::string_view text) {
  const std::string given(text);
  std::array<char, INET6_ADDRSTRLEN> out{};
  in_addr v4{};
  if (::inet_pton(AF_INET, given.c_str(), &v4) == 1) {
    ::inet_ntop(AF_INET, &v4, out.data(), out.size());
    return out.data();
  }
  in6_addr v6{};
  if (::inet_pton(AF_INET6, given.c_str(), &v6) != 1) return {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    ::inet_ntop(AF_INET, &v6.s6_addr[12], out.data(), out.size());
  } else {
    ::inet_ntop(AF_INET6, &v6, out.data(), out.size());
  }
  return out.data();
}

bool is_proxy(const std::string& address, const AdmissionOptions& options) {
  return std::any_of(options.proxies.begin(), options.proxies.end(),
                     [&](const std::string& proxy) { return canonical_address(proxy) == address; });
}

bool listens_everywhere(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

// Whether `host` and `port` name this hub (E9): its listen address, localhost, configured names.
bool is_own_name(const std::string& host, std::uint16_t port, const AdmissionOptions& options) {
  if (port == options.port) {
    if (host == "localhost" || host == lower(options.host)) return true;
    const std::string address = canonical_address(host);
    if (!address.empty()) {
      if (address == canonical_address(options.host)) return true;
      if (listens_everywhere(options.host) && options.own_addresses) {
        const auto own = options.own_addresses();
        if (std::find(own.begin(), own.end(), address) != own.end()) return true;
      }
    }
  }
  return std::any_of(options.hosts.begin(), options.hosts.end(), [&](const std::string& entry) {
    std::string name;
    std::uint16_t named_port = 0;
    if (!split_host(entry, name, named_port)) return false;
    return name == host && (named_port == 0 ? options.port : named_port) == port;
  });
}

bool origin_is_known(std::string_view text, const AdmissionOptions& options) {
  if (text == "file://") return true;  // a page that the person opened from its own disk
  Origin origin;
  if (!parse_origin(text, origin)) return false;
  if (origin.scheme == (options.tls ? "https" : "http") &&
      is_own_name(origin.host, origin.port, options)) {
    return true;
  }
  return std::any_of(options.origins.begin(), options.origins.end(), [&](const std::string& entry) {
    Origin configured;
    return parse_origin(entry, configured) && configured == origin;
  });
}

bool host_is_known(const wire::HttpRequest& request, const AdmissionOptions& options) {
  std::string host;
  std::uint16_t port = 0;
  if (!split_host(request.header("Host"), host, port)) return false;
  if (port == 0) port = options.tls ? 443 : 80;
  return is_own_name(host, port, options);
}

bool is_device_path(std::string_view path, std::string_view configured) {
  if (path == configured) return true;
  return path.size() == configured.size() + 1 && path.starts_with(configured) && path.back() == '/';
}

Admission refused(std::string address, std::string why, wire::HttpResponse response) {
  return {std::move(response), std::move(address), std::move(why), {}};
}

}  // namespace

bool split_host(std::string_view text, std::string& host, std::uint16_t& port) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    const auto colon = text.find(':');
    host = lower(text.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
  }
  if (host.empty() || host.find_first_of("/@?#\\ \t,") != std::string::npos) return false;
  port = 0;
  if (rest.empty()) return true;
  if (rest.front() != ':' || rest.size() < 2) return false;
  rest.remove_prefix(1);
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  return read.ec == std::errc() && read.ptr == rest.data() + rest.size() && port != 0;
}

// E3: the TCP peer's, or behind configured proxies the last forwarded entry that is none of them.
std::string peer_address(const wire::HttpRequest& request, const AdmissionOptions& options) {
  const std::string peer = canonical_address(request.peer_address);
  if (options.proxies.empty() || !is_proxy(peer, options)) return request.peer_address;
  const auto entries = request.elements("X-Forwarded-For");
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    std::string address = canonical_address(*entry);
    if (address.empty()) {
      std::string host;
      std::uint16_t port = 0;
      if (split_host(*entry, host, port)) address = canonical_address(host);
    }
    // What is no address was not written by a proxy of ours: everything before it may be invented.
    if (address.empty()) break;
    if (!is_proxy(address, options)) return address;
  }
  return request.peer_address;
}

bool parse_origin(std::string_view text, Origin& out) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  out.scheme = lower(text.substr(0, end));
  const auto usual = port_of_scheme(out.scheme);
  if (!usual || !split_host(text.substr(end + 3), out.host, out.port)) return false;
  if (out.port == 0) out.port = *usual;
  return true;
}

Admission admit(const wire::HttpRequest& request, const AdmissionOptions& options) {
  std::string address = peer_address(request, options);
  if (!is_device_path(request.path(), options.path)) {
    if (!host_is_known(request, options)) {
      return refused(std::move(address), "host",
                     wire::plain_response(421,
                                          "This hub is not reached by that name (setting "
                                          "\"hosts\")."));
    }
    return refused(std::move(address), "path",
                   wire::plain_response(
                       404, "There is nothing here; devices connect to " + options.path + "."));
  }
  if (!request.wants_websocket()) {
    return refused(std::move(address), "no upgrade", wire::upgrade_required());
  }
  if (request.has_header("Origin")) {
    std::string origin = request.header("Origin");
    if (!origin_is_known(origin, options)) {
      Admission admission =
          refused(std::move(address), "origin",
                  wire::plain_response(403, "This page may not connect (setting \"origins\")."));
      admission.origin = std::move(origin);
      return admission;
    }
  }
  wire::Upgrade upgrade;
  const auto offered = request.subprotocols();
  if (std::find(offered.begin(), offered.end(), protocol::kSubprotocol) != offered.end()) {
    upgrade.subprotocol = std::string(protocol::kSubprotocol);
  }
  if (address != request.peer_address) upgrade.lobby_address = address;
  return {std::move(upgrade), std::move(address), {}, {}};
}

std::vector<std::string> addresses_of_this_machine() {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return addresses;
  std::array<char, INET6_ADDRSTRLEN> out{};
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    if (each->ifa_addr->sa_family == AF_INET) {
      const auto* v4 = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
      ::inet_ntop(AF_INET, &v4->sin_addr, out.data(), out.size());
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
      ::inet_ntop(AF_INET6, &v6->sin6_addr, out.data(), out.size());
    } else {
      continue;
    }
    addresses.emplace_back(out.data());
  }
  ::freeifaddrs(first);
  return addresses;
}

}  // namespace gadget::hub
