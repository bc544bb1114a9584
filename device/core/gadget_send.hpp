// gadget_send.hpp - how the Gadget writes messages; private to its .cpp files.
#pragma once

#include <span>
#include <utility>

#include "device/core/gadget.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {

// Room for the opaque JSON of a message, and for the message that embeds it.
[[nodiscard]] inline std::pair<std::span<char>, std::span<char>> halves(std::span<char> room) {
  const std::size_t middle = room.size() / 2;
  return {room.first(middle), room.subspan(middle)};
}

template <class Message>
bool Gadget::send_in(std::span<char> room, const Message& message) {
  return send_any(room, protocol::info_of<Message>(), &message);
}

template <class Message>
bool Gadget::send(const Message& message) {
  return send_any(protocol::info_of<Message>(), &message);
}

}  // namespace gadget::device
