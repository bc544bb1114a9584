#include "media/text.hpp"

#include <algorithm>

#include "media/utf8.hpp"

namespace gadget::media {
namespace {

constexpr std::string_view kMiddleMark = " ... ";

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F);
}

// Embeddings, overrides and isolates: they can show a text in another order than it is (U+202E
// "evil").
bool is_bidi_control(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_noncharacter(char32_t c) {
  return (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFEU) == 0xFFFEU;
}

// How far a cut may move to fall on a space instead of inside a word: half of a long word.
constexpr std::size_t kCutSlackBytes = 12;

// `at` moved back to behind a space, if one is near.
std::size_t at_word_end(std::string_view text, std::size_t at) {
  const std::size_t least = at > kCutSlackBytes ? at - kCutSlackBytes : 0;
  for (std::size_t i = at; i > least; --i) {
    if (text[i - 1] == ' ' || text[i - 1] == '\n') return i - 1;
  }
  return at;
}

std::size_t at_word_start(std::string_view text, std::size_t at) {
  const std::size_t most = std::min(text.size(), at + kCutSlackBytes);
  for (std::size_t i = at; i < most; ++i) {
    if (text[i] == ' ' || text[i] == '\n') return i + 1;
  }
  return at;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_control(c) || is_bidi_control(c)) continue;
    if (c == 0x2028 || c == 0x2029) {
      out += '\n';
    } else {
      append_utf8(out, is_noncharacter(c) ? kReplacement : c);
    }
  }
  return out;
}

std::string shape_for_screen(std::string_view text, Charset charset, Markup markup) {
  std::string shaped = markup == Markup::markdown ? markdown_to_screen(text) : clean(text);
  return charset == Charset::ascii ? fold_ascii(shaped) : shaped;
}

std::string cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes < kEllipsis.size())
    return std::string(text.substr(0, boundary_before(text, max_bytes)));
  std::string out(text.substr(0, boundary_before(text, max_bytes - kEllipsis.size())));
  out += kEllipsis;
  return out;
}

std::string_view cut_code_points(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text;
  std::size_t at = 0;
  for (std::size_t count = 0; count < max && at < text.size(); ++count) {
    (void)next_code_point(text, at);
  }
  return text.substr(0, at);
}

std::string cut_middle(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes < 2 * kMiddleMark.size()) return cut_utf8(text, max_bytes);
  const std::size_t kept = max_bytes - kMiddleMark.size();
  // The beginning says what it is about and gets the odd byte; the end is what is asked.
  const std::size_t head = at_word_end(text, boundary_before(text, kept - kept / 2));
  std::size_t tail = text.size() - kept / 2;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  tail = at_word_start(text, tail);
  std::string out(text.substr(0, head));
  out += kMiddleMark;
  out += text.substr(tail);
  return out;
}

}  // namespace gadget::media
