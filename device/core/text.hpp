// text.hpp - texts that are kept: fixed room, cut at a character, no heap.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/identity.hpp"
#include "protocol/utf8.hpp"

namespace gadget::device {

// What texts of every size have in common, so that one function serves them all: their size. Only
// ever a part of a FixedText, whose characters follow it.
class TextHead {
 public:
  void clear() { size_ = 0; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const {
    return {reinterpret_cast<const char*>(this) + sizeof(TextHead), size_};
  }
  // view() == text, in less code where it is called.
  [[nodiscard]] bool is(const std::string_view& text) const;
  // REQUIRES: `capacity` is that of the FixedText, here and below.
  void set(const std::string_view& text, std::size_t capacity);
  // Clears it and leaves nothing of it in memory: for secrets.
  void wipe(std::size_t capacity);

 protected:
  TextHead() = default;

 private:
  [[nodiscard]] std::span<char> room(std::size_t capacity) {
    return {reinterpret_cast<char*>(this) + sizeof(TextHead), capacity};
  }

  std::size_t size_ = 0;
};

template <std::size_t Capacity>
class FixedText : public TextHead {
 public:
  FixedText() { static_assert(sizeof(FixedText) >= sizeof(TextHead) + Capacity); }
  void set(const std::string_view& text) { TextHead::set(text, Capacity); }
  void wipe() { TextHead::wipe(Capacity); }

 private:
  std::array<char, Capacity> chars_;  // as many as the head says count
};

// The same in room of the caller's.
class BorrowedText {
 public:
  explicit BorrowedText(std::span<char> room) : room_(room) {}
  void set(const std::string_view& text) { size_ = protocol::copy_cut(text, room_); }
  void clear() { size_ = 0; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {room_.data(), size_}; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
};

}  // namespace gadget::device
