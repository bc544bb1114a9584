// outside_slots.hpp - the firmware slots as the core asks for them (outside.hpp): not counted as
// its memory, and written down when there is a record.
#pragma once

#include "device/update/firmware_slots.hpp"
#include "ports/desktop/journal.hpp"

namespace gadget::ports::desktop {

class OutsideSlots final : public device::FirmwareSlots {
 public:
  // `real` null: there are no slots, and nothing may be asked. `journal` may be null.
  OutsideSlots(device::FirmwareSlots* real, Journal* journal) : real_(real), journal_(journal) {}

  [[nodiscard]] std::uint32_t max_bytes() const override;
  [[nodiscard]] std::uint32_t sector_bytes() const override;
  [[nodiscard]] bool begin() override;
  [[nodiscard]] Erased erase(std::uint32_t offset) override;
  [[nodiscard]] bool write(std::uint32_t offset, std::span<const std::byte> page) override;
  [[nodiscard]] bool read(std::uint32_t offset, std::span<std::byte> out) override;
  [[nodiscard]] bool mark_pending() override;
  [[nodiscard]] bool on_probation() const override;
  [[nodiscard]] bool confirm() override;
  void roll_back() override;
  void reboot() override;

 private:
  template <class Ask>
  [[nodiscard]] bool yes_no(std::string_view what, Ask ask) const;
  template <class Ask>
  [[nodiscard]] std::uint32_t number(std::string_view what, Ask ask) const;

  device::FirmwareSlots* real_;
  Journal* journal_;
};

// In place of slots when a record is played: it answers for them.
class NoSlots final : public device::FirmwareSlots {
 public:
  [[nodiscard]] std::uint32_t max_bytes() const override { return 0; }
  [[nodiscard]] std::uint32_t sector_bytes() const override { return 0; }
  [[nodiscard]] bool begin() override { return false; }
  [[nodiscard]] Erased erase(std::uint32_t) override { return Erased::failed; }
  [[nodiscard]] bool write(std::uint32_t, std::span<const std::byte>) override { return false; }
  [[nodiscard]] bool read(std::uint32_t, std::span<std::byte>) override { return false; }
  [[nodiscard]] bool mark_pending() override { return false; }
  [[nodiscard]] bool on_probation() const override { return false; }
  [[nodiscard]] bool confirm() override { return false; }
  void roll_back() override {}
  void reboot() override {}
};

}  // namespace gadget::ports::desktop
