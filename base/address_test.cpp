#include "base/address.hpp"

#include <gtest/gtest.h>

namespace gadget {
namespace {

TEST(Address, ANumericAddressHasOneForm) {
  EXPECT_EQ(canonical_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(canonical_address("2001:DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(canonical_address("::ffff:10.0.0.2"), "10.0.0.2");
  for (const char* none : {"", "localhost", "127.1", "10.0.0.0/8", "[::1]", "1.2.3.4 "}) {
    EXPECT_EQ(canonical_address(none), "") << none;
  }
}

TEST(Address, AHostHasAPortOrNone) {
  std::string host;
  std::uint16_t port = 1;
  ASSERT_TRUE(split_host("Gadget.LAN", host, port));
  EXPECT_EQ(host, "gadget.lan");
  EXPECT_EQ(port, 0);
  ASSERT_TRUE(split_host("[2001:db8::1]:8765", host, port));
  EXPECT_EQ(host, "2001:db8::1");
  EXPECT_EQ(port, 8765);
  for (const char* none : {"", ":80", "a:", "a:0", "a:65536", "a:8x", "[::1", "[]", "u@a", "a/b"}) {
    EXPECT_FALSE(split_host(none, host, port)) << none;
  }
}

TEST(Address, E9_AnOriginIsASchemeAHostAndAPort) {
  Origin origin;
  ASSERT_TRUE(parse_origin("HTTPS://Panel.Example", origin));
  EXPECT_EQ(origin, (Origin{"https", "panel.example", 443}));
  ASSERT_TRUE(parse_origin("http://[::1]:8080", origin));
  EXPECT_EQ(origin, (Origin{"http", "::1", 8080}));
  for (const char* none :
       {"", "null", "panel.example", "://a", "ftp://a", "http://", "http://a/b"}) {
    EXPECT_FALSE(parse_origin(none, origin)) << none;
  }
}

}  // namespace
}  // namespace gadget
