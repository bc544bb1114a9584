#include "device/update/boot_record.hpp"

#include <algorithm>

#include "device/update/crc32.hpp"

namespace gadget::device {
namespace {

constexpr std::size_t kSummedBytes = 12;

void put_u32(std::span<std::byte, 4> out, std::uint32_t value) {
  for (auto& byte : out) {
    byte = static_cast<std::byte>(value & 0xFFU);
    value >>= 8U;
  }
}

}  // namespace

RecordBody encode(const BootRecord& record) {
  RecordBody body{std::byte{'H'}, std::byte{'G'}, std::byte{'B'}, std::byte{'1'}};
  const std::span out{body};
  put_u32(out.subspan<4, 4>(), record.counter);
  body[8] = std::byte{record.confirmed};
  body[9] = std::byte{record.trial};
  body[10] = std::byte{record.tries};
  put_u32(out.subspan<kSummedBytes, 4>(), crc32(out.first<kSummedBytes>()));
  return body;
}

std::optional<BootRecord> decode(const RecordBody& body) {
  BootRecord record;
  for (std::size_t i = 8; i-- > 4;) {
    record.counter = record.counter << 8U | std::to_integer<std::uint32_t>(body[i]);
  }
  record.confirmed = std::to_integer<std::uint8_t>(body[8]);
  record.trial = std::to_integer<std::uint8_t>(body[9]);
  record.tries = std::to_integer<std::uint8_t>(body[10]);
  const bool sane =
      record.confirmed <= 1 && (record.trial == kNoSlot || record.trial == 1 - record.confirmed);
  if (!sane || encode(record) != body) return std::nullopt;
  return record;
}

namespace {

struct Stored {
  std::optional<BootRecord> record;
  bool sealed = false;
};

Stored read(RecordFlash& flash, unsigned sector) {
  Stored stored;
  RecordBody bytes{};
  if (!flash.read_record(sector, 0, bytes)) return stored;
  stored.record = decode(bytes);
  stored.sealed = flash.read_record(sector, kSealOffset, bytes) &&
                  std::any_of(bytes.begin(), bytes.end(),
                              [](std::byte byte) { return byte != std::byte{0xFF}; });
  return stored;
}

struct Ruling {
  unsigned sector = 1;  // without any record the first one goes to sector 0
  BootRecord record;
  bool sealed = true;
};

Ruling ruling(RecordFlash& flash) {
  Ruling best;
  bool found = false;
  for (unsigned sector = 0; sector < kRecordSectors; ++sector) {
    const Stored stored = read(flash, sector);
    if (!stored.record) continue;
    // On the circle of 32 bits: what is up to 2^31 ahead is later.
    const bool later = static_cast<std::int32_t>(stored.record->counter - best.record.counter) > 0;
    if (!found || later) best = {sector, *stored.record, stored.sealed};
    found = true;
  }
  return best;
}

bool write_checked(RecordFlash& flash, unsigned sector, std::uint32_t offset,
                   const RecordBody& bytes) {
  RecordBody back{};
  return flash.write_record(sector, offset, bytes) && flash.read_record(sector, offset, back) &&
         back == bytes;
}

}  // namespace

BootRecord load_record(RecordFlash& flash) { return ruling(flash).record; }

bool store_record(RecordFlash& flash, BootRecord record) {
  const Ruling old = ruling(flash);
  const unsigned target = old.sealed ? 1 - old.sector : old.sector;
  record.counter = old.record.counter + 1;
  return flash.erase_record(target) && write_checked(flash, target, 0, encode(record)) &&
         write_checked(flash, target, kSealOffset, RecordBody{});
}

BootChoice choose_boot(BootRecord record, std::uint8_t trial_boots) {
  if (record.trial == kNoSlot) return {record.confirmed, false, record};
  if (record.tries < trial_boots) {
    ++record.tries;
    return {record.trial, true, record};
  }
  record.trial = kNoSlot;
  record.tries = 0;
  return {record.confirmed, true, record};
}

std::uint8_t boot(RecordFlash& flash, std::uint8_t trial_boots) {
  const BootRecord record = load_record(flash);
  const BootChoice choice = choose_boot(record, trial_boots);
  if (choice.changed && !store_record(flash, choice.record)) return record.confirmed;
  return choice.slot;
}

}  // namespace gadget::device
