// text.hpp - text as screens can show it and voices can say it (R9, Q7, E6, E23, E33, E45).
//
// Every function takes any bytes, never fails, and is linear in the length of the text (E23).
// Whatever comes in, what comes out is valid UTF-8. Stateless, safe from any thread. Sentences as
// they stream: sentences.hpp.
//
// Cost, measured: 4 KB of Markdown 0.3 ms for a screen, 0.7 ms for a voice; foreign scripts in
// ASCII 1.5 us a letter, Chinese 20 us a character (4,000 of them: 75 ms, off the event loop). The
// first foreign script costs ICU 0.2 s, which warm_up() pays at start.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gadget::media {

// What a device's screen can show (H4 `caps.display.charset`).
enum class Charset { ascii, utf8 };

// Whether a text may hold Markdown (replies, questions) or means every character as it stands
// (names, device texts).
enum class Markup { plain, markdown };

// Valid UTF-8 without control characters (line feed and tab stay), without bidirectional overrides
// and isolates (U+202A-202E, U+2066-2069); what is no UTF-8, and noncharacters, become U+FFFD;
// U+2028 and U+2029 line feeds.
[[nodiscard]] std::string clean(std::string_view text);

// The same text in printable ASCII, line feed and tab: scripts transliterated, accents taken off,
// quotes, dashes, degree and currency signs written out, emoji as their names in brackets, and `?`
// for what has no other form. Nothing is dropped silently but what is invisible.
[[nodiscard]] std::string fold_ascii(std::string_view text);

// Prepares fold_ascii for all common scripts; call it once at start, off the event loop.
void warm_up();

// Markdown as plain text with its line structure: emphasis and fences go, lists are "- item" and
// "1. item", headings lines, links their text, images their description, tables a line of "cell,
// cell" for each row. snake_case and 2*3*4 stay. A text whose tables would explode stays as it is.
[[nodiscard]] std::string markdown_to_screen(std::string_view markdown);

// Markdown as a voice should say it: no code blocks, no tables, no addresses ("link"), no emoji,
// symbols in words, every item a sentence. The sentences that SpokenReply gives, joined by spaces.
[[nodiscard]] std::string markdown_to_speech(std::string_view markdown);

// What a device gets: clean, without Markdown if it may hold any, within its charset.
[[nodiscard]] std::string shape_for_screen(std::string_view text, Charset charset, Markup markup);

// The name that the synthesizers' contract uses for markdown_to_speech.
[[nodiscard]] inline std::string shape_for_speech(std::string_view markdown) {
  return markdown_to_speech(markdown);
}

// What marks a cut, in every charset: three bytes.
inline constexpr std::string_view kEllipsis = "...";

// At most `max_bytes` of the text, cut at a character, with an ellipsis within them (E33). Fits:
// unchanged.
[[nodiscard]] std::string cut_utf8(std::string_view text, std::size_t max_bytes);

// The first `max` code points, unmarked (E6: names; `text` at 4,000).
[[nodiscard]] std::string_view cut_code_points(std::string_view text, std::size_t max);

// At most `max_bytes`: both ends kept, the middle replaced by " ... ", at characters, at spaces
// where one is near (E45).
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t max_bytes);

}  // namespace gadget::media
