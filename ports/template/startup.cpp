#include "ports/template/startup.hpp"

#include <algorithm>
#include <array>

// Set by template.ld.
extern "C" {
extern std::uint32_t gadget_stack_top, gadget_data_load, gadget_data_begin, gadget_data_end,
    gadget_bss_begin, gadget_bss_end;
extern void (*gadget_init_begin[])(), (*gadget_init_end[])();
[[noreturn]] void gadget_reset();
[[noreturn]] void gadget_main();  // main.cpp
}

namespace gadget::ports::port_template {
namespace {

// PORT: the core's clock after reset, or after you have set up the PLL.
constexpr std::uint32_t kCoreHz = 16'000'000;

// SysTick's registers, the same on every Cortex-M (ARMv7-M, B3.3).
volatile std::uint32_t& systick(std::uint32_t index) {
  return reinterpret_cast<volatile std::uint32_t*>(0xE000E010U)[index];
}

// Where the vector table is, and which coprocessors may be used (ARMv7-M, B3.2).
volatile std::uint32_t& system_control(std::uint32_t offset) {
  return *reinterpret_cast<volatile std::uint32_t*>(0xE000ED00U + offset);
}
constexpr std::uint32_t kVtor = 0x08;
#ifdef __ARM_FP
constexpr std::uint32_t kCpacr = 0x88;
constexpr std::uint32_t kFpuAccess = 0xFU << 20U;  // coprocessors 10 and 11, from everywhere
#endif

volatile std::uint32_t milliseconds = 0;

void on_systick() { milliseconds = milliseconds + 1; }
void on_fault() { halt(); }

using Vector = void (*)();
// The first 16 entries; PORT: add those of your chip's interrupts. More than 128 in all:
// template.ld must align the table to more than 512 bytes, four times their number up to a power of
// two.
[[gnu::section(".vectors"), gnu::used]] const std::array<Vector, 16> kVectors{
    reinterpret_cast<Vector>(&gadget_stack_top),
    gadget_reset,
    on_fault,  // NMI
    on_fault,  // hard fault
    on_fault,  // memory
    on_fault,  // bus
    on_fault,  // usage
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    on_fault,  // SVC
    on_fault,  // debug monitor
    nullptr,
    on_fault,  // PendSV
    on_systick};

}  // namespace

void start_systick() {
  systick(1) = kCoreHz / 1'000 - 1;
  systick(2) = 0;
  systick(0) = 7;  // the core's clock, interrupt, on
}

std::uint32_t systick_ms() { return milliseconds; }

void wait_for_interrupt() { asm volatile("wfi" ::: "memory"); }

void halt() {
  for (;;) asm volatile("" ::: "memory");
}

}  // namespace gadget::ports::port_template

// Also where a boot loader jumps to, once it has set the stack pointer.
void gadget_reset() {
  using namespace gadget::ports::port_template;
#ifdef __ARM_FP  // off after reset: the first instruction of floating point would fault
  system_control(kCpacr) = system_control(kCpacr) | kFpuAccess;
  asm volatile("dsb\n isb" ::: "memory");
#endif
  system_control(kVtor) = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&kVectors));
  std::copy(&gadget_data_load, &gadget_data_load + (&gadget_data_end - &gadget_data_begin),
            &gadget_data_begin);
  std::fill(&gadget_bss_begin, &gadget_bss_end, 0U);
  for (auto** init = gadget_init_begin; init != gadget_init_end; ++init) (*init)();
  gadget_main();
}
