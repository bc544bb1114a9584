// tokens.hpp - a sentence as the rules see it: lower-case words and numbers, spellings made alike.
//
// "Hey, could you set a ten-minute timer, please?" and "set a 10 minute timer" give the same words.
// Each token remembers where it stood, so that a name or an item is kept as the person said it.
// Input is hostile: bounded below, never fails. No I/O; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gadget::hub::builtin {

// What is read of a message; the rest is ignored (E6: the wire allows no more).
inline constexpr std::size_t kMaxCodePoints = 4'000;
// No everyday request is longer; a longer one is not understood, which keeps the rules' work small.
inline constexpr std::size_t kMaxTokens = 200;

struct Token {
  enum class Kind : std::uint8_t { word, number, ordinal, clock, symbol };
  Kind kind = Kind::word;
  bool comma_before = false;  // a comma or the end of a sentence stood before it
  std::string text;           // lower case; of a number, as it was said ("four", "4")
  double value = 0;           // number, ordinal; of a clock ("6:30") the hour
  int minute = 0;             // of a clock
  std::size_t begin = 0;      // bytes of Utterance::text
  std::size_t end = 0;

  [[nodiscard]] bool is(std::string_view word) const { return text == word; }
  [[nodiscard]] bool number() const { return kind == Kind::number; }
  [[nodiscard]] bool whole() const;  // a number without a fraction, below a billion
};

struct Utterance {
  std::string text;  // valid UTF-8, at most kMaxCodePoints
  std::vector<Token> tokens;
  bool too_long = false;  // more than kMaxTokens: tokens are empty

  // What the person said from token `first` to before token `last`, without what surrounds it.
  [[nodiscard]] std::string said(std::size_t first, std::size_t last) const;
  // The same as tokens, joined by blanks.
  [[nodiscard]] std::string words(std::size_t first, std::size_t last) const;
};

// All of it: words, contractions, numbers, politeness taken off.
[[nodiscard]] Utterance normalise(std::string_view text);

// Words only, lower case, split at anything that is no letter or digit: for names of actions,
// sensors, places. "volume.set_level" gives volume, set, level.
[[nodiscard]] std::vector<std::string> plain_words(std::string_view text);

// A word without its plural: "eggs" and "egg", "batteries" and "battery" are alike.
[[nodiscard]] std::string singular(std::string_view word);

// `text` cut to `max_bytes` at a character.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t max_bytes);

}  // namespace gadget::hub::builtin
