// test_flash.hpp - serial NOR flash that loses power: for tests only.
//
// An erase sets a sector to FF, a write clears bits only. A cut tears the operation it meets: its
// bits are then between old and new and may read differently after each start, or at each read,
// until they are erased. After the cut nothing has an effect until power_up().
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "device/update/ab_slots.hpp"

namespace gadget::device::test {

// How an operation is torn.
enum class Tear : std::uint8_t {
  before,   // it had not begun
  after,    // it was complete, but nobody heard of it
  bits,     // every bit either way, once and for all
  loose,    // every bit either way, differently after each start
  flicker,  // the same at each read
  prefix,   // its first part is complete, the rest has not begun
  almost,   // all is complete but one bit, which is loose
};
inline constexpr std::array kTears{Tear::before,  Tear::after,  Tear::bits,  Tear::loose,
                                   Tear::flicker, Tear::prefix, Tear::almost};

class TestFlash final : public SlotFlash {
 public:
  static constexpr std::uint32_t kSector = 1'024;
  static constexpr std::uint32_t kSlot = 4 * kSector;
  static constexpr std::uint32_t kKeyBytes = 64;
  static constexpr std::size_t kNever = ~std::size_t{0};

  explicit TestFlash(std::uint32_t sector = kSector, std::uint32_t slot = kSlot)
      : sector_bytes_(sector), slot_bytes_(slot) {
    for (auto& one : slots_) one.blank(slot_bytes_);
    for (auto& record : records_) record.blank(kRecordBytes);
    key_.blank(kKeyBytes);
  }

  // ---- What a test does
  void load(unsigned slot, std::span<const std::byte> image) { slots_[slot].load(image); }
  void load_key(std::span<const std::byte> key) { key_.load(key); }
  // Power goes in the midst of the operation with that number, counted from now.
  void cut_after(std::size_t operations, Tear tear) {
    cut_at_ = operations == kNever ? kNever : operations_ + operations;
    tear_ = tear;
  }
  void power_up() {
    dead_ = false;
    reboots_ = 0;
    for (Area* area : areas()) area->settle(random_);
  }
  void seed(std::uint32_t value) { random_.seed(value); }

  [[nodiscard]] bool dead() const { return dead_; }
  [[nodiscard]] std::size_t operations() const { return operations_; }
  [[nodiscard]] int reboots() const { return reboots_; }
  // A write onto bytes that are not blank, beyond a page or off its grid.
  [[nodiscard]] int misuses() const { return misuses_; }
  [[nodiscard]] bool holds(unsigned slot, std::span<const std::byte> image) const {
    const auto& bytes = slots_[slot].now;
    return image.size() <= bytes.size() && slots_[slot].solid(image.size()) &&
           std::equal(image.begin(), image.end(), bytes.begin());
  }
  [[nodiscard]] std::span<const std::byte> key() const { return key_.now; }

  bool broken = false;                  // every operation fails
  bool stuck_bits = false;              // a write of a page keeps one bit at 1
  int erase_polls = 0;                  // an erase says not_yet so often
  std::size_t write_fails_at = kNever;  // of slots, by offset

  // ---- RecordFlash
  bool read_record(unsigned sector, std::uint32_t offset, std::span<std::byte> out) override {
    return get(records_[sector], offset, out);
  }
  bool erase_record(unsigned sector) override {
    return change(records_[sector], 0, kRecordBytes, nullptr);
  }
  bool write_record(unsigned sector, std::uint32_t offset,
                    std::span<const std::byte> bytes) override {
    if (offset % 16 != 0 || bytes.size() != 16) ++misuses_;
    return change(records_[sector], offset, bytes.size(), bytes.data());
  }

  // ---- SlotFlash
  std::uint32_t slot_bytes() const override { return slot_bytes_; }
  std::uint32_t sector_bytes() const override { return sector_bytes_; }
  FirmwareSlots::Erased erase(unsigned slot, std::uint32_t offset) override {
    if (offset % sector_bytes_ != 0) ++misuses_;
    if (polls_++ < erase_polls) return FirmwareSlots::Erased::not_yet;
    polls_ = 0;
    return change(slots_[slot], offset, sector_bytes_, nullptr) ? FirmwareSlots::Erased::yes
                                                                : FirmwareSlots::Erased::failed;
  }
  bool write(unsigned slot, std::uint32_t offset, std::span<const std::byte> page) override {
    if (offset % kFlashPageBytes != 0 || page.size() != kFlashPageBytes) ++misuses_;
    if (offset == write_fails_at) return false;
    if (!change(slots_[slot], offset, page.size(), page.data())) return false;
    if (stuck_bits) slots_[slot].now[offset] |= std::byte{1};
    return true;
  }
  bool read(unsigned slot, std::uint32_t offset, std::span<std::byte> out) override {
    return get(slots_[slot], offset, out);
  }
  void reboot() override { ++reboots_; }
  [[nodiscard]] bool starts_from(unsigned slot) override {
    return linked_for < 0 || linked_for == static_cast<int>(slot);
  }
  int linked_for = -1;  // the slot of the images; -1: any

 private:
  using Bytes = std::vector<std::byte>;

  // `one` and `other` are what an unsettled bit may read as; where they agree it is solid.
  struct Area {
    Bytes one, other, now;
    bool loose = false;     // some bits are unsettled
    bool flickers = false;  // and read differently each time

    void blank(std::size_t bytes) {
      one.assign(bytes, std::byte{0xFF});
      other = now = one;
    }
    void load(std::span<const std::byte> image) {
      std::copy(image.begin(), image.end(), one.begin());
      other = now = one;
    }
    void settle(std::mt19937& random) {
      if (!loose) return;
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (one[i] == other[i]) continue;
        const auto mask = static_cast<std::byte>(random() & 0xFFU);
        now[i] = (one[i] & mask) | (other[i] & ~mask);
      }
    }
    [[nodiscard]] bool solid(std::size_t bytes) const {
      return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(bytes),
                        other.begin());
    }
  };

  std::array<Area*, 5> areas() {
    return {&slots_[0], &slots_[1], &records_[0], &records_[1], &key_};
  }

  bool get(Area& area, std::uint32_t offset, std::span<std::byte> out) {
    if (dead_ || broken || offset + out.size() > area.now.size()) return false;
    if (area.flickers) area.settle(random_);
    std::copy_n(area.now.begin() + offset, out.size(), out.begin());
    return true;
  }

  // An erase (null) or a write.
  bool change(Area& area, std::uint32_t offset, std::size_t size, const std::byte* bytes) {
    if (dead_ || broken) return false;
    if (offset + size > area.now.size()) {
      ++misuses_;
      return false;
    }
    const auto target = [&](std::size_t i) {
      return bytes == nullptr ? std::byte{0xFF} : bytes[i];
    };
    for (std::size_t i = 0; bytes != nullptr && i < size; ++i) {
      if (area.now[offset + i] != std::byte{0xFF}) ++misuses_;
    }
    dead_ = operations_++ == cut_at_;
    std::size_t whole = size;  // bytes that are complete
    if (dead_ && tear_ != Tear::after) whole = tear_ == Tear::prefix ? random_() % size : 0;
    for (std::size_t i = 0; i < whole; ++i) {
      const std::byte value = bytes == nullptr ? target(i) : area.now[offset + i] & target(i);
      area.one[offset + i] = area.other[offset + i] = area.now[offset + i] = value;
    }
    if (dead_) tear(area, offset, size, target);
    if (!dead_) area.flickers = false;
    return !dead_;
  }

  template <class Target>
  void tear(Area& area, std::uint32_t offset, std::size_t size, const Target& target) {
    if (tear_ == Tear::before || tear_ == Tear::after || tear_ == Tear::prefix) return;
    if (tear_ == Tear::almost) {
      const std::size_t odd = random_() % size;
      const auto bit = static_cast<std::byte>(1U << random_() % 8);
      for (std::size_t i = 0; i < size; ++i) {
        std::byte& was = area.one[offset + i];
        const std::byte open = i == odd ? bit & (was ^ target(i)) : std::byte{0};
        was = (target(i) & ~open) | (was & open);
        area.other[offset + i] = target(i);
      }
      area.now = area.one;
    } else {
      for (std::size_t i = 0; i < size; ++i) area.other[offset + i] = target(i);
    }
    area.loose = true;
    area.settle(random_);
    area.flickers = tear_ == Tear::flicker;
    if (tear_ == Tear::bits) area.one = area.other = area.now;
  }

  std::uint32_t sector_bytes_;
  std::uint32_t slot_bytes_;
  std::array<Area, 2> slots_;
  std::array<Area, 2> records_;
  Area key_;
  std::mt19937 random_{1};
  std::size_t operations_ = 0;
  std::size_t cut_at_ = kNever;
  Tear tear_ = Tear::before;
  bool dead_ = false;
  int polls_ = 0;
  int misuses_ = 0;
  int reboots_ = 0;
};

}  // namespace gadget::device::test
