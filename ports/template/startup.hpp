// startup.hpp - what a bare Cortex-M needs to reach gadget_main(), and its millisecond clock. An
// SDK brings its own: then leave startup.cpp and template.ld out, and keep runtime.cpp.
#pragma once

#include <cstdint>

namespace gadget::ports::port_template {

// Starts SysTick at 1 kHz.
void start_systick();
[[nodiscard]] std::uint32_t systick_ms();
void wait_for_interrupt();
// Stops for good, where a debugger finds it.
[[noreturn]] void halt();

}  // namespace gadget::ports::port_template
