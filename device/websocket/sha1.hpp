// sha1.hpp - SHA-1 (RFC 3174), only to check Sec-WebSocket-Accept; it guards no secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gadget::device::websocket {

// The digest of a text of at most 119 bytes, which a WebSocket key with its suffix (60) never
// reaches. REQUIRES: text.size() <= kSha1TextBytes.
inline constexpr std::size_t kSha1TextBytes = 119;
[[nodiscard]] std::array<std::uint8_t, 20> sha1(std::string_view text);

}  // namespace gadget::device::websocket
