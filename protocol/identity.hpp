// identity.hpp - the device's key, its id, and every MAC of the protocol (H2, H11, O2, N1).
//
// No heap, no I/O; safe from any thread. Randomness is the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/base64.hpp"
#include "protocol/error.hpp"
#include "protocol/limits.hpp"
#include "protocol/sha256.hpp"

namespace gadget::protocol {

// Overwrites memory in a way that the compiler may not leave out.
void wipe(std::span<std::byte> bytes);

// True when both are equal, in a time that depends on the length only.
[[nodiscard]] bool equal_constant_time(std::span<const std::byte> a, std::span<const std::byte> b);

// The device key (H1): wiped on destruction, not printable, not comparable with ==.
class Key {
 public:
  Key() = default;
  explicit Key(std::span<const std::byte, kKeyBytes> bytes);
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key() { wipe(bytes_); }
  bool operator==(const Key&) const = delete;

  [[nodiscard]] std::span<const std::byte, kKeyBytes> reveal() const { return bytes_; }

 private:
  std::array<std::byte, kKeyBytes> bytes_{};
};

// "hg-" and 16 lowercase hex digits (H2, E7).
class DeviceId {
 public:
  DeviceId() = default;
  // Error: `wrong_value` for anything but the exact form.
  [[nodiscard]] static Expected<DeviceId> parse(std::string_view text);
  [[nodiscard]] std::string_view text() const { return {chars_.data(), chars_.size()}; }
  bool operator==(const DeviceId&) const = default;
  auto operator<=>(const DeviceId&) const = default;

 private:
  friend DeviceId device_id(const class Key& key);
  std::array<char, kDeviceIdChars> chars_{};
};

[[nodiscard]] DeviceId device_id(const Key& key);  // H2

// base64 text of a 32-byte MAC or key (44 characters), and of a 16-byte nonce (24).
using MacText = std::array<char, base64_chars(kMacBytes)>;
using NonceText = std::array<char, base64_chars(kNonceBytes)>;

[[nodiscard]] inline std::string_view view(const MacText& text) {
  return {text.data(), text.size()};
}
[[nodiscard]] inline std::string_view view(const NonceText& text) {
  return {text.data(), text.size()};
}

[[nodiscard]] NonceText nonce_text(std::span<const std::byte, kNonceBytes> random);

// HMAC-SHA256 (RFC 2104) over the concatenation of `parts`.
[[nodiscard]] Digest hmac_sha256(std::span<const std::byte> key,
                                 std::span<const std::string_view> parts);

// H11: the device proves the key. `nonce` is the base64 text as it was sent.
[[nodiscard]] MacText auth_mac(const Key& key, std::string_view device_id, std::string_view nonce);

// N1: the hub proves the key. `nonce` is hello.nonce as text.
[[nodiscard]] MacText hub_mac(const Key& key, std::string_view device_id, std::string_view nonce);

// O2: the hub authorizes one image. `sha256_hex` lowercase.
[[nodiscard]] MacText ota_mac(const Key& key, std::string_view device_id, std::string_view nonce,
                              std::string_view sha256_hex, std::uint64_t size_bytes);

// Whether `given` (base64 of a peer, hostile) is `expected`; strict form (E5), constant time.
[[nodiscard]] bool mac_matches(const MacText& expected, std::string_view given);

// The key that `auth.key` or a store carries as base64. Error: `bad_base64`.
[[nodiscard]] Expected<Key> key_from_text(std::string_view text);
[[nodiscard]] MacText key_text(const Key& key);

// Lowercase hex of a digest.
[[nodiscard]] std::array<char, 2 * kSha256Bytes> hex(const Digest& digest);

}  // namespace gadget::protocol
