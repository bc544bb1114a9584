// sha256_small.cpp against OpenSSL's, whose objects this program does not link for sha256_*.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include "protocol/identity.hpp"
#include "protocol/sha256.hpp"

namespace gadget::protocol {
namespace {

Digest digest_of(std::span<const std::byte> bytes, std::size_t piece) {
  Sha256 hash;
  sha256_start(hash);
  while (!bytes.empty()) {
    const auto size = std::min(piece, bytes.size());
    sha256_update(hash, bytes.first(size));
    bytes = bytes.subspan(size);
  }
  return sha256_finish(hash);
}

std::string hex_of(std::span<const std::byte> bytes, std::size_t piece = 1'000) {
  const auto text = hex(digest_of(bytes, piece));
  return {text.data(), text.size()};
}

std::string hex_of(std::string_view text) {
  return hex_of(std::as_bytes(std::span{text.data(), text.size()}));
}

TEST(Sha256Small, ExamplesOfFips180) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Small, EveryLengthAroundTheBlocksAndAnyPieces) {
  std::vector<std::byte> bytes;
  for (std::size_t size = 0; size < 300; ++size) {
    Digest expected{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(expected.data()));
    for (const std::size_t piece : {1U, 7U, 64U, 1'000U}) {
      EXPECT_EQ(digest_of(bytes, piece), expected) << size << " in pieces of " << piece;
    }
    bytes.push_back(static_cast<std::byte>(size * 37 + 11));
  }
}

TEST(Sha256Small, NothingStaysInTheStorage) {
  Sha256 hash;
  sha256_start(hash);
  const std::array<std::byte, 3> secret{std::byte{1}, std::byte{2}, std::byte{3}};
  sha256_update(hash, secret);
  (void)sha256_finish(hash);
  for (const auto byte : hash.storage) EXPECT_EQ(byte, std::byte{0});
}

}  // namespace
}  // namespace gadget::protocol
