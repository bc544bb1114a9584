// smoke.cpp - the whole port on an emulated MPS2 (QEMU: mps2-an385, mps2-an386) to the first lines
// of its log: start-up, vector table, floating point and clock work. For scripts/boot-image only:
// its random numbers are none.
#include <array>

#include "ports/template/port.hpp"
#include "ports/template/startup.hpp"

extern "C" [[noreturn]] void gadget_main();

namespace gadget::ports::port_template {
namespace {

// The UART of the MPS2, and its way out: ARM's semihosting, SYS_EXIT.
volatile std::uint32_t& uart(std::uint32_t index) {
  return reinterpret_cast<volatile std::uint32_t*>(0x40004000U)[index];
}
constexpr std::uint32_t kRunMs = 50;

[[noreturn]] void leave() {
  asm volatile("movs r0, #0x18\n ldr r1, =0x20026\n bkpt 0xAB" ::: "r0", "r1", "memory");
  halt();
}

class SmokeBoard final : public Board {
 public:
  SmokeBoard() {
    for (auto& page : pages_) page.fill(std::byte{0xFF});
    uart(4) = 16;  // the divisor
    uart(2) = 1;   // transmit
  }
  std::uint32_t ticks_ms() override { return systick_ms(); }
  void random(std::span<std::byte> out) override {
    for (auto& byte : out) byte = static_cast<std::byte>(++last_);
  }
  [[nodiscard]] std::span<const std::byte> page(unsigned index) const override {
    return pages_[index];
  }
  [[nodiscard]] bool erase(unsigned index) override {
    pages_[index].fill(std::byte{0xFF});
    return true;
  }
  [[nodiscard]] bool write(unsigned index, std::size_t offset,
                           std::span<const std::byte> bytes) override {
    std::copy(bytes.begin(), bytes.end(),
              pages_[index].begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
  }
  bool network_up() override { return false; }
  bool stream_open(std::string_view, std::uint16_t, bool) override { return false; }
  StreamState stream_state() override { return StreamState::closed; }
  std::size_t stream_room() override { return 0; }
  void stream_send(std::span<const std::byte>) override {}
  std::size_t stream_receive(std::span<std::byte>) override { return 0; }
  void stream_close() override {}
  void log(std::string_view what, std::string_view text) override {
    for (const std::string_view part :
         {what, std::string_view{" "}, text, std::string_view{"\n"}}) {
      for (const char c : part) uart(0) = static_cast<std::uint32_t>(c);
    }
  }

 private:
  std::uint8_t last_ = 0;
  std::array<std::array<std::byte, 2'048>, kPages> pages_;
};

}  // namespace
}  // namespace gadget::ports::port_template

void gadget_main() {
  namespace port = gadget::ports::port_template;
  port::start_systick();
  static port::SmokeBoard board;
  volatile float half = 0.5F;
  half = half * 4.0F;  // faults where the FPU is off
  board.log("floating point", half == 2.0F ? "works" : "is wrong");
  static port::PortMemory memory;
  static port::Port device{board, port::PortConfig{}, memory};
  device.start();
  while (device.now() < port::kRunMs) {
    device.step();
    port::wait_for_interrupt();
  }
  board.log("systick", "runs");
  port::leave();
}
