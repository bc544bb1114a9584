// text.hpp - texts that are kept: fixed room, cut at a character, no heap.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/identity.hpp"
#include "protocol/utf8.hpp"

namespace gadget::device {

template <std::size_t Capacity>
class FixedText {
 public:
  FixedText() = default;
  void set(const std::string_view& text) { size_ = protocol::copy_cut(text, chars_); }
  void clear() { size_ = 0; }
  // Clears it and leaves nothing of it in memory: for secrets.
  void wipe() {
    protocol::wipe(std::as_writable_bytes(std::span{chars_}));
    size_ = 0;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {chars_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<char, Capacity> chars_;  // size_ of them count
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
