#include "hub/server/admission.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include "base/address.hpp"
#include "protocol/limits.hpp"
#include "wire/lobby.hpp"

namespace gadget::hub {
namespace {

bool is_proxy(const std::string& address, const AdmissionOptions& options) {
  return std::any_of(options.proxies.begin(), options.proxies.end(),
                     [&](const std::string& proxy) { return canonical_address(proxy) == address; });
}

bool listens_everywhere(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

// Whether `host` and `port` name this hub (E9): its listen address, localhost, configured names.
bool is_own_name(const std::string& host, std::uint16_t port, const AdmissionOptions& options) {
  if (port == options.port) {
    if (host == "localhost" || host == ascii_lower(options.host)) return true;
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
