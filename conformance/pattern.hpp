// pattern.hpp - JSON as scenarios write it: with `*`, `$name` and computed values.
//
//   *                    any value
//   $x                   binds the value the first time, later must equal it
//   $key(NAME)           the key of a device that the scenario names, base64; $id(NAME) its id
//   $mac(NAME, NONCE)    H11 (NAME may be a key in base64, as a device gave it); $hubmac(NAME,
//   NONCE) N1; $otamac(NAME, NONCE, SHA256, SIZE) O2 $repeat("ab", N)     a long text; $now wall
//   time in milliseconds
//
// An object matches when the fields that the pattern names match; others are free. Arrays match
// element by element.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/failure.hpp"
#include "protocol/identity.hpp"

namespace gadget::conformance {

// What a scenario has bound so far.
using Bindings = std::map<std::string, boost::json::value, std::less<>>;

// The key of the device that a scenario calls `name`: SHA-256 of the name, so that every run has
// the same ids.
// A name that is the base64 of 32 bytes is a key itself.
[[nodiscard]] protocol::Key key_of(std::string_view name);
[[nodiscard]] protocol::DeviceId id_of(std::string_view name);

struct Pattern {
  enum class Kind : std::uint8_t { any, variable, call, literal, array, object };
  Kind kind = Kind::any;
  std::string name;               // of a variable or a call
  boost::json::value literal;     // of a literal
  std::vector<std::string> keys;  // of an object
  std::vector<Pattern> parts;     // elements, member values, or arguments
};

// Errors: invalid_argument, with the column.
[[nodiscard]] Result<Pattern> parse_pattern(std::string_view text);

// Empty when `value` matches; otherwise the path and what was expected there. Binds free variables.
[[nodiscard]] std::string mismatch(const Pattern& pattern, const boost::json::value& value,
                                   Bindings& bindings);

// The value to send. Errors: invalid_argument for `*` and for a variable that nothing has bound.
[[nodiscard]] Result<boost::json::value> evaluate(const Pattern& pattern, const Bindings& bindings);

}  // namespace gadget::conformance
