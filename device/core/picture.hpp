// picture.hpp - the picture that the hub sent: from its chunks to the pixels that the screen draws
// (D2, T7, E46, E35).
//
// The hub fitted it to the box that was announced (D3), so that it is only put together here:
// RGB565, row by row, into room of the port's. One picture at a time; a new one replaces it from
// its first message on. Chunks are numbered like audio: repeats are passed over, a gap drops the
// picture. Its time runs from when it shows. Sans-I/O; owned by Gadget.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "device/core/limits.hpp"
#include "device/screen/model.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class PicturePhase : std::uint8_t {
  none,
  receiving,
  waiting,  // whole, but something else shows
  showing,
};

enum class PictureEvent : std::uint8_t {
  start,
  end,    // image.end with something to show
  shown,  // it got the screen
  gone,   // dismissed, its time is over, a chunk was missing or too much
  lost,   // the connection is gone: what is whole stays (E31 is about streams)
};

// Anything not in the table changes nothing.
[[nodiscard]] constexpr std::optional<PicturePhase> next(PicturePhase phase, PictureEvent event) {
  using enum PicturePhase;
  switch (event) {
    case PictureEvent::start: return receiving;
    case PictureEvent::end:
      if (phase == receiving) return waiting;
      break;
    case PictureEvent::shown:
      if (phase == waiting) return showing;
      break;
    case PictureEvent::gone:
      if (phase != none) return none;
      break;
    case PictureEvent::lost:
      if (phase == receiving) return none;
      break;
  }
  return std::nullopt;
}

class Picture {
 public:
  struct Counters {
    std::uint32_t shown = 0;     // came to their end, or as far as they came
    std::uint32_t dropped = 0;   // a gap, more than announced, replaced on the way, or empty
    std::uint32_t repeated = 0;  // chunks that had come before
  };
  enum class Start : std::uint8_t {
    begun,
    malformed,  // larger than the box (E46): nothing changes
    ignored,    // not for this device: no room, a format or stream of another version
  };

  // `room` for the largest picture, `box` as announced. Without either no picture is taken.
  Picture(std::span<screen::Colour> room, const protocol::ImageBox& box);

  // The box to announce (caps.display.image): none where the room is too small for it.
  [[nodiscard]] const std::optional<protocol::ImageBox>& box() const { return box_; }

  Start start(const protocol::ImageStart& message);
  // A chunk. False: of no picture that is being received (E20).
  bool chunk(std::uint8_t stream, std::uint16_t sequence, std::span<const std::byte> payload);
  // image.end: what came is ready to show, black where nothing came. False: of no such picture, or
  // nothing came.
  bool end(std::int64_t stream);
  void connection_lost() { step(PictureEvent::lost); }

  // It got the screen now: its time begins.
  void shown(Ticks now);
  void dismiss() { step(PictureEvent::gone); }
  // True when its time is over just now.
  bool tick(Ticks now);

  [[nodiscard]] PicturePhase phase() const { return phase_; }
  // It has the screen or waits for it.
  [[nodiscard]] bool ready() const {
    return phase_ == PicturePhase::waiting || phase_ == PicturePhase::showing;
  }
  [[nodiscard]] screen::ImageView view() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  bool step(PictureEvent event);
  void drop();

  std::span<screen::Colour> room_;
  std::optional<protocol::ImageBox> box_;
  PicturePhase phase_ = PicturePhase::none;
  std::uint8_t stream_ = 0;
  bool numbered_ = false;  // the first chunk came: sequence_ counts
  std::uint16_t sequence_ = 0;
  std::uint16_t width_ = 0;
  std::uint16_t height_ = 0;
  std::size_t size_ = 0;  // bytes that came
  Ticks ttl_ = kForever;
  Ticks shown_at_ = 0;
  std::uint32_t revision_ = 0;
  Counters counters_;
};

}  // namespace gadget::device
