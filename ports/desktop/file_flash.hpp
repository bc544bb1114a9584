// file_flash.hpp - the flash of a virtual board: two firmware slots and the boot record, as files
// beside the device's key (`device.slot0`, `device.slot1`, `device.boot0`, `device.boot1`).
//
// There are no images that a desktop could run. What is installed is kept, checked and booted as on
// a board, and what changes is the version that the gadget reports. One thread.
#pragma once

#include <filesystem>
#include <string>

#include "device/update/ab_slots.hpp"

namespace gadget::ports::desktop {

class FileFlash final : public device::SlotFlash {
 public:
  // `slot_bytes` 0: this board takes no updates.
  FileFlash(std::filesystem::path folder, std::uint32_t slot_bytes)
      : folder_(std::move(folder)), slot_bytes_(slot_bytes) {}

  // The version of the image in that slot; empty: none, so that what runs is this program's own.
  [[nodiscard]] std::string version_in(unsigned slot) const;
  // Whether the device asked to be restarted since the last call.
  [[nodiscard]] bool take_reboot();

  // ---- device::RecordFlash
  [[nodiscard]] bool read_record(unsigned sector, std::uint32_t offset,
                                 std::span<std::byte> out) override;
  [[nodiscard]] bool erase_record(unsigned sector) override;
  [[nodiscard]] bool write_record(unsigned sector, std::uint32_t offset,
                                  std::span<const std::byte> bytes) override;
  // ---- device::SlotFlash
  [[nodiscard]] std::uint32_t slot_bytes() const override { return slot_bytes_; }
  [[nodiscard]] std::uint32_t sector_bytes() const override;
  [[nodiscard]] device::FirmwareSlots::Erased erase(unsigned slot, std::uint32_t offset) override;
  [[nodiscard]] bool write(unsigned slot, std::uint32_t offset,
                           std::span<const std::byte> page) override;
  [[nodiscard]] bool read(unsigned slot, std::uint32_t offset, std::span<std::byte> out) override;
  void reboot() override { reboot_ = true; }

 private:
  [[nodiscard]] std::filesystem::path file(std::string_view what, unsigned number) const;

  std::filesystem::path folder_;
  std::uint32_t slot_bytes_;
  bool reboot_ = false;
};

}  // namespace gadget::ports::desktop
