// outbox.hpp - what waits to be written to one device.
//
// One owner: the connection's event loop. No I/O.
//
// Bounded at kOutboxBytes, the message being added and what is being written included. Control
// messages go first and keep their order; then audio, images and firmware, each in its order. An
// `audio.end` stays behind the audio of its stream, and what was added after it behind that. When
// full: images go, then audio, the oldest first; then add() says `too_slow` and the connection
// closes with 1013 (E2). A `reply.delta` replaces the one that still waits (E22).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "hub/core/hub.hpp"

namespace gadget::hub {

// How much may wait for one device (E2). 1 MiB is 30 s of audio: a link that slow is none.
inline constexpr std::size_t kOutboxBytes = 1024 * 1024;
// What a message costs besides its bytes, so that many small ones are bounded too.
inline constexpr std::size_t kOutboxMessageBytes = 64;
// What one write takes at most, unless a single message is larger: little enough that audio which
// is dropped (E21) is not in it already, enough that the messages of one step leave together.
inline constexpr std::size_t kOutboxBatchBytes = 16 * 1024;

class Outbox {
 public:
  enum class Added : std::uint8_t { queued, too_slow };

  struct Message {
    bool is_text = true;
    std::vector<std::byte> bytes;
    Link::Kind kind = Link::Kind::control;
    int stream = -1;  // -1: of none
  };

  // Too slow: nothing was added.
  Added add_text(std::string_view text, Link::Kind kind);
  Added add_binary(std::vector<std::byte> bytes, Link::Kind kind, std::uint8_t stream);

  // Frames of this stream that wait are gone, and the texts of their lane that name it.
  void drop_stream(std::uint8_t stream);
  // What is not control is gone: the connection is about to close.
  void drop_media();
  void clear();

  // The messages of the next write, in order. They count until written() is called; the next take()
  // comes after that.
  [[nodiscard]] std::span<const Message> take();
  void written();

  [[nodiscard]] bool empty() const;  // nothing waits; something may be being written
  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_ + in_flight_; }

 private:
  enum Lane : std::size_t { control, audio, image, firmware, lanes };

  [[nodiscard]] static Lane lane_of(Link::Kind kind);
  [[nodiscard]] static std::size_t cost(const Message& message) {
    return message.bytes.size() + kOutboxMessageBytes;
  }
  Added add(Message message);
  [[nodiscard]] Lane next_lane() const;
  [[nodiscard]] bool waits_for_its_audio(const Message& message) const;
  void drop_waiting_delta();
  bool drop_oldest(Lane lane);
  void drop_matching(Lane lane, const auto& matches);

  std::array<std::deque<Message>, lanes> queues_;
  std::vector<Message> batch_;
  std::size_t waiting_ = 0;
  std::size_t in_flight_ = 0;
};

}  // namespace gadget::hub
