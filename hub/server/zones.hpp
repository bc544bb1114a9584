// zones.hpp - what an IANA time zone's clock differs from UTC (N2), by ICU. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gadget::hub {

// Seconds east of UTC at a time. "": the system's zone; an unknown one counts as UTC.
[[nodiscard]] std::int64_t utc_offset_s(std::string_view zone, std::int64_t wall_ms);
// Whether ICU knows the zone.
[[nodiscard]] bool is_zone(std::string_view zone);

}  // namespace gadget::hub
