// sha256.hpp without a library, for ports whose SDK has none: small before fast (FIPS 180-4). About
// 0.6 KB of code, plus its 256 bytes of constants.
#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>

#include "protocol/identity.hpp"
#include "protocol/sha256.hpp"

namespace gadget::protocol {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;  // of the message in bits, at the end of the last block

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound{
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

struct State {
  std::array<std::uint32_t, 8> sum;
  std::uint64_t size;  // bytes so far
  std::array<std::byte, kBlockBytes> block;
};
static_assert(sizeof(State) <= sizeof(Sha256::storage) && std::is_trivially_copyable_v<State>);

[[nodiscard]] State& state_of(Sha256& hash) {
  return *std::launder(reinterpret_cast<State*>(hash.storage.data()));
}

void add_block(State& state) {
  std::array<std::uint32_t, 16> w{};  // the last sixteen words of the schedule
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    w[i / 4] = w[i / 4] << 8U | std::to_integer<std::uint32_t>(state.block[i]);
  }
  auto v = state.sum;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t& word = w[i % 16];
    if (i >= 16) {
      const std::uint32_t a = w[(i + 1) % 16];
      const std::uint32_t b = w[(i + 14) % 16];
      word += (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + w[(i + 9) % 16] +
              (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
    }
    const std::uint32_t e = v[4];
    const std::uint32_t a = v[0];
    const std::uint32_t add = v[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & v[5]) ^ (~e & v[6])) + kRound[i] + word;
    const std::uint32_t top = add + (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                              ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    v[3] += add;
    std::copy_backward(v.begin(), v.end() - 1, v.end());
    v[0] = top;
  }
  for (std::size_t i = 0; i < v.size(); ++i) state.sum[i] += v[i];
}

void add_byte(State& state, std::byte byte) {
  state.block[state.size++ % kBlockBytes] = byte;
  if (state.size % kBlockBytes == 0) add_block(state);
}

}  // namespace

void sha256_start(Sha256& hash) {
  ::new (hash.storage.data()) State{{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F,
                                     0x9B05688C, 0x1F83D9AB, 0x5BE0CD19},
                                    0,
                                    {}};
}

void sha256_update(Sha256& hash, std::span<const std::byte> bytes) {
  State& state = state_of(hash);
  for (const std::byte byte : bytes) add_byte(state, byte);
}

Digest sha256_finish(Sha256& hash) {
  State& state = state_of(hash);
  const std::uint64_t bits = state.size * 8;
  add_byte(state, std::byte{0x80});
  while (state.size % kBlockBytes != kBlockBytes - kLengthBytes) add_byte(state, std::byte{0});
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    add_byte(state, static_cast<std::byte>(bits >> (shift - 8)));
  }
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::byte>(state.sum[i / 4] >> (24 - 8 * (i % 4)));
  }
  wipe(hash.storage);
  return digest;
}

}  // namespace gadget::protocol
