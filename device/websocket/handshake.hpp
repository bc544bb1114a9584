// handshake.hpp - the client's upgrade request, and the judgement of the answer's head.
//
// No allocation, no I/O; safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gadget::device::websocket {

// The longest answer head that is read. Ours are below 300 bytes; proxies add some. Beyond:
// refused.
inline constexpr std::size_t kHeadBytes = 4096;

// What is asked for. Views are borrowed during the call only, but `subprotocol` until the answer
// came.
struct Request {
  std::string_view host;  // "hub.local:8765", as it stands in the Host header
  std::string_view path = "/gadget";
  std::string_view subprotocol = "hermes-gadget.v1";  // offered; empty: none
  std::string_view headers = {};  // further header lines, each with its line end, or empty
};

enum class Refusal : std::uint8_t {
  http_status,       // an answer other than 101
  not_http,          // no HTTP/1.1 answer, or malformed
  head_too_long,     // beyond kHeadBytes or the receive buffer
  no_upgrade,        // 101 without the Upgrade or Connection that belongs to it
  wrong_accept,      // Sec-WebSocket-Accept absent or not that of our key
  extension,         // an extension that was not offered (T10)
  subprotocol,       // a subprotocol that was not offered (E27)
  connection_ended,  // the stream ended before the answer was complete
};

struct Refused {
  Refusal why = Refusal::not_http;
  std::uint16_t http_status = 0;    // 0: it never came to that
  std::uint32_t retry_after_s = 0;  // of Retry-After in seconds; 0: none, or a date
};

using KeyText = std::array<char, 24>;  // base64 of 16 random bytes

[[nodiscard]] KeyText key_text(std::span<const std::byte, 16> random);

// The Sec-WebSocket-Accept that belongs to a key.
[[nodiscard]] std::array<char, 28> accept_text(const KeyText& key);

struct Answer {
  bool accepted = false;
  std::string_view subprotocol;  // selected; empty: none. Points into the head
  Refused refused;
};

// Judges a whole head, its empty last line included.
[[nodiscard]] Answer judge(std::string_view head, const KeyText& key, std::string_view offered);

}  // namespace gadget::device::websocket
