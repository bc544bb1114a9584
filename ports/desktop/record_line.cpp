#include "ports/desktop/record_line.hpp"

#include <array>
#include <charconv>

#include "protocol/base64.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::optional<unsigned> hex_digit(char c) {
  const auto at = kHex.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string base64(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "-";  // a word is never empty
  std::string out(protocol::base64_chars(bytes.size()), '\0');
  protocol::base64_encode(bytes, out);
  return out;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text == "-") return std::vector<std::byte>{};
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  std::size_t size = text.size() / 4 * 3;
  if (text.ends_with("==")) {
    size -= 2;
  } else if (text.ends_with("=")) {
    size -= 1;
  }
  std::vector<std::byte> out(size);
  if (!protocol::base64_decode(text, out)) return std::nullopt;
  return out;
}

std::string fingerprint(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3ULL;
  }
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(hash >> shift) & 0xFU];
  return out;
}

std::string_view LineReader::word() {
  const auto end = rest_.find(' ');
  const auto first = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  return first;
}

std::optional<std::int64_t> LineReader::number(std::int64_t least, std::int64_t most) {
  const auto digits = word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < least ||
      value > most) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> LineReader::text() {
  if (rest_.empty() || rest_[0] != '"') return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      rest_.remove_prefix(i + 1);
      if (rest_.empty()) return out;
      if (rest_[0] != ' ') return std::nullopt;
      rest_.remove_prefix(1);
      return out;
    }
    if (rest_[i] != '\\') {
      out += rest_[i];
      continue;
    }
    if (++i == rest_.size()) return std::nullopt;
    if (rest_[i] != 'x') {
      out += rest_[i];
      continue;
    }
    if (i + 2 >= rest_.size()) return std::nullopt;
    const auto high = hex_digit(rest_[i + 1]);
    const auto low = hex_digit(rest_[i + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high << 4U | *low);
    i += 2;
  }
  return std::nullopt;
}

}  // namespace gadget::ports::desktop
