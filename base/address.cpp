#include "base/address.hpp"

#include <array>
#include <charconv>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace gadget {
namespace {

std::optional<std::uint16_t> port_of_scheme(std::string_view scheme) {
  if (scheme == "http" || scheme == "ws") return std::uint16_t{80};
  if (scheme == "https" || scheme == "wss") return std::uint16_t{443};
  return std::nullopt;
}

}  // namespace

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

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

bool split_host(std::string_view text, std::string& host, std::uint16_t& port) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = ascii_lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    const auto colon = text.find(':');
    host = ascii_lower(text.substr(0, colon));
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

bool parse_origin(std::string_view text, Origin& out) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  out.scheme = ascii_lower(text.substr(0, end));
  const auto usual = port_of_scheme(out.scheme);
  if (!usual || !split_host(text.substr(end + 3), out.host, out.port)) return false;
  if (out.port == 0) out.port = *usual;
  return true;
}

}  // namespace gadget
