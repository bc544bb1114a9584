// ordinary.hpp - what an ordinary device has, for those who want to know whether a sentence makes
// sense before they know from which device it comes: the recognizer's second opinion, and
// measurements.
#pragma once

#include <string_view>

#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {

// A light, a volume, a thermometer, some things on a list.
[[nodiscard]] const Context& ordinary_context();

// Whether the built-in agent would know what to do with `text` on such a device. Any thread.
[[nodiscard]] bool understood(std::string_view text);

}  // namespace gadget::hub::builtin
