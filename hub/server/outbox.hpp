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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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
    int stream = -1;                      // -1: of none
    std::span<const std::byte> shared{};  // the rest of it, in what `owner` keeps
    std::shared_ptr<const void> owner{};
  };

  // Too slow: nothing was added.
  Added add_text(std::string_view text, Link::Kind kind);
  Added add_binary(std::vector<std::byte> bytes, Link::Kind kind, std::uint8_t stream);
  // `begin`, then a payload that is shared: it counts as any other, since it waits as long.
  Added add_shared(std::vector<std::byte> begin, std::span<const std::byte> payload,
                   std::shared_ptr<const void> owner, Link::Kind kind, std::uint8_t stream);

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

  // A queue that takes no memory while it is empty: ten thousand devices are idle most of the time,
  // and four std::deque of each would be 2 KB.
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return first_ == messages_.size(); }
    [[nodiscard]] Message& front() { return messages_[first_]; }
    [[nodiscard]] const Message& front() const { return messages_[first_]; }
    [[nodiscard]] auto begin() const { return messages_.begin() + offset(); }
    [[nodiscard]] auto end() const { return messages_.end(); }
    void push_back(Message message) { messages_.push_back(std::move(message)); }
    void pop_front();
    void clear();
    void erase_if(const auto& matches) {
      messages_.erase(std::remove_if(messages_.begin() + offset(), messages_.end(), matches),
                      messages_.end());
      if (empty()) clear();
    }

   private:
    [[nodiscard]] std::ptrdiff_t offset() const { return static_cast<std::ptrdiff_t>(first_); }
    std::vector<Message> messages_;  // from first_ on
    std::size_t first_ = 0;
  };

  [[nodiscard]] static Lane lane_of(Link::Kind kind);
  [[nodiscard]] static std::size_t cost(const Message& message) {
    return message.bytes.size() + message.shared.size() + kOutboxMessageBytes;
  }
  Added add(Message message);
  [[nodiscard]] Lane next_lane() const;
  [[nodiscard]] bool waits_for_its_audio(const Message& message) const;
  void drop_waiting_delta();
  bool drop_oldest(Lane lane);
  void drop_matching(Lane lane, const auto& matches);

  std::array<Queue, lanes> queues_;
  std::vector<Message> batch_;
  std::size_t waiting_ = 0;
  std::size_t in_flight_ = 0;
};

}  // namespace gadget::hub
