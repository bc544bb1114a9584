// backlog.hpp - what a device has to tell while there is no hub: events and typed texts, in their
// order, for a while.
//
// Bounded by the room that it is given, headers included. Full: the oldest goes. Old: a text after
// kTextMaxAgeMs, since what a person said a minute ago may not be what they want now; an event
// after kEventMaxAgeMs, since the hub cannot know when it was. Both are counted. Nothing survives a
// power cut. Sans-I/O; owned by Gadget, which sends what waits when it is paired (E40).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/limits.hpp"

namespace gadget::device {

class Backlog {
 public:
  enum class Kind : std::uint8_t { text, event, event_notify };

  struct Item {
    Kind kind = Kind::text;
    std::string_view name;  // of an event
    std::string_view body;  // the text, or the event's data as JSON
  };

  // What went without being sent.
  struct Lost {
    std::uint32_t texts = 0;
    std::uint32_t events = 0;
  };

  explicit Backlog(std::span<char> room) : room_(room) {}

  // The oldest make room. False: it is too large for all of it, or its name is longer than 255
  // bytes; it is lost, and what waits stays.
  bool add(Ticks now, const Item& item);
  // What waits longest; its views are valid until the next change.
  [[nodiscard]] std::optional<Item> oldest() const;
  // It was sent.
  void drop_oldest();
  // Those that are too old go. Returns whether a text was among them.
  bool expire(Ticks now);
  // The person thought better of it. Returns whether there was one.
  bool forget_texts();
  void clear() { size_ = 0; }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Lost& lost() const { return lost_; }

 private:
  struct Header {
    Ticks at = 0;
    std::uint16_t body_bytes = 0;
    std::uint8_t name_bytes = 0;
    Kind kind = Kind::text;
  };

  [[nodiscard]] Header header(std::size_t at) const;
  [[nodiscard]] static std::size_t bytes(const Header& header) {
    return sizeof(Header) + header.name_bytes + header.body_bytes;
  }
  void erase(std::size_t at);
  void lose(std::size_t at);

  std::span<char> room_;
  std::size_t size_ = 0;
  Lost lost_;
};

}  // namespace gadget::device
