// events.hpp - an answer that goes on, as server-sent events. Private to hub/owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "hub/owner/json_text.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {

// When nothing happens, a comment so often: whoever left without a word is noticed.
inline constexpr auto kStillThere = std::chrono::seconds{15};

[[nodiscard]] inline wire::OwnerResponse event_stream() {
  wire::OwnerResponse response;
  response.content_type = "text/event-stream";
  return response;
}

// One event; a number lets a follower that comes back ask for what came after it.
[[nodiscard]] inline std::string event_text(const boost::json::object& data,
                                            std::uint64_t number = 0) {
  std::string text;
  if (number != 0) text += "id: " + std::to_string(number) + "\n";
  return text + "data: " + json_text(data) + "\n\n";
}

[[nodiscard]] inline std::string still_there() { return ":\n\n"; }

}  // namespace gadget::hub
