#include "protocol/identity.hpp"

#include <algorithm>
#include <cstring>

#include "protocol/decimal.hpp"

namespace gadget::protocol {
namespace {

constexpr std::size_t kBlockBytes = 64;  // of SHA-256, for HMAC (RFC 2104)
constexpr std::string_view kHexDigits = "0123456789abcdef";

[[nodiscard]] std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] MacText encode(const Digest& digest) {
  MacText text;  // NOLINT: filled below
  base64_encode(digest, text);
  return text;
}

// Of the label, the device, and what else there is, with bars between. Never inlined: making the
// list takes a caller more than the call.
[[nodiscard, gnu::noinline]] MacText mac_of(const Key& key, const char* label,
                                            const std::string_view& device_id,
                                            const std::string_view& nonce,
                                            const std::string_view& more = {},
                                            const std::string_view& most = {}) {
  const std::string_view bar = most.empty() ? "" : "|";
  const std::array<std::string_view, 9> parts{
      "hermes-gadget/v1|", label, device_id, "|", nonce, bar, more, bar, most};
  return encode(hmac_sha256(key.reveal(), parts));
}

}  // namespace

void wipe(std::span<std::byte> bytes) {
  volatile std::byte* at = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) at[i] = std::byte{0};
}

bool equal_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= std::to_integer<std::uint32_t>(a[i] ^ b[i]);
  }
  return difference == 0;
}

Key::Key(std::span<const std::byte, kKeyBytes> bytes) {
  std::memcpy(bytes_.data(), bytes.data(), bytes_.size());
}

Expected<DeviceId> DeviceId::parse(std::string_view text) {
  if (text.size() != kDeviceIdChars || !text.starts_with("hg-") ||
      text.find_first_not_of(kHexDigits, 3) != std::string_view::npos) {
    return error(ErrorCode::wrong_value, "device_id");
  }
  DeviceId id;
  std::copy(text.begin(), text.end(), id.chars_.begin());
  return id;
}

DeviceId device_id(const Key& key) {
  Sha256 hash;
  sha256_start(hash);
  sha256_update(hash, key.reveal());
  const auto digits = hex(sha256_finish(hash));
  DeviceId id;
  id.chars_ = {'h', 'g', '-'};
  std::copy_n(digits.begin(), kDeviceIdChars - 3, id.chars_.begin() + 3);
  return id;
}

NonceText nonce_text(std::span<const std::byte, kNonceBytes> random) {
  NonceText text;  // NOLINT: filled below
  base64_encode(random, text);
  return text;
}

Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::string_view> parts) {
  std::array<std::byte, kBlockBytes> block{};
  Sha256 hash;
  if (key.size() > kBlockBytes) {
    sha256_start(hash);
    sha256_update(hash, key);
    const Digest digest = sha256_finish(hash);
    std::copy(digest.begin(), digest.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  const auto mask = [&block](std::byte with) {
    for (std::byte& byte : block) byte ^= with;
  };
  mask(std::byte{0x36});
  sha256_start(hash);
  sha256_update(hash, block);
  for (const std::string_view part : parts) sha256_update(hash, bytes_of(part));
  const Digest inner = sha256_finish(hash);
  mask(std::byte{0x36 ^ 0x5C});
  sha256_start(hash);
  sha256_update(hash, block);
  sha256_update(hash, inner);
  wipe(block);
  return sha256_finish(hash);
}

MacText auth_mac(const Key& key, std::string_view device_id, std::string_view nonce) {
  return mac_of(key, "", device_id, nonce);
}

MacText hub_mac(const Key& key, std::string_view device_id, std::string_view nonce) {
  return mac_of(key, "hub|", device_id, nonce);
}

MacText ota_mac(const Key& key, std::string_view device_id, std::string_view nonce,
                std::string_view sha256_hex, std::uint64_t size_bytes) {
  DecimalRoom room;
  const std::string_view size = decimal(size_bytes, room);
  return mac_of(key, "ota|", device_id, nonce, sha256_hex, size);
}

bool mac_matches(const MacText& expected, std::string_view given) {
  // What is the same text is of the strict form too.
  return equal_constant_time(bytes_of(view(expected)), bytes_of(given));
}

Expected<Key> key_from_text(std::string_view text) {
  std::array<std::byte, kKeyBytes> bytes{};
  const auto decoded = base64_decode(text, bytes);
  if (!decoded) return error(ErrorCode::bad_base64, "key");
  Key key{bytes};
  wipe(bytes);
  return key;
}

MacText key_text(const Key& key) {
  MacText text;  // NOLINT: filled below
  base64_encode(key.reveal(), text);
  return text;
}

std::array<char, 2 * kSha256Bytes> hex(const Digest& digest) {
  std::array<char, 2 * kSha256Bytes> text;  // NOLINT: filled below
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const auto value = std::to_integer<std::size_t>(digest[i]);
    text[2 * i] = kHexDigits[value >> 4U];
    text[2 * i + 1] = kHexDigits[value & 15U];
  }
  return text;
}

}  // namespace gadget::protocol
