#include "device/websocket/handshake.hpp"

#include <algorithm>

#include "device/websocket/sha1.hpp"
#include "protocol/base64.hpp"
#include "protocol/words.hpp"

namespace gadget::device::websocket {
namespace {

// RFC 6455, section 1.3.
constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
// A delay beyond a day means no more than a day does (E27 caps it at 60 s anyway).
constexpr std::uint32_t kLongestRetryS = 86'400;
constexpr char kVersion[] = "HTTP/1.1 ";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `name` in any case; `lower_case` is.
bool same(const std::string_view& name, const char* lower_case) {
  std::size_t i = 0;
  while (i < name.size() && lower(name[i]) == lower_case[i]) ++i;
  return i == name.size() && lower_case[i] == '\0';
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Takes what is before the first `separator` from `rest`, and the separator with it. Never inlined,
// as the next one: they are called from so many places.
[[gnu::noinline]] std::string_view cut(std::string_view& rest, char separator) {
  std::size_t size = 0;
  while (size < rest.size() && rest[size] != separator) ++size;
  const std::string_view part{rest.data(), size};
  rest.remove_prefix(size < rest.size() ? size + 1 : size);
  return part;
}

[[gnu::noinline]] std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool has_token(std::string_view list, const char* token) {
  while (!list.empty()) {
    if (same(trim(cut(list, ',')), token)) return true;
  }
  return false;
}

// Digits only; anything else, a date above all, is 0: the usual pauses do.
std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = std::min(value * 10 + static_cast<std::uint32_t>(c - '0'), kLongestRetryS);
  }
  return value;
}

// The status of "HTTP/1.1 101 Switching Protocols"; 0: that is no such line.
std::uint16_t status_of(std::string_view line) {
  constexpr std::size_t kDigits = 3;
  if (!protocol::begins_with(line, kVersion)) return 0;
  line.remove_prefix(sizeof(kVersion) - 1);
  const auto digits = cut(line, ' ');
  return digits.size() == kDigits ? static_cast<std::uint16_t>(number(digits)) : std::uint16_t{0};
}

// The header lines that count, and what they said.
enum Name : std::uint8_t { upgrade, connection, accept, extensions, subprotocol, retry_after };
constexpr std::size_t kNames = 6;
constexpr char kNameTexts[] =
    "upgrade\0connection\0sec-websocket-accept\0sec-websocket-extensions\0"
    "sec-websocket-protocol\0retry-after\0";
static_assert(protocol::texts_in(kNameTexts) == kNames);

struct Fields {
  std::array<std::uint8_t, kNames> count{};      // lines of each that were good
  std::array<std::string_view, kNames> value{};  // the last of them

  void take(const std::string_view& name, const std::string_view& said) {
    std::size_t i = 0;
    while (!same(name, protocol::text_at(kNameTexts, i))) {
      if (++i == kNames) return;
    }
    if (i == Name::upgrade && !same(said, "websocket")) return;
    if (i == Name::connection && !has_token(said, "upgrade")) return;
    if (i == Name::extensions && said.empty()) return;
    value[i] = said;
    if (count[i] < 2) ++count[i];  // once, or too often
  }
};

// Whether a whole head with status 101 grants the upgrade; `why` not, otherwise.
bool grants(const Fields& fields, const KeyText& key, std::string_view offered, Refusal& why) {
  const auto expected = accept_text(key);
  const auto& count = fields.count;
  why = Refusal::no_upgrade;
  if (count[Name::upgrade] == 0 || count[Name::connection] == 0) return false;
  why = Refusal::wrong_accept;
  if (count[Name::accept] != 1 ||
      fields.value[Name::accept] != std::string_view{expected.data(), expected.size()}) {
    return false;
  }
  why = Refusal::extension;
  if (count[Name::extensions] > 0) return false;
  why = Refusal::subprotocol;
  return count[Name::subprotocol] == 0 || (count[Name::subprotocol] == 1 && !offered.empty() &&
                                           fields.value[Name::subprotocol] == offered);
}

}  // namespace

KeyText key_text(std::span<const std::byte, 16> random) {
  KeyText key;  // NOLINT: filled below
  protocol::base64_encode(random, key);
  return key;
}

std::array<char, 28> accept_text(const KeyText& key) {
  std::array<char, 24 + kAcceptSuffix.size()> text;  // NOLINT: filled below
  std::copy(kAcceptSuffix.begin(), kAcceptSuffix.end(),
            std::copy(key.begin(), key.end(), text.begin()));
  std::array<char, 28> out;  // NOLINT: filled below
  const auto digest = sha1({text.data(), text.size()});
  protocol::base64_encode(std::as_bytes(std::span{digest}), out);
  return out;
}

Answer judge(std::string_view head, const KeyText& key, std::string_view offered) {
  Answer answer;
  Fields fields;
  for (bool first = true;; first = false) {
    auto value = cut(head, '\n');
    if (!value.ends_with('\r')) return answer;  // not_http
    value.remove_suffix(1);
    for (const char c : value) {
      if (c == '\0' || c == '\r') return answer;
    }
    if (first) {
      answer.refused.http_status = status_of(value);
      if (answer.refused.http_status == 0) return answer;
      continue;
    }
    if (value.empty()) break;
    const std::size_t size = value.size();
    const auto name = cut(value, ':');
    // No colon, no name, a folded line, or a blank before the colon: not HTTP/1.1 of today.
    if (name.size() == size || name.empty() || is_blank(name.front()) || is_blank(name.back())) {
      return answer;
    }
    fields.take(name, trim(value));
  }
  answer.refused.retry_after_s = number(fields.value[Name::retry_after]);
  answer.refused.why = Refusal::http_status;
  answer.accepted =
      answer.refused.http_status == 101 && grants(fields, key, offered, answer.refused.why);
  if (answer.accepted) answer.subprotocol = fields.value[Name::subprotocol];
  return answer;
}

}  // namespace gadget::device::websocket
