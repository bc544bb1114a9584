// sha256.hpp - SHA-256 behind three functions that each port links: OpenSSL on hosts
// (sha256_openssl.cpp), mbedTLS or the chip's own on a microcontroller. HMAC is ours, over it
// (identity.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace gadget::protocol {

inline constexpr std::size_t kSha256Bytes = 32;
using Digest = std::array<std::byte, kSha256Bytes>;

// A digest in the making, in storage of the caller's: no heap. The port's state lives in `storage`.
struct Sha256 {
  alignas(16) std::array<std::byte, 256> storage;
};

void sha256_start(Sha256& hash);
void sha256_update(Sha256& hash, std::span<const std::byte> bytes);
[[nodiscard]] Digest sha256_finish(
    Sha256& hash);  // `hash` is wiped; start it again before another use

}  // namespace gadget::protocol
