// boot_record.hpp - which of two slots boots: what a boot loader and the firmware agree on, for
// boards whose vendor has no boot loader of that kind (O9, B-56, B-57).
//
// It lives in two flash sectors, a record in each. The one with the higher counter rules. A change
// is written to a sector that does not rule, so that a cut leaves the old record or the new one.
//
//   offset 0   "HGB1"
//   offset 4   u32 LE  counter
//   offset 8   u8      the confirmed slot
//   offset 9   u8      the slot on trial; FF: none
//   offset 10  u8      how often that one was started
//   offset 11  u8      0
//   offset 12  u32 LE  CRC-32 (IEEE) of the 12 bytes before
//   offset 16  16 x 00 the seal
//
// The seal is written after the record was read back. Bits of a write that a cut tore may read
// differently from one start to the next; a record whose seal was begun was whole before. One
// without a seal is believed as long as it reads well, but is the next to be overwritten, never
// what a change relies upon.
//
// No heap, no I/O but through RecordFlash. A boot loader takes this file,
// boot_record.cpp and crc32.hpp, no other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gadget::device {

inline constexpr unsigned kRecordSectors = 2;
inline constexpr std::uint32_t kRecordBytes = 32;
inline constexpr std::uint32_t kSealOffset = 16;
inline constexpr std::uint8_t kNoSlot = 0xFF;
// How often a slot on trial is started. O9: a crash first, and the previous firmware returns; a
// boot loader cannot tell a crash from a cut, so that one start is all.
inline constexpr std::uint8_t kTrialBoots = 1;

struct BootRecord {
  std::uint32_t counter = 0;
  std::uint8_t confirmed = 0;    // 0 or 1
  std::uint8_t trial = kNoSlot;  // the other one, or kNoSlot
  std::uint8_t tries = 0;
  bool operator==(const BootRecord&) const = default;
};

// The first 16 bytes; also for tools that prepare a board. Empty: no record.
using RecordBody = std::array<std::byte, kSealOffset>;
[[nodiscard]] RecordBody encode(const BootRecord& record);
[[nodiscard]] std::optional<BootRecord> decode(const RecordBody& body);

class RecordFlash {
 public:
  [[nodiscard]] virtual bool read_record(unsigned sector, std::uint32_t offset,
                                         std::span<std::byte> out) = 0;
  [[nodiscard]] virtual bool erase_record(unsigned sector) = 0;
  // 16 bytes at a multiple of 16.
  [[nodiscard]] virtual bool write_record(unsigned sector, std::uint32_t offset,
                                          std::span<const std::byte> bytes) = 0;

 protected:
  ~RecordFlash() = default;
};

// The record that rules; none was ever written: slot 0 is confirmed.
[[nodiscard]] BootRecord load_record(RecordFlash& flash);
// Makes `record` rule; its counter is chosen here. False: flash failed, what ruled still does.
[[nodiscard]] bool store_record(RecordFlash& flash, BootRecord record);

// What a start does, as a pure function.
struct BootChoice {
  std::uint8_t slot = 0;
  bool changed = false;  // `record` must be stored before the slot is started
  BootRecord record;
};
[[nodiscard]] BootChoice choose_boot(BootRecord record, std::uint8_t trial_boots = kTrialBoots);

// All that a boot loader does before it jumps: the slot to start. When flash does not take that a
// trial begins, that is the confirmed one.
[[nodiscard]] std::uint8_t boot(RecordFlash& flash, std::uint8_t trial_boots = kTrialBoots);

}  // namespace gadget::device
