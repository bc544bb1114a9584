// loader.cpp - a boot loader for boards whose vendor has none: looks which slot is to start, and
// starts it. Linked with startup.cpp and runtime.cpp, where the chip boots; never updated.
#include <algorithm>
#include <array>

#include "device/update/boot_record.hpp"

// PORT: where the slots begin, -Wl,--defsym=gadget_slot_0=0x08010000.
extern "C" const std::byte gadget_slot_0[], gadget_slot_1[];
extern "C" [[noreturn]] void gadget_main();

namespace {

// Behind the header of the image: template.ld.
constexpr std::size_t kVectorsOffset = 512;

// PORT: the two sectors of the boot record, as in your SlotFlash. Until they are there, slot 0 is
// what starts.
class BootFlash final : public gadget::device::RecordFlash {
 public:
  bool read_record(unsigned, std::uint32_t, std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{0xFF});
    return true;
  }
  bool erase_record(unsigned) override { return false; }
  bool write_record(unsigned, std::uint32_t, std::span<const std::byte>) override { return false; }
};

}  // namespace

void gadget_main() {
  BootFlash flash;
  const std::uint8_t slot = gadget::device::boot(flash);
  // PORT: a chip that can remap shows the slot at the one address that images are linked for here.
  // PORT: start the watchdog: an image that hangs is not confirmed.
  const std::byte* const image = slot == 0 ? gadget_slot_0 : gadget_slot_1;
  const auto* const vectors = reinterpret_cast<const std::uint32_t*>(image + kVectorsOffset);
  asm volatile("msr msp, %0\n bx %1" : : "r"(vectors[0]), "r"(vectors[1]) : "memory");
  __builtin_unreachable();
}
