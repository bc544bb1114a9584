// decimal.hpp - whole numbers as text, small (std::to_chars brings a table of its own for each
// width).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace gadget::protocol {

// Room for any 64-bit number without sign.
using DecimalRoom = std::array<char, 20>;

// Writes `value` at the end of `room` and returns the digits.
[[nodiscard]] std::string_view decimal(std::uint64_t value, DecimalRoom& room);

}  // namespace gadget::protocol
