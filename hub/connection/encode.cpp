#include "hub/connection/encode.hpp"

#include <algorithm>

#include "media/text.hpp"
#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

media::Charset charset_of(protocol::Charset charset) {
  return charset == protocol::Charset::utf8 ? media::Charset::utf8 : media::Charset::ascii;
}

// Conservative for control characters: \u00XX.
std::size_t json_bytes(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r') return 2;
  return byte < 0x20 || byte == 0x7F ? 6 : 1;
}

}  // namespace

std::string plain(std::string_view text, protocol::Charset charset) {
  return media::shape_for_screen(text, charset_of(charset), media::Markup::plain);
}

std::string screen(std::string_view markdown, protocol::Charset charset) {
  return media::shape_for_screen(markdown, charset_of(charset), media::Markup::markdown);
}

std::string one_line(std::string_view text, std::size_t max) {
  std::string clean = media::clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return std::string(protocol::cut_code_points(clean, max));
}

std::size_t json_bytes(std::string_view text) {
  std::size_t bytes = 0;
  for (const char c : text) bytes += json_bytes(c);
  return bytes;
}

std::string fit_json(std::string_view text, std::size_t max_json_bytes) {
  if (json_bytes(text) <= max_json_bytes) return std::string(text);
  if (max_json_bytes < media::kEllipsis.size()) return {};
  const std::size_t room = max_json_bytes - media::kEllipsis.size();
  std::size_t used = 0;
  std::size_t kept = 0;
  while (kept < text.size()) {
    const std::size_t bytes =
        std::max<std::size_t>(1, protocol::utf8_character_bytes(text.substr(kept)));
    const std::size_t json = json_bytes(text.substr(kept, bytes));
    if (used + json > room) break;
    used += json;
    kept += bytes;
  }
  return std::string(text.substr(0, kept)) + std::string(media::kEllipsis);
}

}  // namespace gadget::hub
