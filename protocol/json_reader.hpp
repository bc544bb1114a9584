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
  fault,  // nothing more can be read: JsonReader::failure()
};

struct Item {
  Token token = Token::end;
  std::string_view text;  // see Token; for boolean "true" or "false"
  bool escaped = false;   // a key or string that holds escapes: decode before use
  std::uint32_t offset = 0;
};

class JsonReader {
 public:
  explicit JsonReader(const std::string_view& text) : text_(text) {}

  // For a text that a strict pass has accepted, and whose strings may since have been decoded in
  // place: duplicates are not looked for again.
  [[nodiscard]] static JsonReader checked(const std::string_view& text);

  // Reads the next item, which is item() then. `fault`: failure() says what is wrong.
  Token step();
  // Consumes what is left of the value that item() is or begins. False: failure().
  bool skip_rest();
  // Consumes one whole value, after a key or where an element may stand: its text is value() then.
  // False: failure().
  bool skip();

  [[nodiscard]] const Item& item() const { return item_; }
  [[nodiscard]] std::string_view value() const { return between(item_.offset, at_); }
  [[nodiscard]] const Error& failure() const { return failure_; }

  // step() for code with room for copies.
  [[nodiscard]] Expected<Item> next() {
    if (step() == Token::fault) return tl::unexpected<Error>(failure_);
    return item_;
  }

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

  [[nodiscard]] std::string_view between(std::size_t begin, std::size_t end) const {
    return {text_.data() + begin, end - begin};
  }
  Token fails(ErrorCode code, std::size_t at);
  // The item from here up to `end`.
  Token take(Token token, std::size_t end);
  Token done(Token token);
  Token open(bool object);
  Token close(bool object);
  Token read_key();
  Token read_value();
  Token read_string(Token token);
  Token read_number();
  Token read_word(std::string_view word, Token token);
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::value;
  bool look_for_duplicates_ = true;
  std::uint8_t depth_ = 0;
  Item item_;
  Error failure_;
  std::optional<std::size_t> cut_string_;
  std::array<Level, kMaxJsonDepth> levels_{};
};

// The whole text is one strict JSON value (E4). Returns the token it begins with.
[[nodiscard]] Expected<Token> check_json(const std::string_view& text);

// Decodes the raw text of a string in place (escapes only shrink): lone surrogates become U+FFFD
// (E4). `raw` points into `buffer`. Returns the decoded part. REQUIRES: a text that the reader
// accepted.
[[nodiscard]] std::string_view decode_in_place(std::string_view raw, std::span<char> buffer);

// Whether the decoded form of `raw` is `plain`.
[[nodiscard]] bool raw_equals(const std::string_view& raw, const std::string_view& plain);
[[nodiscard]] bool raw_equals(const std::string_view& raw, const char* plain);

// A number token as an integer: no point, no exponent, within 64 bits; otherwise empty.
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view token);

// A number token times ten to the `power`, towards zero and within +-2^53, without floating point.
struct Whole {
  std::int64_t value = 0;
  bool exact = true;  // nothing was cut off behind the point
};
[[nodiscard]] Whole whole_of(std::string_view token, int power = 0);

// A number token as a double; beyond its range +-infinity. No locale, no heap; exact for everyday
// values.
[[nodiscard]] double number_of(std::string_view token);

}  // namespace gadget::protocol
