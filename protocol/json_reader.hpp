// json_reader.hpp - a pull reader of strict JSON (E4): one item at a time, O(depth) state, no heap,
// no token array.
//
// Strict is RFC 8259 plus: valid UTF-8, no duplicate keys, at most kMaxJsonMembers members an
// object and kMaxJsonDepth levels, nothing after the outermost value. A text that was cut short
// yields its items up to the cut, then `truncated`.
//
// Not thread-safe; borrows the text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/limits.hpp"

namespace gadget::protocol {

enum class Token : std::uint8_t {
  end,  // the outermost value is complete and nothing follows
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,     // `text` is the raw text between the quotes
  string,  // the same
  number,  // `text` is the token
  boolean,
  null,
};

struct Item {
  Token token = Token::end;
  std::string_view text;  // see Token; for boolean "true" or "false"
  bool escaped = false;   // a key or string that holds escapes: decode before use
  std::uint32_t offset = 0;
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // For a text that a strict pass has accepted, and whose strings may since have been decoded in
  // place: duplicates are not looked for again.
  [[nodiscard]] static JsonReader checked(std::string_view text);

  [[nodiscard]] Expected<Item> next();

  // Consumes one whole value (after a key, or where an element may stand) and returns its text.
  [[nodiscard]] Expected<std::string_view> skip();

  // Consumes what is left of the object or array just begun.
  [[nodiscard]] Expected<void> skip_rest();

  [[nodiscard]] std::size_t offset() const { return at_; }

  // Of a text cut inside a string: where that string's characters began; empty when it was not cut
  // inside one.
  [[nodiscard]] std::optional<std::size_t> cut_string() const { return cut_string_; }

 private:
  enum class Expect : std::uint8_t {
    value,
    first_key,
    next_key,
    first_element,
    separator,
    nothing
  };

  struct Level {
    std::uint32_t begin = 0;  // offset of the first member
    std::uint16_t members = 0;
    bool object = false;
  };

  [[nodiscard]] bool in_object() const { return levels_[depth_ - 1].object; }
  [[nodiscard]] Expected<Item> open(bool object);
  [[nodiscard]] Expected<Item> close(bool object);
  [[nodiscard]] Expected<Item> read_key();
  [[nodiscard]] Expected<Item> read_value();
  [[nodiscard]] Expected<Item> read_string(Token token);
  [[nodiscard]] Expected<Item> read_number();
  [[nodiscard]] Expected<Item> read_word(std::string_view word, Token token);
  [[nodiscard]] Expected<Item> done(Item item);
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Expect expect_ = Expect::value;
  bool look_for_duplicates_ = true;
  std::optional<std::size_t> cut_string_;
  std::array<Level, kMaxJsonDepth> levels_{};
};

// The whole text is one strict JSON value (E4). Returns the token it begins with.
[[nodiscard]] Expected<Token> check_json(std::string_view text);

// Decodes the raw text of a string in place (escapes only shrink): lone surrogates become U+FFFD
// (E4). `raw` points into `buffer`. Returns the decoded part. REQUIRES: a text that the reader
// accepted.
[[nodiscard]] std::string_view decode_in_place(std::string_view raw, std::span<char> buffer);

// Whether the decoded form of `raw` is `plain`.
[[nodiscard]] bool raw_equals(std::string_view raw, std::string_view plain);

// A number token as an integer: no point, no exponent, within 64 bits; otherwise empty.
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view token);

// A number token as a double; beyond its range +-infinity. No locale, no heap; exact for everyday
// values.
[[nodiscard]] double number_of(std::string_view token);

}  // namespace gadget::protocol
