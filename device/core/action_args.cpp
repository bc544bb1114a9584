#include "device/core/action_args.hpp"

#include <algorithm>

#include "protocol/decimal.hpp"
#include "protocol/words.hpp"

namespace gadget::device {
namespace {

using protocol::Item;
using protocol::JsonReader;
using protocol::Token;

// A sentence, cut where the room ends: names are ours or were cut before.
class Sentence {
 public:
  explicit Sentence(std::span<char> room) : room_(room) {}
  Sentence& add(const char* text) { return add(std::string_view{text}); }
  Sentence& add(const std::string_view& text) {
    const std::size_t size = std::min(text.size(), room_.size() - size_);
    std::copy_n(text.begin(), size, room_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += size;
    return *this;
  }
  Sentence& add(std::int32_t value) {
    protocol::DecimalRoom digits;
    if (value < 0) add("-");
    const auto size = static_cast<std::uint32_t>(value);
    return add(protocol::decimal(value < 0 ? 0U - size : size, digits));
  }
  [[nodiscard]] std::string_view view() const { return {room_.data(), size_}; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
};

std::span<const ArgSpec> known(const ArgTable& table) {
  return table.args.first(std::min(table.args.size(), kMaxArgs));
}

constexpr char kTypeNames[] = "integer\0number\0boolean\0string\0string\0";

// Characters of a JSON string as it stands between the quotes.
std::size_t characters(std::string_view raw) {
  std::size_t count = 0;
  bool high = false;  // the escape before was the first half of a pair
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto byte = static_cast<unsigned char>(raw[i]);
    if ((byte & 0xC0U) == 0x80U) continue;
    bool low = false;
    bool next_high = false;
    if (byte == '\\' && ++i < raw.size() && raw[i] == 'u' && i + 2 < raw.size()) {
      const bool surrogate = raw[i + 1] == 'd' || raw[i + 1] == 'D';
      const char kind = raw[i + 2];
      next_high =
          surrogate && (kind == '8' || kind == '9' || (kind | 0x20) == 'a' || (kind | 0x20) == 'b');
      low = surrogate && !next_high && kind > '7';
      i += 4;
    }
    if (!(high && low)) ++count;
    high = next_high;
  }
  return count;
}

std::optional<std::size_t> index_of(std::string_view words, std::string_view raw) {
  for (std::size_t i = 0;; ++i) {
    const auto word = word_at(words, i);
    if (word.empty()) return std::nullopt;
    if (protocol::raw_equals(raw, word)) return i;
  }
}

bool in_range(const ArgSpec& arg, std::string_view token) {
  if (arg.type == ArgType::integer) {
    const auto value = protocol::integer_of(token);
    return value && (arg.min == arg.max || (*value >= arg.min && *value <= arg.max));
  }
  const auto [value, exact] = protocol::whole_of(token);
  const int below = !exact && token.starts_with('-') ? 1 : 0;  // what was cut off, made whole
  const int above = !exact && below == 0 ? 1 : 0;
  return arg.min == arg.max || (value - below >= arg.min && value + above <= arg.max);
}

bool fits(const ArgSpec& arg, const Item& value) {
  switch (arg.type) {
    case ArgType::integer:
    case ArgType::number: return value.token == Token::number && in_range(arg, value.text);
    case ArgType::boolean: return value.token == Token::boolean;
    case ArgType::text:
      return value.token == Token::string &&
             (arg.max_length == 0 || characters(value.text) <= arg.max_length);
    case ArgType::choice:
      return value.token == Token::string && index_of(arg.words, value.text).has_value();
  }
  return false;
}

std::string_view say_what_fits(const ArgSpec& arg, std::span<char> room) {
  Sentence out{room};
  out.add(arg.name).add(" must be ");
  switch (arg.type) {
    case ArgType::integer: out.add("a whole number"); break;
    case ArgType::number: out.add("a number"); break;
    case ArgType::boolean: out.add("true or false"); break;
    case ArgType::text: out.add("text"); break;
    case ArgType::choice: out.add("one of: ").add(arg.words); break;
  }
  if (arg.min != arg.max) out.add(" from ").add(arg.min).add(" to ").add(arg.max);
  if (arg.max_length != 0)
    out.add(" of at most ").add(std::int32_t{arg.max_length}).add(" characters");
  return out.view();
}

}  // namespace

std::string_view word_at(std::string_view words, std::size_t index) {
  for (; index > 0; --index) {
    const auto blank = words.find(' ');
    if (blank == std::string_view::npos) return {};
    words.remove_prefix(blank + 1);
  }
  return {words.data(), std::min(words.find(' '), words.size())};
}

void write_schema(const ArgTable& table, protocol::JsonWriter& out) {
  out.part(R"({"type":"object","properties":{)");
  bool some_required = false;
  for (const auto& arg : known(table)) {
    some_required = some_required || !arg.optional;
    out.key(arg.name).part(R"({"type":)");
    out.string(protocol::text_at(kTypeNames, static_cast<std::size_t>(arg.type)));
    if (!arg.description.empty()) out.part(R"("description":)").string(arg.description);
    if (arg.min != arg.max) {
      out.part(R"("minimum":)").integer(arg.min).part(R"("maximum":)").integer(arg.max);
    }
    if (arg.max_length != 0) out.part(R"("maxLength":)").integer(arg.max_length);
    if (arg.type == ArgType::choice) {
      out.part(R"("enum":[)");
      for (std::size_t i = 0;; ++i) {
        const std::string_view word = word_at(arg.words, i);
        if (word.empty()) break;
        out.string(word);
      }
      out.end_array();
    }
    out.end_object();
  }
  out.end_object();
  if (some_required) {
    out.part(R"("required":[)");
    for (const auto& arg : known(table)) {
      if (!arg.optional) out.string(arg.name);
    }
    out.end_array();
  }
  if (table.closed) out.part(R"("additionalProperties":false)");
  out.end_object();
}

std::string_view find_fault(const ArgTable& table, protocol::Json args, std::span<char> room) {
  const auto specs = known(table);
  std::uint32_t seen = 0;
  auto reader = JsonReader::checked(args.empty() ? std::string_view{"{}"} : args.text);
  if (reader.step() != Token::begin_object) return "args must be an object";
  while (reader.step() == Token::key) {
    std::size_t at = 0;
    while (at < specs.size() && !protocol::raw_equals(reader.item().text, specs[at].name)) ++at;
    if (at == specs.size()) {
      if (table.closed) return "there is an argument too many";
      reader.skip();
      continue;
    }
    reader.step();
    if (!fits(specs[at], reader.item())) return say_what_fits(specs[at], room);
    seen |= 1U << at;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].optional && (seen >> i & 1U) == 0) return say_what_fits(specs[i], room);
  }
  return {};
}

std::optional<Item> ActionArgs::find(std::string_view name, Token token) const {
  auto reader = JsonReader::checked(json_.text);
  if (reader.step() != Token::begin_object) return std::nullopt;
  while (reader.step() == Token::key) {
    if (protocol::raw_equals(reader.item().text, name)) {
      if (reader.step() != token) return std::nullopt;
      return reader.item();
    }
    reader.skip();
  }
  return std::nullopt;
}

std::optional<std::int64_t> ActionArgs::integer(std::string_view name) const {
  const auto item = find(name, Token::number);
  return item ? protocol::integer_of(item->text) : std::nullopt;
}

std::optional<double> ActionArgs::number(std::string_view name) const {
  const auto item = find(name, Token::number);
  if (!item) return std::nullopt;
  return protocol::number_of(item->text);
}

std::optional<bool> ActionArgs::boolean(std::string_view name) const {
  const auto item = find(name, Token::boolean);
  if (!item) return std::nullopt;
  return item->text == "true";
}

std::optional<std::size_t> ActionArgs::choice(std::string_view name, std::string_view words) const {
  const auto item = find(name, Token::string);
  return item ? index_of(words, item->text) : std::nullopt;
}

std::optional<std::string_view> ActionArgs::text(std::string_view name,
                                                 std::span<char> room) const {
  const auto item = find(name, Token::string);
  if (!item || item->text.size() > room.size()) return std::nullopt;
  std::copy(item->text.begin(), item->text.end(), room.begin());
  return protocol::decode_in_place({room.data(), item->text.size()}, room);
}

}  // namespace gadget::device
