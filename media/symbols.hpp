// symbols.hpp - signs and emoji in words: what fold_ascii and the voice share. Stateless; safe from
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gadget::media {

// How a sign is written in ASCII ("->" for U+2192, "EUR" for U+20AC), or nothing.
[[nodiscard]] std::string_view ascii_for(char32_t sign);

// The ISO code of a currency sign ("EUR"), or nothing. ascii_for knows them too.
[[nodiscard]] std::string_view currency_code(char32_t sign);

// One emoji as people see it: a family of several joined by U+200D, a flag of two letters, a
// keycap, a skin tone with its hand: one.
struct Emoji {
  std::size_t length = 0;  // code points that it takes
  std::string name;  // "thumbs up", "flag DE", "man woman girl"; the digit for a keycap; empty if
                     // it has none
};

// The emoji that begins at `at`, if one does.
[[nodiscard]] std::optional<Emoji> emoji_at(std::u32string_view text, std::size_t at);

// The lower-case Unicode name of a character ("black star"), shortened; empty if it has none.
[[nodiscard]] std::string character_name(char32_t character);

}  // namespace gadget::media
