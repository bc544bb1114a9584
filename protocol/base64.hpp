// base64.hpp - the strict base64 of E5: standard alphabet, padding, exact length, unused bits zero.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/error.hpp"

namespace gadget::protocol {

[[nodiscard]] constexpr std::size_t base64_chars(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

// Writes base64_chars(bytes.size()) characters. REQUIRES: out.size() >= that. Returns what was
// written.
std::string_view base64_encode(std::span<const std::byte> bytes, std::span<char> out);

// Decodes exactly out.size() bytes. Error: `bad_base64` for anything that is not their one
// encoding. Runs in a time that depends on the length only.
[[nodiscard]] Expected<void> base64_decode(std::string_view text, std::span<std::byte> out);

}  // namespace gadget::protocol
