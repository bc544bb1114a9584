// stored.hpp - how the core reads and writes its own values in the Store: by literal names and
// exact sizes, so that a call takes little code. Private to the .cpp files of the core.
#pragma once

#include <cstddef>
#include <span>

#include "device/core/platform.hpp"

namespace gadget::device {

// Fills all of `out`. False: there is no such value, or one of another size.
[[nodiscard]] bool get_stored(Store& store, const char* name, std::span<std::byte> out);
[[nodiscard]] bool put_stored(Store& store, const char* name, std::span<const std::byte> value);

}  // namespace gadget::device
