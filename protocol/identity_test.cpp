#include "protocol/identity.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gadget::protocol {
namespace {

std::string hex_text(const Digest& digest) {
  const auto digits = hex(digest);
  return {digits.data(), digits.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hmac(std::string_view key, std::string_view data) {
  const std::string_view parts[] = {data};
  return hex_text(hmac_sha256(bytes_of(key), parts));
}

// RFC 4231, cases 1, 2, 3, 6 and 7.
TEST(Identity, H11_HmacOnTheVectorsOfRfc4231) {
  EXPECT_EQ(hmac(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(
      hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Identity, H11_HmacIsTheSameWhateverTheParts) {
  const std::string_view whole[] = {"one|two|three"};
  const std::string_view parts[] = {"one", "|", "", "two|", "three"};
  EXPECT_EQ(hmac_sha256(bytes_of("k"), whole), hmac_sha256(bytes_of("k"), parts));
}

TEST(Identity, E7_DeviceIdHasExactlyOneForm) {
  EXPECT_TRUE(DeviceId::parse("hg-0123456789abcdef"));
  for (const char* bad : {"", "hg-", "hg-0123456789abcde", "hg-0123456789abcdef0",
                          "HG-0123456789abcdef", "hg-0123456789ABCDEF", "hg_0123456789abcdef",
                          "hg-0123456789abcdeg", " hg-0123456789abcde"}) {
    EXPECT_FALSE(DeviceId::parse(bad)) << bad;
  }
}

// E5
TEST(Identity, E5_AMacInAnotherEncodingOfTheSameBytesIsRefused) {
  const auto key = key_from_text("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  ASSERT_TRUE(key);
  const MacText mac = auth_mac(*key, "hg-630dcd2966c43366", "abc");
  std::string given(view(mac));
  EXPECT_TRUE(mac_matches(mac, given));
  EXPECT_FALSE(mac_matches(mac, given.substr(0, 43)));  // no padding
  EXPECT_FALSE(mac_matches(mac, given + "="));
  given[0] = given[0] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(mac_matches(mac, given));
}

TEST(Identity, B75_AKeyIsWipedWhenItGoes) {
  alignas(Key) std::byte place[sizeof(Key)];
  std::array<std::byte, kKeyBytes> secret;
  secret.fill(std::byte{0x5A});
  Key* key = new (place) Key(secret);
  key->~Key();
  for (const std::byte b : place) EXPECT_EQ(b, std::byte{0});
}

}  // namespace
}  // namespace gadget::protocol
