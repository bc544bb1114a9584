// Our JSON reader against Boost.JSON. They must agree on every text, but for these known
// differences:
//
//   - duplicate keys: ours refuses (E4), Boost.JSON keeps the last;
//   - lone surrogates: ours makes them U+FFFD (E4), Boost.JSON refuses;
//   - number text: ours keeps the token, Boost.JSON makes a value; it refuses exponents beyond its
//   range;
//   - limits: ours takes 32 levels and 256 members an object (E4).
#include <cstdint>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "protocol/json_reader.hpp"

namespace json = boost::json;
namespace p = gadget::protocol;

namespace {

std::string decoded(std::string_view raw) {
  std::string text(raw);
  return std::string(p::decode_in_place({text.data(), text.size()}, text));
}

// Holds Boost's value against our items. False: a known difference stands in the way.
bool same(p::JsonReader& reader, const json::value& value, const p::Item& item) {
  switch (item.token) {
    case p::Token::null: return value.is_null();
    case p::Token::boolean: return value.is_bool() && value.get_bool() == (item.text == "true");
    case p::Token::number: return value.is_number();
    case p::Token::string: return value.is_string() && value.get_string() == decoded(item.text);
    case p::Token::begin_array: {
      if (!value.is_array()) return false;
      for (const json::value& element : value.get_array()) {
        if (!same(reader, element, *reader.next())) return false;
      }
      return reader.next()->token == p::Token::end_array;
    }
    case p::Token::begin_object: {
      if (!value.is_object()) return false;
      for (std::size_t i = 0; i < value.get_object().size(); ++i) {
        const auto key = reader.next();
        const json::value* member = value.get_object().if_contains(decoded(key->text));
        if (member == nullptr || !same(reader, *member, *reader.next())) return false;
      }
      return reader.next()->token == p::Token::end_object;
    }
    default: return false;
  }
}

// Whether a \u escape of a surrogate is in the text: then the two may differ.
bool mentions_surrogate(std::string_view text) {
  for (std::size_t i = 0; i + 3 < text.size(); ++i) {
    if (text[i] == '\\' && text[i + 1] == 'u' && (text[i + 2] | 0x20) == 'd' && text[i + 3] >= '8')
      return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto ours = p::check_json(text);
  json::error_code failure;
  json::parse_options options;
  options.max_depth = 64;
  const json::value theirs = json::parse(text, failure, {}, options);
  if (!ours) {
    const p::ErrorCode code = ours.error().code;
    const bool ours_alone = code == p::ErrorCode::duplicate_key || code == p::ErrorCode::too_deep ||
                            code == p::ErrorCode::too_many_members;
    if (!failure && !ours_alone) __builtin_trap();
    return 0;
  }
  if (failure) {
    if (!mentions_surrogate(text) && failure != json::error::exponent_overflow) __builtin_trap();
    return 0;
  }
  p::JsonReader reader = p::JsonReader::checked(text);
  if (!same(reader, theirs, *reader.next())) __builtin_trap();
  return 0;
}
