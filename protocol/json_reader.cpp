#include "protocol/json_reader.hpp"

#include <algorithm>
#include <limits>

#include "protocol/utf8.hpp"

namespace gadget::protocol {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

[[nodiscard]] bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
[[nodiscard]] bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four hex digits after "\u". REQUIRES: they are there and were checked.
[[nodiscard]] std::uint32_t unit_at(std::string_view raw, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    unit = unit * 16 + static_cast<std::uint32_t>(hex_value(raw[at + i]));
  }
  return unit;
}

// Takes the decoded form of an accepted raw string apart, a character at a time.
class Decoder {
 public:
  explicit Decoder(std::string_view raw) : raw_(raw) {}
  [[nodiscard]] bool done() const { return at_ == raw_.size(); }

  // The next decoded bytes: 1 to 4 of them.
  [[nodiscard]] std::string_view next() {
    if (raw_[at_] != '\\') return {raw_.data() + at_++, 1};
    const char kind = raw_[at_ + 1];
    if (kind != 'u') {
      at_ += 2;
      character_[0] = plain(kind);
      return {character_.data(), 1};
    }
    std::uint32_t code = unit_at(raw_, at_ + 2);
    at_ += 6;
    const bool high = code >= 0xD800 && code <= 0xDBFF;
    if (high && at_ < raw_.size() && raw_[at_] == '\\' && raw_[at_ + 1] == 'u') {
      const std::uint32_t low = unit_at(raw_, at_ + 2);
      if (low >= 0xDC00 && low <= 0xDFFF) {
        at_ += 6;
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
      }
    }
    if (code >= 0xD800 && code <= 0xDFFF) code = kReplacement;
    return {character_.data(), encode_utf8(code, character_)};
  }

 private:
  [[nodiscard]] static char plain(char kind) {
    switch (kind) {
      case 'b': return '\b';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      default: return kind;
    }
  }

  std::string_view raw_;
  std::size_t at_ = 0;
  std::array<char, 4> character_{};
};

// FNV-1a of what a raw string stands for.
[[nodiscard]] std::uint32_t hash_of(const std::string_view& raw, std::uint32_t hash) {
  for (Decoder decoder(raw); !decoder.done();) {
    for (const char c : decoder.next()) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
    }
  }
  return hash;
}
constexpr std::uint32_t kFirstBasis = 2'166'136'261U;
constexpr std::uint32_t kSecondBasis = 3'141'592'653U;

// Walks over the members of an object whose text was accepted so far.
class MemberWalk {
 public:
  explicit MemberWalk(std::string_view members) : text_(members) {}

  // The next raw key, or nothing at the end.
  [[nodiscard]] std::optional<std::string_view> next() {
    to_quote();
    if (at_ >= text_.size()) return std::nullopt;
    const std::string_view key = string();
    skip_value();
    return key;
  }

 private:
  void to_quote() {
    while (at_ < text_.size() && text_[at_] != '"') ++at_;
  }
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    return {text_.data() + begin, at_++ - begin};
  }
  void skip_value() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        (void)string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
      if (c == ',' && depth == 0) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Whether two of the members have the same key. Quadratic in at most kMaxJsonMembers hashes; equal
// ones are rare among different keys, and only then a second hash decides: 64 bits in all.
[[nodiscard]] bool has_duplicates(std::string_view members, std::size_t count) {
  std::array<std::uint32_t, kMaxJsonMembers> hashes;  // NOLINT: filled below
  MemberWalk walk(members);
  for (std::size_t have = 0; have < count; ++have) {
    const auto key = walk.next();
    if (!key) break;
    const std::uint32_t hash = hash_of(*key, kFirstBasis);
    const auto end = hashes.begin() + static_cast<std::ptrdiff_t>(have);
    if (std::find(hashes.begin(), end, hash) != end) {
      MemberWalk before(members);
      for (std::size_t i = 0; i < have; ++i) {
        const auto other = before.next();
        if (hashes[i] == hash && hash_of(*other, kSecondBasis) == hash_of(*key, kSecondBasis)) {
          return true;
        }
      }
    }
    hashes[have] = hash;
  }
  return false;
}

}  // namespace

JsonReader JsonReader::checked(const std::string_view& text) {
  JsonReader reader(text);
  reader.look_for_duplicates_ = false;
  return reader;
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

Token JsonReader::fails(ErrorCode code, std::size_t at) {
  failure_ = Error{code, "", static_cast<std::uint32_t>(at)};
  return Token::fault;
}

Token JsonReader::take(Token token, std::size_t end) {
  item_ = Item{token, between(at_, end), false, static_cast<std::uint32_t>(at_)};
  at_ = end;
  return token;
}

Token JsonReader::step() {
  skip_space();
  if (expect_ == Expect::nothing) {
    if (at_ < text_.size()) return fails(ErrorCode::trailing_text, at_);
    return take(Token::end, at_);
  }
  if (at_ >= text_.size()) return fails(ErrorCode::truncated, at_);
  const char c = text_[at_];
  if (expect_ == Expect::separator) {
    if (c == '}' || c == ']') return close(c == '}');
    if (c != ',') return fails(ErrorCode::syntax, at_);
    ++at_;
    expect_ = levels_[depth_ - 1U].object ? Expect::next_key : Expect::value;
    return step();
  }
  if (expect_ == Expect::first_key && c == '}') return close(true);
  if (expect_ == Expect::first_element && c == ']') return close(false);
  if (expect_ == Expect::first_key || expect_ == Expect::next_key) return read_key();
  return read_value();
}

Token JsonReader::open(bool object) {
  if (depth_ == kMaxJsonDepth) return fails(ErrorCode::too_deep, at_);
  take(object ? Token::begin_object : Token::begin_array, at_ + 1);
  levels_[depth_++] = Level{static_cast<std::uint32_t>(at_), 0, object};
  expect_ = object ? Expect::first_key : Expect::first_element;
  return item_.token;
}

Token JsonReader::close(bool object) {
  const Level& level = levels_[depth_ - 1U];
  if (level.object != object) return fails(ErrorCode::syntax, at_);
  if (look_for_duplicates_ && level.members > 1 &&
      has_duplicates(between(level.begin, at_), level.members)) {
    return fails(ErrorCode::duplicate_key, level.begin);
  }
  --depth_;
  return done(take(object ? Token::end_object : Token::end_array, at_ + 1));
}

Token JsonReader::done(Token token) {
  if (token != Token::fault) expect_ = depth_ == 0 ? Expect::nothing : Expect::separator;
  return token;
}

Token JsonReader::read_key() {
  if (text_[at_] != '"') return fails(ErrorCode::syntax, at_);
  if (++levels_[depth_ - 1U].members > kMaxJsonMembers) {
    return fails(ErrorCode::too_many_members, at_);
  }
  const Token key = read_string(Token::key);
  if (key == Token::fault) return key;
  skip_space();
  if (at_ >= text_.size()) return fails(ErrorCode::truncated, at_);
  if (text_[at_] != ':') return fails(ErrorCode::syntax, at_);
  ++at_;
  expect_ = Expect::value;
  return key;
}

Token JsonReader::read_value() {
  switch (text_[at_]) {
    case '{': return open(true);
    case '[': return open(false);
    case '"': return done(read_string(Token::string));
    case 't': return read_word("true", Token::boolean);
    case 'f': return read_word("false", Token::boolean);
    case 'n': return read_word("null", Token::null);
    default: return read_number();
  }
}

Token JsonReader::read_string(Token token) {
  const std::size_t begin = at_ + 1;
  bool escaped = false;
  std::size_t i = begin;
  while (i < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c == '"') {
      item_ = Item{token, between(begin, i), escaped, static_cast<std::uint32_t>(at_)};
      at_ = i + 1;
      return token;
    }
    if (c < 0x20) return fails(ErrorCode::syntax, i);
    if (c >= 0x80) {
      const std::string_view rest = between(i, text_.size());
      const std::size_t size = utf8_character_bytes(rest);
      if (size == 0) {
        if (utf8_is_cut(rest)) break;
        return fails(ErrorCode::invalid_utf8, i);
      }
      i += size;
      continue;
    }
    if (c != '\\') {
      ++i;
      continue;
    }
    escaped = true;
    if (i + 1 >= text_.size()) break;
    const char kind = text_[i + 1];
    if (kind != 'u') {
      if (std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) {
        return fails(ErrorCode::syntax, i);
      }
      i += 2;
      continue;
    }
    for (std::size_t k = i + 2; k < i + 6 && k < text_.size(); ++k) {
      if (hex_value(text_[k]) < 0) return fails(ErrorCode::syntax, k);
    }
    if (i + 6 > text_.size()) break;
    i += 6;
  }
  if (token == Token::string) cut_string_ = begin;
  at_ = i;  // up to here the string is whole characters
  return fails(ErrorCode::truncated, i);
}

// RFC 8259, section 6, as the characters that may follow.
Token JsonReader::read_number() {
  std::size_t i = at_;
  const auto here = [&] { return i < text_.size() ? text_[i] : '\0'; };
  const auto digits = [&] {
    if (!is_digit(here())) return false;
    while (is_digit(here())) ++i;
    return true;
  };
  if (here() == '-') ++i;
  bool good = true;
  if (here() == '0') {
    ++i;
  } else {
    good = digits();
  }
  if (good && here() == '.') {
    ++i;
    good = digits();
  }
  if (good && (here() | 0x20) == 'e') {
    ++i;
    if (here() == '+' || here() == '-') ++i;
    good = digits();
  }
  if (!good) return fails(i >= text_.size() ? ErrorCode::truncated : ErrorCode::syntax, i);
  return done(take(Token::number, i));
}

Token JsonReader::read_word(std::string_view word, Token token) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (at_ + i == text_.size()) return fails(ErrorCode::truncated, text_.size());
    if (text_[at_ + i] != word[i]) return fails(ErrorCode::syntax, at_);
  }
  return done(take(token, at_ + word.size()));
}

bool JsonReader::skip() {
  if (step() == Token::fault) return false;
  const std::uint32_t begin = item_.offset;
  if (!skip_rest()) return false;
  item_.offset = begin;
  return true;
}

bool JsonReader::skip_rest() {
  if (item_.token != Token::begin_object && item_.token != Token::begin_array) return true;
  const std::size_t outside = depth_ - 1U;
  while (depth_ > outside) {
    if (step() == Token::fault) return false;
  }
  return true;
}

Expected<Token> check_json(const std::string_view& text) {
  JsonReader reader(text);
  const Token first = reader.step();
  for (Token token = first; token != Token::end; token = reader.step()) {
    if (token == Token::fault) return tl::unexpected<Error>(reader.failure());
  }
  return first;
}

std::string_view decode_in_place(std::string_view raw, std::span<char> buffer) {
  char* const begin = buffer.data() + (raw.data() - buffer.data());
  char* out = begin;
  for (Decoder decoder(raw); !decoder.done();) {
    // Never ahead of the reader: no escape is shorter than what it stands for.
    for (const char c : decoder.next()) *out++ = c;
  }
  return {begin, static_cast<std::size_t>(out - begin)};
}

bool raw_equals(const std::string_view& raw, const char* plain) {
  return raw_equals(raw, std::string_view(plain));
}

bool raw_equals(const std::string_view& raw, const std::string_view& plain) {
  std::size_t at = 0;
  for (Decoder decoder(raw); !decoder.done();) {
    for (const char c : decoder.next()) {
      if (at == plain.size() || plain[at++] != c) return false;
    }
  }
  return at == plain.size();
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  const bool negative = token.starts_with('-');
  if (negative) token.remove_prefix(1);
  if (token.empty()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t most = kMost + (negative ? 1U : 0U);
  std::uint64_t value = 0;
  for (const char c : token) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (most - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return static_cast<std::int64_t>(negative ? 0U - value : value);
}

namespace {

// A number token as digits times a power of ten.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;
  int exponent = 0;
};

constexpr int kMaxExponent = 400;  // beyond: infinity or zero

[[nodiscard]] Decimal decimal_of(std::string_view token) {
  constexpr int kDigits = 18;  // that fit 64 bits; the rest only moves the exponent
  Decimal out;
  out.negative = token.starts_with('-');
  int digits = 0;
  std::size_t i = out.negative ? 1 : 0;
  bool fraction = false;
  for (; i < token.size() && (is_digit(token[i]) || token[i] == '.'); ++i) {
    if (token[i] == '.') {
      fraction = true;
      continue;
    }
    if (digits < kDigits) {
      out.digits = out.digits * 10 + static_cast<std::uint64_t>(token[i] - '0');
      digits += out.digits != 0 ? 1 : 0;
      out.exponent -= fraction ? 1 : 0;
    } else {
      out.exponent += fraction ? 0 : 1;
    }
    out.exponent = std::clamp(out.exponent, -2 * kMaxExponent, 2 * kMaxExponent);
  }
  if (i < token.size()) {  // e or E
    ++i;
    const bool down = i < token.size() && token[i] == '-';
    if (i < token.size() && (token[i] == '-' || token[i] == '+')) ++i;
    int given = 0;
    for (; i < token.size(); ++i) given = std::min(given * 10 + (token[i] - '0'), 10'000);
    out.exponent += down ? -given : given;
  }
  out.exponent = std::clamp(out.exponent, -kMaxExponent, kMaxExponent);
  return out;
}

}  // namespace

double number_of(std::string_view token) {
  auto [negative, digits, exponent] = decimal_of(token);
  auto value = static_cast<double>(digits);
  for (; exponent > 0 && value != 0; --exponent) value *= 10;
  for (; exponent < 0 && value != 0; ++exponent) value /= 10;
  return negative ? -value : value;
}

Whole whole_of(std::string_view token, int power) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  const auto number = decimal_of(token);
  auto digits = number.digits;
  int exponent = number.exponent + power;
  bool exact = true;
  for (; exponent > 0 && digits != 0 && digits <= kMost; --exponent) digits *= 10;
  for (; exponent < 0 && digits != 0; ++exponent) {
    exact = exact && digits % 10 == 0;
    digits /= 10;
  }
  const auto value = static_cast<std::int64_t>(std::min(digits, kMost));
  return {number.negative ? -value : value, exact};
}

}  // namespace gadget::protocol
