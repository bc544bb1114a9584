// action_book.hpp - which actions were asked for on this connection, and what became of them: every
// one is answered exactly once, one that comes again gets the same answer without being done again
// (X2, E37).
//
// Owned and driven by Gadget. No heap: the last kRememberedActions are kept.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/core/platform.hpp"
#include "device/core/text.hpp"

namespace gadget::device {

// Longest id that is remembered. Beyond: the action is not done but refused (`ok:false`, the whole
// id echoed), every time alike. That is so for more than 64 characters, which is malformed (E6) and
// answered all the same (E34), and for 64 that are not ASCII, to spare 3 KB. An id that no message
// of the device can hold cannot be echoed: it is dropped and counted.
inline constexpr std::size_t kActionIdBytes = 64;

class ActionBook {
 public:
  enum class Slot : std::uint8_t { free, running, unsent, answered };

  struct Entry {
    Slot slot = Slot::free;
    ActionTicket ticket;  // counts up: also the age. Like `ok`, of one that is not free
    bool ok;
    FixedText<kActionIdBytes> id;
    FixedText<kActionAnswerBytes> answer;  // result as JSON, or the error
  };

  // The entry of `id`, or null.
  [[nodiscard]] Entry* find(const std::string_view& id);
  [[nodiscard]] Entry* find(ActionTicket ticket);
  // A new entry, running; the oldest that is answered makes room. Null: all still run.
  [[nodiscard]] Entry* open(std::string_view id);
  // An entry whose answer could not be sent yet; null: none.
  [[nodiscard]] Entry* unsent();
  void forget();

 private:
  std::array<Entry, kRememberedActions> entries_;
  ActionTicket last_ticket_ = 0;
};

}  // namespace gadget::device
