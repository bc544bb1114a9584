// ab_slots.hpp - FirmwareSlots over bare flash: two slots and the two sectors of a boot record
// (boot_record.hpp). For boards without a boot loader of their own, and for the desktop.
//
// The confirmed slot is never touched. The spare one is erased only after a record that does not
// name it has been written.
#pragma once

#include <cstdint>
#include <span>

#include "device/update/boot_record.hpp"
#include "device/update/firmware_slots.hpp"

namespace gadget::device {

class SlotFlash : public RecordFlash {
 public:
  // A multiple of sector_bytes(), the same for both slots.
  [[nodiscard]] virtual std::uint32_t slot_bytes() const = 0;
  [[nodiscard]] virtual std::uint32_t sector_bytes() const = 0;
  // As in FirmwareSlots, of slot 0 or 1.
  [[nodiscard]] virtual FirmwareSlots::Erased erase(unsigned slot, std::uint32_t offset) = 0;
  [[nodiscard]] virtual bool write(unsigned slot, std::uint32_t offset,
                                   std::span<const std::byte> page) = 0;
  [[nodiscard]] virtual bool read(unsigned slot, std::uint32_t offset,
                                  std::span<std::byte> out) = 0;
  // Whether the image in `slot` starts from there: for chips that cannot remap, whose images are
  // linked for one of the slots.
  [[nodiscard]] virtual bool starts_from(unsigned slot) {
    (void)slot;
    return true;
  }
  virtual void reboot() = 0;

 protected:
  ~SlotFlash() = default;
};

class AbSlots final : public FirmwareSlots {
 public:
  // `running`: the slot that boot() chose.
  AbSlots(SlotFlash& flash, std::uint8_t running) : flash_(&flash), running_(running) {}

  [[nodiscard]] std::uint32_t max_bytes() const override { return flash_->slot_bytes(); }
  [[nodiscard]] std::uint32_t sector_bytes() const override { return flash_->sector_bytes(); }
  [[nodiscard]] bool begin() override;
  [[nodiscard]] Erased erase(std::uint32_t offset) override;
  [[nodiscard]] bool write(std::uint32_t offset, std::span<const std::byte> page) override;
  [[nodiscard]] bool read(std::uint32_t offset, std::span<std::byte> out) override;
  [[nodiscard]] bool accepts(const ImageFacts& facts) override;
  [[nodiscard]] bool mark_pending() override;
  [[nodiscard]] bool on_probation() const override;
  [[nodiscard]] bool confirm() override;
  void roll_back() override;
  void reboot() override { flash_->reboot(); }

 private:
  [[nodiscard]] bool store(std::uint8_t confirmed, std::uint8_t trial);
  [[nodiscard]] std::uint8_t spare() const { return static_cast<std::uint8_t>(1 - running_); }
  // Guards against a caller that lost count: nothing outside the slot is ever touched.
  [[nodiscard]] bool inside(std::uint32_t offset, std::size_t bytes) const;

  SlotFlash* flash_;
  std::uint8_t running_;
};

}  // namespace gadget::device
