// version.hpp - which of two firmware versions is the older one (E29).
#pragma once

#include <string_view>

namespace gadget::hub {

// Below 0: `left` is older. Numbers count as numbers, a leading `v` is ignored, what follows a `+`
// too, and 1.2.0-rc1 is older than 1.2.0, as in semantic versioning. Any two texts have an order.
[[nodiscard]] int compare_versions(std::string_view left, std::string_view right);

}  // namespace gadget::hub
