#include "device/websocket/handshake.hpp"

#include <algorithm>

#include "device/websocket/sha1.hpp"
#include "protocol/base64.hpp"

namespace gadget::device::websocket {
namespace {

// RFC 6455, section 1.3.
constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
// A delay beyond a day means no more than a day does (E27 caps it at 60 s anyway).
constexpr std::uint32_t kLongestRetryS = 86'400;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (same(trim(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

std::uint32_t seconds(std::string_view text) {
  std::uint32_t value = 0;
  if (text.empty()) return 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;  // a date: the usual pauses do
    value = std::min(value * 10 + static_cast<std::uint32_t>(c - '0'), kLongestRetryS);
  }
  return value;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

// The status of "HTTP/1.1 101 Switching Protocols"; 0: that is no such line.
std::uint16_t status_of(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!line.starts_with(kVersion)) return 0;
  line.remove_prefix(kVersion.size());
  if (line.size() < 3 || !digit(line[0]) || !digit(line[1]) || !digit(line[2])) return 0;
  if (line.size() > 3 && line[3] != ' ') return 0;
  return static_cast<std::uint16_t>((line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0'));
}

// What the header lines said, gathered.
struct Fields {
  bool upgrade = false;
  bool connection = false;
  bool extension = false;
  std::string_view accept;
  std::string_view subprotocol;
  std::uint8_t accepts = 0;
  std::uint8_t subprotocols = 0;
  std::uint32_t retry_after_s = 0;

  void take(std::string_view name, std::string_view value) {
    if (same(name, "upgrade")) {
      upgrade = upgrade || same(value, "websocket");
    } else if (same(name, "connection")) {
      connection = connection || has_token(value, "upgrade");
    } else if (same(name, "sec-websocket-accept")) {
      accept = value;
      accepts = static_cast<std::uint8_t>(std::min(accepts + 1, 2));
    } else if (same(name, "sec-websocket-extensions")) {
      extension = extension || !value.empty();
    } else if (same(name, "sec-websocket-protocol")) {
      subprotocol = value;
      subprotocols = static_cast<std::uint8_t>(std::min(subprotocols + 1, 2));
    } else if (same(name, "retry-after")) {
      retry_after_s = seconds(value);
    }
  }
};

}  // namespace

KeyText key_text(std::span<const std::byte, 16> random) {
  KeyText key{};
  protocol::base64_encode(random, key);
  return key;
}

std::array<char, 28> accept_text(const KeyText& key) {
  std::array<char, 24 + kAcceptSuffix.size()> text{};
  std::copy(kAcceptSuffix.begin(), kAcceptSuffix.end(),
            std::copy(key.begin(), key.end(), text.begin()));
  std::array<char, 28> out{};
  const auto digest = sha1({text.data(), text.size()});
  protocol::base64_encode(std::as_bytes(std::span{digest}), out);
  return out;
}

Answer judge(std::string_view head, const KeyText& key, std::string_view offered) {
  Answer answer;
  Fields fields;
  bool first = true;
  while (true) {
    const auto end = head.find("\r\n");
    if (end == std::string_view::npos) return answer;  // not_http
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.find_first_of(std::string_view{"\0\r\n", 3}) != std::string_view::npos) return answer;
    if (first) {
      first = false;
      answer.refused.http_status = status_of(line);
      if (answer.refused.http_status == 0) return answer;
      continue;
    }
    if (line.empty()) break;
    const auto colon = line.find(':');
    // No name, a folded line, or a space before the colon: not HTTP/1.1 of today.
    if (colon == std::string_view::npos || colon == 0 || line[0] == ' ' || line[0] == '\t' ||
        line[colon - 1] == ' ') {
      return answer;
    }
    fields.take(line.substr(0, colon), trim(line.substr(colon + 1)));
  }

  answer.refused.retry_after_s = fields.retry_after_s;
  const auto accept = accept_text(key);
  if (answer.refused.http_status != 101) {
    answer.refused.why = Refusal::http_status;
  } else if (!fields.upgrade || !fields.connection) {
    answer.refused.why = Refusal::no_upgrade;
  } else if (fields.accepts != 1 ||
             fields.accept != std::string_view{accept.data(), accept.size()}) {
    answer.refused.why = Refusal::wrong_accept;
  } else if (fields.extension) {
    answer.refused.why = Refusal::extension;
  } else if (fields.subprotocols > 1 ||
             (fields.subprotocols == 1 && (fields.subprotocol != offered || offered.empty()))) {
    answer.refused.why = Refusal::subprotocol;
  } else {
    answer.accepted = true;
    answer.subprotocol = fields.subprotocol;
  }
  return answer;
}

}  // namespace gadget::device::websocket
