// ticks.hpp - the time inside the core: milliseconds modulo 2^32, as an instant or as how long.
//
// 64 bits of time are what a port says; inside, an ARM pays for each of them twice. The core's own
// clock goes round in 49 days. So an instant is only ever compared by how far it is from now, which
// must be less than 24 days: no pause is longer than one (E26), whatever is due is done with the
// next tick and does not wait any more, and the Gadget lets no two calls be further apart than
// kLongestStep.
#pragma once

#include <cstdint>

namespace gadget::device {

using Ticks = std::uint32_t;

// Time that passed between two calls; more counts as this much: 12 days, in which all is due.
inline constexpr Ticks kLongestStep = Ticks{1} << 30U;

// `now + ms`, for what the contract counts in more bits. REQUIRES: at most kLongestStep.
[[nodiscard]] constexpr Ticks after(Ticks now, std::int64_t ms) {
  return now + static_cast<Ticks>(ms);
}

[[nodiscard]] constexpr bool is_due(Ticks now, Ticks deadline) {
  return static_cast<std::int32_t>(now - deadline) >= 0;
}

}  // namespace gadget::device
