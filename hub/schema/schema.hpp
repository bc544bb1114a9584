// schema.hpp - JSON Schema (draft 7) of action arguments: whether one may be used at all, and
// whether arguments fit it (X1, B-69, B-86).
//
// A schema comes from a device, so it is hostile until it was walked through: references, patterns,
// formats and whatever else can make a validator hang, crash or reach out are refused, and the
// action then counts as one without a schema. Pure functions, any thread; time and memory are
// bounded by the sizes below.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/failure.hpp"

namespace gadget::hub {

// The deepest nesting of a schema that is used. Arguments nest at most as deep as a message (E4).
inline constexpr std::size_t kMaxSchemaDepth = 16;
// Values of the schema times values of the arguments: what the work of a check grows with.
inline constexpr std::size_t kMaxSchemaWork = 500'000;

// Error: invalid_argument, which says what is in the way ("$ref is not supported").
[[nodiscard]] Result<void> check_schema(std::string_view schema_json);

// `schema_json` passed check_schema, or is "{}". Error: invalid_argument, which names the argument
// and what is wrong with it.
[[nodiscard]] Result<void> check_args(std::string_view schema_json, std::string_view args_json);

}  // namespace gadget::hub
