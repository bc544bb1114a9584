#include "device/update/ab_slots.hpp"

namespace gadget::device {

bool AbSlots::store(std::uint8_t confirmed, std::uint8_t trial) {
  return store_record(*flash_, {.counter = 0, .confirmed = confirmed, .trial = trial, .tries = 0});
}

bool AbSlots::begin() {
  const BootRecord record = load_record(*flash_);
  if (record.confirmed != running_) return false;
  // Written even when nothing changes: a record that a cut tore may read otherwise the next time,
  // and its predecessor may name the slot that is about to be erased.
  return store(running_, kNoSlot);
}

bool AbSlots::inside(std::uint32_t offset, std::size_t bytes) const {
  return offset <= flash_->slot_bytes() && bytes <= flash_->slot_bytes() - offset;
}

FirmwareSlots::Erased AbSlots::erase(std::uint32_t offset) {
  if (!inside(offset, flash_->sector_bytes())) return Erased::failed;
  return flash_->erase(spare(), offset);
}

bool AbSlots::write(std::uint32_t offset, std::span<const std::byte> page) {
  return inside(offset, page.size()) && flash_->write(spare(), offset, page);
}

bool AbSlots::read(std::uint32_t offset, std::span<std::byte> out) {
  return inside(offset, out.size()) && flash_->read(spare(), offset, out);
}

bool AbSlots::accepts(const ImageFacts& facts) {
  return FirmwareSlots::accepts(facts) && flash_->starts_from(spare());
}

bool AbSlots::mark_pending() { return store(running_, spare()); }

bool AbSlots::on_probation() const { return load_record(*flash_).trial == running_; }

bool AbSlots::confirm() { return store(running_, kNoSlot); }

void AbSlots::roll_back() {
  // The trial was counted when it began: the boot loader goes back also when this fails.
  (void)store(spare(), kNoSlot);
}

}  // namespace gadget::device
