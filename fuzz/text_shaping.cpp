// What agents and people write, shaped for a screen and for a voice (R9, E23): valid UTF-8, no
// control characters, ASCII where it was asked for.
#include <algorithm>
#include <cstdint>
#include <string>

#include "media/sentences.hpp"
#include "media/text.hpp"
#include "protocol/utf8.hpp"

namespace m = gadget::media;

namespace {

void check(std::string_view text, bool ascii) {
  if (!gadget::protocol::is_utf8(text)) __builtin_trap();
  const bool clean = std::all_of(text.begin(), text.end(), [ascii](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code == '\n' || code == '\t' ||
           (code >= 0x20 && code != 0x7F && (!ascii || code < 0x80));
  });
  if (!clean) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + std::min<std::size_t>(size, 16'384));
  check(m::shape_for_screen(text, m::Charset::ascii, m::Markup::markdown), true);
  check(m::shape_for_screen(text, m::Charset::utf8, m::Markup::markdown), false);
  check(m::shape_for_screen(text, m::Charset::utf8, m::Markup::plain), false);
  check(m::markdown_to_speech(text), false);
  return 0;
}
