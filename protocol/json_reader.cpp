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
    if (raw_[at_] != '\\') return raw_.substr(at_++, 1);
    const char kind = raw_[at_ + 1];
    if (kind != 'u') {
      at_ += 2;
      character_[0] = plain(kind);
      return {character_.data(), 1};
    }
    std::uint32_t code = unit_at(raw_, at_ + 2);
    at_ += 6;
    if (code >= 0xD800 && code <= 0xDBFF && raw_.substr(at_).starts_with("\\u")) {
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

[[nodiscard]] std::uint32_t hash_of(std::string_view raw, bool escaped) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  const auto mix = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U; };
  if (!escaped) {
    for (const char c : raw) mix(c);
    return hash;
  }
  for (Decoder decoder(raw); !decoder.done();) {
    for (const char c : decoder.next()) mix(c);
  }
  return hash;
}

[[nodiscard]] bool same_decoded(std::string_view a, std::string_view b) {
  Decoder left(a);
  Decoder right(b);
  std::string_view l;
  std::string_view r;
  for (;;) {
    if (l.empty() && !left.done()) l = left.next();
    if (r.empty() && !right.done()) r = right.next();
    if (l.empty() || r.empty()) return l.empty() && r.empty();
    if (l[0] != r[0]) return false;
    l.remove_prefix(1);
    r.remove_prefix(1);
  }
}

// Walks over the members of an object whose text was accepted so far.
class MemberWalk {
 public:
  explicit MemberWalk(std::string_view members) : text_(members) {}

  // The next raw key, or nothing at the end.
  [[nodiscard]] std::optional<std::string_view> next(bool& escaped) {
    to_quote();
    if (at_ >= text_.size()) return std::nullopt;
    const std::string_view key = string(escaped);
    skip_value();
    return key;
  }

 private:
  void to_quote() {
    while (at_ < text_.size() && text_[at_] != '"') ++at_;
  }
  std::string_view string(bool& escaped) {
    escaped = false;
    const std::size_t begin = ++at_;
    while (text_[at_] != '"') {
      if (text_[at_] == '\\') {
        escaped = true;
        ++at_;
      }
      ++at_;
    }
    return text_.substr(begin, at_++ - begin);
  }
  void skip_value() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        bool ignored = false;
        (void)string(ignored);
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

// Whether two of the members have the same key. Quadratic in at most kMaxJsonMembers hashes.
[[nodiscard]] bool has_duplicates(std::string_view members, std::size_t count) {
  std::array<std::uint32_t, kMaxJsonMembers> hashes;  // NOLINT: filled below
  std::size_t have = 0;
  bool suspect = false;
  bool escaped = false;
  MemberWalk walk(members);
  for (auto key = walk.next(escaped); key && have < count; key = walk.next(escaped)) {
    const std::uint32_t hash = hash_of(*key, escaped);
    const auto end = hashes.begin() + static_cast<std::ptrdiff_t>(have);
    suspect = suspect || std::find(hashes.begin(), end, hash) != end;
    hashes[have++] = hash;
  }
  if (!suspect) return false;
  // Equal hashes are rare among different keys: now compare the keys themselves.
  MemberWalk outer(members);
  for (std::size_t i = 0; i < have; ++i) {
    const auto key = outer.next(escaped);
    MemberWalk inner(members);
    for (std::size_t k = 0; k < i; ++k) {
      const auto other = inner.next(escaped);
      if (hashes[k] == hashes[i] && same_decoded(*key, *other)) return true;
    }
  }
  return false;
}

}  // namespace

JsonReader JsonReader::checked(std::string_view text) {
  JsonReader reader(text);
  reader.look_for_duplicates_ = false;
  return reader;
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

Expected<Item> JsonReader::next() {
  skip_space();
  if (expect_ == Expect::nothing) {
    if (at_ < text_.size()) return error(ErrorCode::trailing_text, "", at_);
    return Item{};
  }
  if (at_ >= text_.size()) return error(ErrorCode::truncated, "", at_);
  const char c = text_[at_];
  if (expect_ == Expect::separator) {
    if (c == '}' || c == ']') return close(c == '}');
    if (c != ',') return error(ErrorCode::syntax, "", at_);
    ++at_;
    expect_ = in_object() ? Expect::next_key : Expect::value;
    return next();
  }
  if (expect_ == Expect::first_key && c == '}') return close(true);
  if (expect_ == Expect::first_element && c == ']') return close(false);
  if (expect_ == Expect::first_key || expect_ == Expect::next_key) return read_key();
  return read_value();
}

Expected<Item> JsonReader::open(bool object) {
  if (depth_ == kMaxJsonDepth) return error(ErrorCode::too_deep, "", at_);
  const Item item{object ? Token::begin_object : Token::begin_array, text_.substr(at_, 1), false,
                  static_cast<std::uint32_t>(at_)};
  ++at_;
  levels_[depth_++] = Level{static_cast<std::uint32_t>(at_), 0, object};
  expect_ = object ? Expect::first_key : Expect::first_element;
  return item;
}

Expected<Item> JsonReader::close(bool object) {
  const Level& level = levels_[depth_ - 1];
  if (level.object != object) return error(ErrorCode::syntax, "", at_);
  if (look_for_duplicates_ && level.members > 1 &&
      has_duplicates(text_.substr(level.begin, at_ - level.begin), level.members)) {
    return error(ErrorCode::duplicate_key, "", level.begin);
  }
  const Item item{object ? Token::end_object : Token::end_array, text_.substr(at_, 1), false,
                  static_cast<std::uint32_t>(at_)};
  ++at_;
  --depth_;
  return done(item);
}

Expected<Item> JsonReader::done(Item item) {
  expect_ = depth_ == 0 ? Expect::nothing : Expect::separator;
  return item;
}

Expected<Item> JsonReader::read_key() {
  if (text_[at_] != '"') return error(ErrorCode::syntax, "", at_);
  if (++levels_[depth_ - 1].members > kMaxJsonMembers) {
    return error(ErrorCode::too_many_members, "", at_);
  }
  const auto key = read_string(Token::key);
  if (!key) return key;
  skip_space();
  if (at_ >= text_.size()) return error(ErrorCode::truncated, "", at_);
  if (text_[at_] != ':') return error(ErrorCode::syntax, "", at_);
  ++at_;
  expect_ = Expect::value;
  return key;
}

Expected<Item> JsonReader::read_value() {
  const char c = text_[at_];
  if (c == '{' || c == '[') return open(c == '{');
  Expected<Item> item = c == '"'   ? read_string(Token::string)
                        : c == 't' ? read_word("true", Token::boolean)
                        : c == 'f' ? read_word("false", Token::boolean)
                        : c == 'n' ? read_word("null", Token::null)
                                   : read_number();
  if (!item) return item;
  return done(*item);
}

Expected<Item> JsonReader::read_string(Token token) {
  const std::size_t begin = at_ + 1;
  bool escaped = false;
  std::size_t i = begin;
  while (i < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c == '"') {
      const Item item{token, text_.substr(begin, i - begin), escaped,
                      static_cast<std::uint32_t>(at_)};
      at_ = i + 1;
      return item;
    }
    if (c < 0x20) return error(ErrorCode::syntax, "", i);
    if (c >= 0x80) {
      const std::size_t size = utf8_character_bytes(text_.substr(i));
      if (size == 0) {
        if (utf8_is_cut(text_.substr(i))) break;
        return error(ErrorCode::invalid_utf8, "", i);
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
        return error(ErrorCode::syntax, "", i);
      }
      i += 2;
      continue;
    }
    for (std::size_t k = i + 2; k < i + 6 && k < text_.size(); ++k) {
      if (hex_value(text_[k]) < 0) return error(ErrorCode::syntax, "", k);
    }
    if (i + 6 > text_.size()) break;
    i += 6;
  }
  if (token == Token::string) cut_string_ = begin;
  at_ = i;  // up to here the string is whole characters
  return error(ErrorCode::truncated, "", i);
}

Expected<Item> JsonReader::read_number() {
  std::size_t i = at_;
  const auto at_digit = [&] { return i < text_.size() && is_digit(text_[i]); };
  const auto bad = [&] {
    return error(i >= text_.size() ? ErrorCode::truncated : ErrorCode::syntax, "", i);
  };
  if (text_[i] == '-') ++i;
  if (!at_digit()) return bad();
  if (text_[i] == '0') {
    ++i;
  } else {
    while (at_digit()) ++i;
  }
  if (i < text_.size() && text_[i] == '.') {
    ++i;
    if (!at_digit()) return bad();
    while (at_digit()) ++i;
  }
  if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
    ++i;
    if (i < text_.size() && (text_[i] == '+' || text_[i] == '-')) ++i;
    if (!at_digit()) return bad();
    while (at_digit()) ++i;
  }
  const Item item{Token::number, text_.substr(at_, i - at_), false,
                  static_cast<std::uint32_t>(at_)};
  at_ = i;
  return item;
}

Expected<Item> JsonReader::read_word(std::string_view word, Token token) {
  const std::string_view here = text_.substr(at_, word.size());
  if (!word.starts_with(here)) return error(ErrorCode::syntax, "", at_);
  if (here.size() < word.size()) return error(ErrorCode::truncated, "", text_.size());
  const Item item{token, here, false, static_cast<std::uint32_t>(at_)};
  at_ += word.size();
  return item;
}

Expected<std::string_view> JsonReader::skip() {
  const auto first = next();
  if (!first) return tl::unexpected<Error>(first.error());
  if (first->token == Token::begin_object || first->token == Token::begin_array) {
    const auto rest = skip_rest();
    if (!rest) return tl::unexpected<Error>(rest.error());
  }
  return text_.substr(first->offset, at_ - first->offset);
}

Expected<void> JsonReader::skip_rest() {
  const std::size_t outside = depth_ - 1;
  while (depth_ > outside) {
    const auto item = next();
    if (!item) return tl::unexpected<Error>(item.error());
  }
  return {};
}

Expected<Token> check_json(std::string_view text) {
  JsonReader reader(text);
  auto item = reader.next();
  if (!item) return tl::unexpected<Error>(item.error());
  const Token first = item->token;
  while (item->token != Token::end) {
    item = reader.next();
    if (!item) return tl::unexpected<Error>(item.error());
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

bool raw_equals(std::string_view raw, std::string_view plain) {
  for (Decoder decoder(raw); !decoder.done();) {
    const std::string_view bytes = decoder.next();
    if (!plain.starts_with(bytes)) return false;
    plain.remove_prefix(bytes.size());
  }
  return plain.empty();
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (digits.empty()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t most = kMost + (negative ? 1U : 0U);
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (most - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return static_cast<std::int64_t>(negative ? 0U - value : value);
}

double number_of(std::string_view token) {
  constexpr int kDigits = 18;        // that fit 64 bits; the rest only moves the exponent
  constexpr int kMaxExponent = 400;  // beyond: infinity or zero
  const bool negative = token.starts_with('-');
  std::uint64_t mantissa = 0;
  int digits = 0;
  int exponent = 0;
  std::size_t i = negative ? 1 : 0;
  bool fraction = false;
  for (; i < token.size() && (is_digit(token[i]) || token[i] == '.'); ++i) {
    if (token[i] == '.') {
      fraction = true;
      continue;
    }
    if (digits < kDigits) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(token[i] - '0');
      digits += mantissa != 0 ? 1 : 0;
      exponent -= fraction ? 1 : 0;
    } else {
      exponent += fraction ? 0 : 1;
    }
    exponent = std::clamp(exponent, -2 * kMaxExponent, 2 * kMaxExponent);
  }
  if (i < token.size()) {  // e or E
    ++i;
    const bool down = i < token.size() && token[i] == '-';
    if (i < token.size() && (token[i] == '-' || token[i] == '+')) ++i;
    int given = 0;
    for (; i < token.size(); ++i) given = std::min(given * 10 + (token[i] - '0'), 10'000);
    exponent += down ? -given : given;
  }
  auto value = static_cast<double>(mantissa);
  exponent = std::clamp(exponent, -kMaxExponent, kMaxExponent);
  for (; exponent > 0 && value != 0; --exponent) value *= 10;
  for (; exponent < 0 && value != 0; ++exponent) value /= 10;
  return negative ? -value : value;
}

}  // namespace gadget::protocol
