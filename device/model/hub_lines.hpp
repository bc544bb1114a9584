// hub_lines.hpp - what a hub may say, and what it should not: any message, right, mutilated or
// absurd, drawn from a few bits. The messages and their fields are those of the protocol's own
// tables. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/model/steps.hpp"
#include "protocol/message_fields.hpp"

namespace gadget::device::model {

struct LineField {
  std::string_view name;
  protocol::Kind kind;
  bool required;
};
struct LineRow {
  std::string_view type;
  std::vector<LineField> fields;
};

// Every message that a hub can send, with its fields.
[[nodiscard]] const std::vector<LineRow>& hub_rows();

enum class Harm : std::uint8_t {
  none,
  absent,      // a field is missing
  null,        // a field is null
  other_type,  // a field is of another type
  huge,        // a field is far too long
  cut,         // the text ends early
  flipped,     // a bit of the text is another
  twice,       // a field comes twice
  deep,        // an unknown field with more nesting than anybody takes
  extra,       // an unknown field: no harm (T9)
  unknown,     // another type: no harm (T9)
  count_,
};
// How many kinds of line one field can be made into; for tests that go through all.
inline constexpr std::size_t kHarms = static_cast<std::size_t>(Harm::count_);

// A message of `row` whose values are drawn from `random`; `harm` is done to the field number
// `which` (modulo their number).
[[nodiscard]] std::string hub_line(const LineRow& row, Random& random, Harm harm,
                                   std::uint32_t which);

}  // namespace gadget::device::model
