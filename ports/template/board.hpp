// board.hpp - what the template port needs of a board. Copy this folder, then write a class like
// my_board.cpp: it is the only file that knows your SDK. docs/porting.md goes through it step by
// step.
//
// Every call comes from Port::step(), on one thread, and returns at once: nothing waits for the
// network, a display or a sound buffer (B-27). The two flash calls may take as long as your flash
// does; they are rare.
//
// Bytes and texts are borrowed during the call. Where a call has a body here, a board that lacks
// the part leaves it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/screen/canvas.hpp"
#include "device/update/firmware_slots.hpp"

namespace gadget::ports::port_template {

// Two erasable pages (or sectors) of flash that hold what survives a power cut: see
// flash_store.hpp.
class Flash {
 public:
  static constexpr unsigned kPages = 2;
  // The page as it is now: flash that is mapped into memory, or a copy in RAM that the two calls
  // below keep up to date. Both pages have the same size, 1 KB or more.
  [[nodiscard]] virtual std::span<const std::byte> page(unsigned index) const = 0;
  // Makes every byte of the page 0xFF. False: it could not.
  [[nodiscard]] virtual bool erase(unsigned index) = 0;
  // Writes bytes that are 0xFF now. `offset` and the size are multiples of FlashStore::kUnit.
  // False: it could not.
  [[nodiscard]] virtual bool write(unsigned index, std::size_t offset,
                                   std::span<const std::byte> bytes) = 0;

 protected:
  ~Flash() = default;
};

enum class StreamState : std::uint8_t { closed, opening, open };

// Which buttons are down, one bit each; a board without one leaves its bit 0.
inline constexpr std::uint8_t kTalkBit = 1;
inline constexpr std::uint8_t kCancelBit = 2;
inline constexpr std::uint8_t kUpBit = 4;
inline constexpr std::uint8_t kDownBit = 8;

class Board : public Flash {
 public:
  // ---- Always needed

  // Milliseconds since some moment. May wrap around at 2^32: Port widens it (call step() at least
  // every 24 days).
  [[nodiscard]] virtual std::uint32_t ticks_ms() = 0;
  // Bytes of the chip's random generator. The device key is made of these: never rand(), never a
  // seed that another board of this kind could have.
  virtual void random(std::span<std::byte> out) = 0;

  // Whether there is a network (Wi-Fi is joined and has an address).
  [[nodiscard]] virtual bool network_up() = 0;
  // One byte stream to the hub at a time: TCP, or TLS (T2: verify chain, name and validity, or a
  // pinned key). Begins to open it, `tls` for wss://; what becomes of it is asked by
  // stream_state(). False: it cannot even begin, or has no TLS.
  [[nodiscard]] virtual bool stream_open(std::string_view host, std::uint16_t port, bool tls) = 0;
  [[nodiscard]] virtual StreamState stream_state() = 0;
  // Whether the stream is encrypted and the hub was verified (E32).
  [[nodiscard]] virtual bool stream_secure() const { return false; }
  // Bytes that stream_send takes now. An empty send buffer must hold 4 KB: a message goes into it
  // whole or not at all.
  [[nodiscard]] virtual std::size_t stream_room() = 0;
  virtual void stream_send(std::span<const std::byte> bytes) = 0;
  // Moves what has come into `out`; 0: nothing is there now. What came before the peer closed is
  // still handed out afterwards.
  [[nodiscard]] virtual std::size_t stream_receive(std::span<std::byte> out) = 0;
  // Closes it once what was sent is on its way; nothing of it is wanted any more.
  virtual void stream_close() = 0;

  // ---- What the board may have

  // Puts pixels of `area`, row by row, on the display. Begin a DMA transfer and return if you can,
  // but finish it before the next call: the memory is used again.
  virtual void screen_pixels(const device::screen::Rect& area,
                             std::span<const device::screen::Colour> pixels) {
    (void)area;
    (void)pixels;
  }

  // The microphone is wanted, or no more.
  virtual void microphone_on(bool on) { (void)on; }
  // Moves samples that were recorded (kMicHz) into `out`; returns how many.
  [[nodiscard]] virtual std::size_t microphone_read(std::span<std::int16_t> out) {
    (void)out;
    return 0;
  }

  // There is something to play, or no more: for an amplifier that sleeps.
  virtual void speaker_on(bool on) { (void)on; }
  // Samples (kSpeakerHz) that speaker_write takes now. Keep 20 to 60 ms queued for your DMA.
  [[nodiscard]] virtual std::size_t speaker_room() { return 0; }
  virtual void speaker_write(std::span<const std::int16_t> samples) { (void)samples; }

  // The buttons as their pins are now; Port debounces.
  [[nodiscard]] virtual std::uint8_t buttons() { return 0; }

  // A lamp that shows a colour, 0xRRGGBB.
  virtual void lamp(std::uint32_t rgb) { (void)rgb; }
  // The display's light, 0 (off) to 100.
  virtual void backlight(int percent) { (void)percent; }

  // A serial console (docs/device-console.md): what was typed since the last call, and a line out.
  [[nodiscard]] virtual std::size_t console_read(std::span<char> out) {
    (void)out;
    return 0;
  }
  virtual void console_line(std::string_view line) { (void)line; }

  // Where new firmware goes (O1-O9); null: this board is not updated over the air.
  [[nodiscard]] virtual device::FirmwareSlots* firmware() { return nullptr; }
  // Restarts the machine. False: it cannot.
  [[nodiscard]] virtual bool restart() { return false; }

  // What happens, for a serial console: "connection", "connected". Never a secret.
  virtual void log(std::string_view what, std::string_view text) {
    (void)what;
    (void)text;
  }

 protected:
  ~Board() = default;
};

}  // namespace gadget::ports::port_template
