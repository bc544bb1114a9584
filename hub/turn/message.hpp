// message.hpp - what a turn is about: something a person typed or said, an event of the device, or
// what the hub says by itself (R10).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hub/turn/utterance.hpp"

namespace gadget::hub {

struct Message {
  enum class Kind : std::uint8_t { typed, spoken, event, announcement };
  Kind kind = Kind::typed;
  std::string text;  // typed text; an event's data as JSON; what is announced
  std::string event_name;
  std::shared_ptr<Heard> heard;  // spoken
  Millis received_ms = 0;
  // Of an announcement: a card that is shown with it, until when it is worth saying, and its row in
  // the outbox (0: not stored).
  std::string card_title, card_body;
  Millis expires_wall_ms = 0;
  std::int64_t row = 0;
};

[[nodiscard]] std::string_view name(Message::Kind kind);

}  // namespace gadget::hub
