// flash_store.hpp - the core's Store on two pages of flash: small named values, each replaced as a
// whole or not at all, whenever the power is cut.
//
//   page:    u32 LE generation, u32 LE ~generation ^ kMagic; then records
//   record:  u16 LE value size, u8 name size, u8 kMark, u32 LE CRC of all of the record but itself;
//            name; value
//
// Head and records are filled up with 0xFF to a multiple of the unit.
//
// A value is its last good record in the page of the highest generation. Records are only appended.
// When there is no room, the newest of each name moves to the other page, whose head is written
// last: until then the old page counts. One put wears one record; a page of 4 KB takes about 80 of
// the core's before it is erased.
//
// Owner: the port; one thread. No heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/platform.hpp"
#include "ports/template/board.hpp"

namespace gadget::ports::port_template {

class FlashStore final : public device::Store {
 public:
  // No write is longer, and none crosses a multiple of it: the page of serial flash.
  static constexpr std::size_t kProgramBytes = 256;
  static constexpr std::size_t kNameBytes = 32;
  static constexpr std::size_t kValueBytes = 256;

  // Looks for the page that counts. Flash that holds no store yet is an empty one. `unit`: what is
  // written at once, and never a second time: 8 suits flash with an error-correcting code over 64
  // bits (STM32) and smaller units too; 16 and 32, larger ones.
  explicit FlashStore(Flash& flash, std::size_t unit = kFlashUnit);

  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override;
  bool put(std::string_view name, std::span<const std::byte> value) override;

 private:
  struct Record {
    std::string_view name;
    std::span<const std::byte> value;
    std::size_t size = 0;  // of the whole record
  };
  class Writer;

  void mount();
  [[nodiscard]] std::size_t padded(std::size_t size) const {
    return (size + unit_ - 1) / unit_ * unit_;
  }
  // Writes and reads back. False: the flash did not keep it.
  [[nodiscard]] bool keep(unsigned page, std::size_t at, std::span<const std::byte> bytes);
  // The record at `offset` of the page that counts, if a good one is there.
  [[nodiscard]] std::optional<Record> record_at(std::size_t offset) const;
  [[nodiscard]] std::optional<Record> find(std::string_view name, std::size_t from) const;
  [[nodiscard]] bool append(unsigned page, std::size_t& at, std::string_view name,
                            std::span<const std::byte> value);
  [[nodiscard]] bool move_and_put(std::string_view name, std::span<const std::byte> value);

  Flash& flash_;
  std::size_t unit_;
  bool has_page_ = false;
  unsigned page_ = 0;
  std::uint32_t generation_ = 0;
  std::size_t end_ = 0;  // where the next record goes; the page's size: nowhere
};

}  // namespace gadget::ports::port_template
