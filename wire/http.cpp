#include "wire/http.hpp"

#include <algorithm>
#include <utility>

namespace gadget::wire {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// base64 of 16 bytes: 22 digits and two signs of padding.
bool is_websocket_key(std::string_view key) {
  if (key.size() != 24 || key.substr(22) != "==") return false;
  return key.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") == 22;
}

}  // namespace

std::string_view HttpRequest::path() const {
  return std::string_view{target}.substr(0, target.find('?'));
}

std::string_view HttpRequest::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view{} : std::string_view{target}.substr(mark + 1);
}

std::string HttpRequest::header(std::string_view name) const {
  std::string joined;
  bool first = true;
  for (const auto& field : headers) {
    if (!same_name(field.name, name)) continue;
    if (!std::exchange(first, false)) joined += ", ";
    joined += field.value;
  }
  return joined;
}

bool HttpRequest::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const Header& field) { return same_name(field.name, name); });
}

std::vector<std::string> HttpRequest::elements(std::string_view name) const {
  std::vector<std::string> list;
  for (const auto& field : headers) {
    if (!same_name(field.name, name)) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      const auto element = trim(rest.substr(0, comma));
      if (!element.empty()) list.emplace_back(element);
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
  }
  return list;
}

bool HttpRequest::has_token(std::string_view name, std::string_view token) const {
  const auto list = elements(name);
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& element) { return same_name(element, token); });
}

bool HttpRequest::wants_websocket() const {
  return method == "GET" && has_token("Upgrade", "websocket") && has_token("Connection", "upgrade");
}

std::vector<std::string> HttpRequest::subprotocols() const {
  return elements("Sec-WebSocket-Protocol");
}

std::string_view status_text(unsigned status) {
  switch (status) {
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Status";
  }
}

HttpResponse plain_response(unsigned status, std::string text) {
  text += '\n';
  return HttpResponse{status, "text/plain; charset=utf-8", {}, std::move(text)};
}

std::optional<HttpResponse> bad_upgrade(const HttpRequest& request) {
  if (!request.wants_websocket() || request.header("Sec-WebSocket-Version") != "13") {
    return upgrade_required();
  }
  if (!is_websocket_key(request.header("Sec-WebSocket-Key"))) {
    return plain_response(400, "Sec-WebSocket-Key is not 16 bytes in base64.");
  }
  return std::nullopt;
}

HttpResponse upgrade_required() {
  auto response = plain_response(426, "This address speaks WebSocket only.");
  response.headers.push_back({"Upgrade", "websocket"});
  response.headers.push_back({"Sec-WebSocket-Version", "13"});
  return response;
}

}  // namespace gadget::wire
