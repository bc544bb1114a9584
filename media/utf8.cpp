#include "media/utf8.hpp"

#include <algorithm>

namespace gadget::media {
namespace {

struct Lead {
  std::size_t more = 0;  // continuation bytes that must follow
  unsigned char first_low =
      0x80;  // the range of the first of them: it rules out overlong forms and surrogates
  unsigned char first_high = 0xBF;
  char32_t bits = 0;
};

bool read_lead(unsigned char byte, Lead& lead) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    lead = {1, 0x80, 0xBF, byte & 0x1FU};
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    lead = {2, 0x80, 0xBF, byte & 0x0FU};
    if (byte == 0xE0) lead.first_low = 0xA0;
    if (byte == 0xED) lead.first_high = 0x9F;
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    lead = {3, 0x80, 0xBF, byte & 0x07U};
    if (byte == 0xF0) lead.first_low = 0x90;
    if (byte == 0xF4) lead.first_high = 0x8F;
  } else {
    return false;
  }
  return true;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  Lead lead;
  if (!read_lead(first, lead)) return kReplacement;
  char32_t value = lead.bits;
  for (std::size_t i = 0; i < lead.more; ++i) {
    if (at >= text.size()) return kReplacement;
    const auto byte = static_cast<unsigned char>(text[at]);
    const unsigned char low = i == 0 ? lead.first_low : 0x80;
    const unsigned char high = i == 0 ? lead.first_high : 0xBF;
    if (byte < low || byte > high) return kReplacement;
    value = (value << 6) | (byte & 0x3FU);
    ++at;
  }
  return value;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::u32string to_code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) out += next_code_point(text, at);
  return out;
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t code_point : text) append_utf8(out, code_point);
  return out;
}

std::size_t boundary_before(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  // A character has at most three continuation bytes; more of them are no UTF-8, and may be cut
  // anywhere.
  for (int steps = 0; steps < 3 && at > 0 && is_continuation(text[at]); ++steps) --at;
  return at;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace gadget::media
