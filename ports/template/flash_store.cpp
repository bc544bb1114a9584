#include "ports/template/flash_store.hpp"

#include <algorithm>
#include <array>

#include "device/update/crc32.hpp"

namespace gadget::ports::port_template {
namespace {

constexpr std::uint32_t kMagic = 0x48475331;  // "HGS1"
constexpr std::byte kMark{0xA5};
constexpr std::byte kErased{0xFF};
constexpr std::size_t kHeadBytes = 8;  // of a page, and of a record
constexpr std::size_t kMostUnit = 32;  // STM32H7
// A record of the largest name and value, filled up.
constexpr std::size_t kMostRecordBytes =
    kHeadBytes + FlashStore::kNameBytes + FlashStore::kValueBytes + kMostUnit - kHeadBytes;
static_assert(kFlashUnit == 8 || kFlashUnit == 16 || kFlashUnit == kMostUnit);

std::uint32_t u32_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i > 0; --i) {
    value = value << 8U | std::to_integer<std::uint32_t>(bytes[at + i - 1]);
  }
  return value;
}

void put_u32(std::span<std::byte> bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
}

// Of a whole record, whose own field for it is left out.
std::uint32_t record_crc(std::span<const std::byte> record) {
  return device::crc32(record.subspan(kHeadBytes), device::crc32(record.first(4)));
}

bool is_erased(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == kErased; });
}

}  // namespace

FlashStore::FlashStore(Flash& flash, std::size_t unit) : flash_(flash), unit_(unit) { mount(); }

void FlashStore::mount() {
  has_page_ = false;
  for (unsigned index = 0; index < Flash::kPages; ++index) {
    const auto page = flash_.page(index);
    const std::uint32_t generation = u32_at(page, 0);
    if (u32_at(page, 4) != (~generation ^ kMagic)) continue;
    // Two that count: the power went between the new page's head and the next erase of the old one.
    if (has_page_ && static_cast<std::int32_t>(generation - generation_) < 0) continue;
    has_page_ = true;
    page_ = index;
    generation_ = generation;
  }
  if (!has_page_) return;
  end_ = padded(kHeadBytes);
  while (const auto record = record_at(end_)) end_ += record->size;
  // A record that was cut off: nothing is written behind it, the next put moves to the other page.
  const auto page = flash_.page(page_);
  if (!is_erased(page.subspan(end_))) end_ = page.size();
}

std::optional<FlashStore::Record> FlashStore::record_at(std::size_t offset) const {
  const auto page = flash_.page(page_);
  if (offset + kHeadBytes > page.size()) return std::nullopt;
  const auto rest = page.subspan(offset);
  if (rest[3] != kMark) return std::nullopt;
  const auto value_size =
      std::to_integer<std::size_t>(rest[0]) | std::to_integer<std::size_t>(rest[1]) << 8U;
  const auto name_size = std::to_integer<std::size_t>(rest[2]);
  if (name_size > kNameBytes || value_size > kValueBytes) return std::nullopt;
  const std::size_t size = padded(kHeadBytes + name_size + value_size);
  if (size > rest.size()) return std::nullopt;
  if (record_crc(rest.first(size)) != u32_at(rest, 4)) return std::nullopt;
  const auto name = rest.subspan(kHeadBytes, name_size);
  return Record{{reinterpret_cast<const char*>(name.data()), name.size()},
                rest.subspan(kHeadBytes + name_size, value_size),
                size};
}

// The last record of that name at `from` or behind it.
std::optional<FlashStore::Record> FlashStore::find(std::string_view name, std::size_t from) const {
  std::optional<Record> found;
  while (const auto record = record_at(from)) {
    if (record->name == name) found = record;
    from += record->size;
  }
  return found;
}

std::optional<std::size_t> FlashStore::get(std::string_view name, std::span<std::byte> out) {
  if (!has_page_) return std::nullopt;
  const auto record = find(name, padded(kHeadBytes));
  if (!record || record->value.size() > out.size()) return std::nullopt;
  std::copy(record->value.begin(), record->value.end(), out.begin());
  return record->value.size();
}

bool FlashStore::put(std::string_view name, std::span<const std::byte> value) {
  if (name.size() > kNameBytes || value.size() > kValueBytes) return false;
  if (has_page_) {
    const auto old = find(name, padded(kHeadBytes));
    if (old && std::equal(old->value.begin(), old->value.end(), value.begin(), value.end())) {
      return true;
    }
    if (append(page_, end_, name, value)) return true;
  }
  return move_and_put(name, value);
}

bool FlashStore::keep(unsigned page, std::size_t at, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t room = kProgramBytes - (at + done) % kProgramBytes;
    const auto piece = bytes.subspan(done, std::min(room, bytes.size() - done));
    if (!flash_.write(page, at + done, piece)) return false;
    done += piece.size();
  }
  const auto kept = flash_.page(page).subspan(at, bytes.size());
  return std::equal(kept.begin(), kept.end(), bytes.begin());
}

// Writes a record. False: no room, or the flash did not keep it.
bool FlashStore::append(unsigned page, std::size_t& at, std::string_view name,
                        std::span<const std::byte> value) {
  std::array<std::byte, kMostRecordBytes> record;  // NOLINT: filled below
  record.fill(kErased);
  const std::size_t size = padded(kHeadBytes + name.size() + value.size());
  if (size > flash_.page(page).size() - at) return false;
  record[0] = static_cast<std::byte>(value.size() & 0xFFU);
  record[1] = static_cast<std::byte>(value.size() >> 8U);
  record[2] = static_cast<std::byte>(name.size());
  record[3] = kMark;
  const auto behind = std::transform(name.begin(), name.end(), record.begin() + kHeadBytes,
                                     [](char c) { return static_cast<std::byte>(c); });
  std::copy(value.begin(), value.end(), behind);
  const auto bytes = std::span<const std::byte>{record}.first(size);
  put_u32(record, 4, record_crc(bytes));
  if (!keep(page, at, bytes)) {
    at = flash_.page(page).size();  // whatever is there now, nothing goes behind it
    return false;
  }
  at += size;
  return true;
}

bool FlashStore::move_and_put(std::string_view name, std::span<const std::byte> value) {
  const unsigned target = has_page_ ? 1 - page_ : 0;
  if (!flash_.erase(target)) return false;
  std::size_t at = padded(kHeadBytes);
  if (has_page_) {
    std::size_t from = padded(kHeadBytes);
    while (const auto record = record_at(from)) {
      from += record->size;
      if (record->name == name || find(record->name, from)) continue;  // a newer one follows
      if (!append(target, at, record->name, record->value)) return false;
    }
  }
  if (!append(target, at, name, value)) return false;
  // From this write on the new page counts.
  const std::uint32_t generation = generation_ + 1;
  std::array<std::byte, kMostUnit> head;  // NOLINT: filled below
  head.fill(kErased);
  put_u32(head, 0, generation);
  put_u32(head, 4, ~generation ^ kMagic);
  if (!keep(target, 0, std::span{head}.first(padded(kHeadBytes)))) return false;
  has_page_ = true;
  page_ = target;
  generation_ = generation;
  end_ = at;
  return true;
}

}  // namespace gadget::ports::port_template
