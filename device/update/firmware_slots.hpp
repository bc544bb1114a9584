// firmware_slots.hpp - where new firmware goes: what a port implements to be updated over the air
// (O1-O9).
//
// Two slots: the image that runs lies in one, a new one is written to the other, the spare. The
// core erases, writes, reads back and checks; the port touches its flash and tells its boot loader.
// With a boot loader of the vendor's this is an adapter of some 60 lines; without one, ab_slots.hpp
// implements it over bare flash.
//
// Every call comes from inside a call of Gadget, on the port's thread. None may take longer than
// about 100 ms: the heartbeat waits meanwhile (B-62).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gadget::device {

// Writes are whole pages at multiples of this, each byte once after its erase; the last page of an
// image is filled up with FF. 256 is the page of serial flash and a multiple of every write unit.
inline constexpr std::uint32_t kFlashPageBytes = 256;

// What stands in the image that was written, as it was read back.
struct ImageFacts {
  bool header = false;       // it is a Hermes gadget's by E29: magic, description, project
  bool board = false;        // the board it names is this one
  std::string_view version;  // of the header; empty: none
};

class FirmwareSlots {
 public:
  enum class Erased : std::uint8_t { yes, not_yet, failed };

  // What an image may have at most, `caps.ota.max_size`.
  [[nodiscard]] virtual std::uint32_t max_bytes() const = 0;
  // What one erase blanks: a multiple of kFlashPageBytes. Smaller ones let the heartbeat through.
  [[nodiscard]] virtual std::uint32_t sector_bytes() const = 0;

  // From here on what the spare slot holds means nothing, also after a power cut; a mark is
  // forgotten. False: flash fails, or this image is on probation and needs the other slot.
  [[nodiscard]] virtual bool begin() = 0;
  // Blanks the spare slot's sector that begins at `offset`. `not_yet`: it has begun; asked again
  // with the same offset until it is `yes`.
  [[nodiscard]] virtual Erased erase(std::uint32_t offset) = 0;
  [[nodiscard]] virtual bool write(std::uint32_t offset, std::span<const std::byte> page) = 0;
  [[nodiscard]] virtual bool read(std::uint32_t offset, std::span<std::byte> out) = 0;
  // Whether such an image may be started here. A port that knows more (a signature, another kind
  // of image) checks more.
  [[nodiscard]] virtual bool accepts(const ImageFacts& facts) {
    return facts.header && facts.board;
  }
  // The spare slot boots next, on probation. Durable when it returns true; until then the present
  // image boots.
  [[nodiscard]] virtual bool mark_pending() = 0;

  // O9. The image that runs was marked, and not confirmed yet. If it restarts without
  // being confirmed, whatever the reason, the boot loader starts the previous one.
  [[nodiscard]] virtual bool on_probation() const = 0;
  // It stays. Durable when it returns true.
  [[nodiscard]] virtual bool confirm() = 0;
  // The previous image boots next. What fails here, the boot loader does all the same.
  virtual void roll_back() = 0;
  // Resets the machine, at once; may return while that happens. The hub knows: the core closed the
  // connection half a second ago.
  virtual void reboot() = 0;

 protected:
  ~FirmwareSlots() = default;
};

}  // namespace gadget::device
