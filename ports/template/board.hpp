// board.hpp - what the template port needs of a board. Copy this folder, then write a class like
// my_board.cpp: it is the only file that knows your SDK. docs/porting.md goes through it step by
// step.
//
// Every call comes from Port::step(), on one thread, and returns at once: nothing waits for the
// network, a display or a sound buffer (B-27). The store's calls may take as long as your flash
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
#include "ports/template/port_config.hpp"

namespace gadget::ports::port_template {

// Two erasable pages of flash, each of one sector or of several, that hold what survives a power
// cut: see flash_store.hpp. Where firmware slots lie on the same chip, an erase of theirs
// (`not_yet`) may still be going on when one of these calls comes: it must wait for that first.
class Flash {
 public:
  static constexpr unsigned kPages = 2;
  // The page as it is now: flash that is mapped into memory, or a copy in RAM that the two calls
  // below keep up to date. Both pages have the same size, 1 KB or more.
  [[nodiscard]] virtual std::span<const std::byte> page(unsigned index) const = 0;
  // Makes every byte of the page 0xFF. False: it could not.
  [[nodiscard]] virtual bool erase(unsigned index) = 0;
  // Writes bytes that are 0xFF now. `offset` and the size are multiples of kFlashUnit, and no write
  // crosses a multiple of 256, the page of serial flash. False: it could not.
  [[nodiscard]] virtual bool write(unsigned index, std::size_t offset,
                                   std::span<const std::byte> bytes) = 0;

 protected:
  ~Flash() = default;
};

enum class StreamState : std::uint8_t { closed, opening, open };

class Board : public Flash {
 public:
  // The first call of every step: for what needs a pump, as a modem's command channel.
  virtual void poll() {}

  // ---- Always needed

  // Milliseconds since some moment, which wrap around at 2^32. Other counters: tick_clock.hpp. Port
  // widens them (call step() at least every 24 days); when they jump back, its time stands still.
  [[nodiscard]] virtual std::uint32_t ticks_ms() = 0;
  // Bytes of the chip's random generator. The device key is made of these: never rand(), never a
  // seed that another board of this kind could have.
  virtual void random(std::span<std::byte> out) = 0;

  // Whether there is a network (Wi-Fi is joined and has an address).
  [[nodiscard]] virtual bool network_up() = 0;
  // One byte stream to the hub at a time: TCP, or TLS (T2: verify chain, name and validity, or a
  // pinned key). Begins to open it, `tls` for wss://; what becomes of it is asked by
  // stream_state(). `host` ends with a NUL behind it and stays valid until the next call of this.
  // False: it cannot even begin, or has no TLS.
  [[nodiscard]] virtual bool stream_open(std::string_view host, std::uint16_t port, bool tls) = 0;
  // `closed` also when the peer has closed; what it sent before is received first all the same.
  [[nodiscard]] virtual StreamState stream_state() = 0;
  // Whether the stream is encrypted and the hub was verified (E32).
  [[nodiscard]] virtual bool stream_secure() const { return false; }
  // Bytes that stream_send takes now. An empty send buffer must take 4,096 (a ring often holds one
  // less than its size): a message goes into it whole or not at all.
  [[nodiscard]] virtual std::size_t stream_room() = 0;
  virtual void stream_send(std::span<const std::byte> bytes) = 0;
  // Moves what has come into `out`; 0: nothing is there now. What came before the peer closed is
  // still handed out afterwards.
  [[nodiscard]] virtual std::size_t stream_receive(std::span<std::byte> out) = 0;
  // Closes it once what was sent is on its way; nothing of it is wanted any more. While that takes
  // time stream_state() is not `closed`: the next stream_open() waits for it, HubLink::kDrainMs at
  // most, and then drops what is left.
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

  // There is something to play, or no more: for an amplifier that sleeps. No more comes when the
  // last syllable was heard (kSpeakerTailMs).
  virtual void speaker_on(bool on) { (void)on; }
  // Samples (kSpeakerHz) that speaker_write takes now. Keep 20 to 60 ms queued for your DMA.
  [[nodiscard]] virtual std::size_t speaker_room() { return 0; }
  virtual void speaker_write(std::span<const std::int16_t> samples) { (void)samples; }

  // The buttons as their pins are now (kTalkBit ...); Port debounces.
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
  // Whether restart() works here.
  [[nodiscard]] virtual bool can_restart() const { return false; }
  // Resets the machine, at once: as FirmwareSlots::reboot() it comes when the console has its
  // answer and the hub knows.
  virtual void restart() {}

  // What happens, for a serial console: "connection", "connected". Never a secret.
  virtual void log(std::string_view what, std::string_view text) {
    (void)what;
    (void)text;
  }

 protected:
  ~Board() = default;
};

}  // namespace gadget::ports::port_template
