// Who may use the owner's API over TCP, and where its token comes from.
#include "hub/server/owner_gate.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;
constexpr const char* kToken = "0123456789abcdefXYZ";

wire::HttpRequest request(std::vector<wire::Header> headers) {
  wire::HttpRequest head;
  head.method = "GET";
  head.target = "/v1/info";
  head.headers = std::move(headers);
  return head;
}

unsigned status(std::vector<wire::Header> headers, const std::vector<std::string>& hosts = {}) {
  const auto refused = refuse_owner(request(std::move(headers)), OwnerToken(kToken), hosts);
  return refused ? refused->status : 200;
}

const std::string kRight = std::string("Bearer ") + kToken;

TEST(OwnerGate, OnlyTheWholeTokenOpens) {
  EXPECT_EQ(status({{"Host", "127.0.0.1:8780"}, {"Authorization", kRight}}), 200U);
  EXPECT_EQ(status({{"host", "localhost"}, {"authorization", std::string("bearer  ") + kToken}}),
            200U);
  for (const std::string& wrong :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string(kToken),
        std::string("Basic ") + kToken, kRight + "x", kRight.substr(0, kRight.size() - 1),
        kRight + " ", std::string("Bearer 0123456789abcdefXYz")}) {
    EXPECT_EQ(status({{"Host", "127.0.0.1"}, {"Authorization", wrong}}), 401U) << wrong;
  }
  EXPECT_EQ(status({{"Host", "127.0.0.1"}}), 401U);
  // Twice the header is no header that we know.
  EXPECT_EQ(status({{"Host", "127.0.0.1"}, {"Authorization", kRight}, {"Authorization", kRight}}),
            401U);
}

TEST(OwnerGate, AnotherNameIsRefusedWhateverItsToken) {
  for (const char* host : {"evil.example", "evil.example:8780", "127.0.0.1.evil.example",
                           "192.0.2.1", "0.0.0.0", "", "localhost.evil", "gadget.lan"}) {
    EXPECT_EQ(status({{"Host", host}, {"Authorization", kRight}}), 421U) << host;
  }
  EXPECT_EQ(status({{"Authorization", kRight}}), 421U);
  EXPECT_EQ(status({{"Host", "[::1]:8780"}, {"Authorization", kRight}}), 200U);
  EXPECT_EQ(status({{"Host", "gadget.lan"}, {"Authorization", kRight}}, {"gadget.lan:8443"}), 200U);
}

TEST(OwnerGate, NoWebPageIsLetIn) {
  for (const char* origin : {"http://127.0.0.1:8780", "https://evil.example", "null", ""}) {
    EXPECT_EQ(status({{"Host", "127.0.0.1"}, {"Origin", origin}, {"Authorization", kRight}}), 403U);
  }
}

TEST(OwnerGate, ARefusalSaysWhyAndNotTheToken) {
  const auto refused = refuse_owner(request({{"Host", "127.0.0.1"}}), OwnerToken(kToken), {});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->content_type, "application/json");
  EXPECT_TRUE(refused->body.starts_with("{\"error\":{\"code\":\"unauthorized\",")) << refused->body;
  EXPECT_EQ(refused->body.find(kToken), std::string::npos);
  EXPECT_EQ(refused->headers.at(0).name, "WWW-Authenticate");
}

class OwnerTokenSource : public ::testing::Test {
 protected:
  OwnerTokenSource() {
    std::string pattern = (fs::temp_directory_path() / "gadget-token-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::unsetenv(kOwnerTokenVariable);
  }
  ~OwnerTokenSource() override {
    ::unsetenv(kOwnerTokenVariable);
    fs::remove_all(folder_);
  }
  std::string file(const char* text, mode_t mode) {
    const fs::path path = folder_ / "token";
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path.string();
  }
  Result<OwnerToken> token(const std::string& named = {}) {
    return owner_token(named, folder_, [](std::span<std::byte> out) {
      for (std::byte& byte : out) byte = std::byte{0xab};
    });
  }
  fs::path folder_;
};

TEST_F(OwnerTokenSource, IsMadeForThisUserOnlyAndKept) {
  std::string word;
  for (int i = 0; i < 32; ++i) word += "ab";
  const auto made = token();
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_TRUE(made->is(word));
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / kOwnerTokenFile).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto again = owner_token({}, folder_, [](std::span<std::byte>) { FAIL(); });
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is(word));
}

TEST_F(OwnerTokenSource, AFileThatOthersMayReadIsRefused) {
  EXPECT_TRUE(token(file("0123456789abcdef\n", 0600)));
  for (const mode_t mode : {0640U, 0604U, 0660U, 0644U}) {
    const auto refused = token(file("0123456789abcdef\n", mode));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, FailureCode::refused);
    EXPECT_TRUE(refused.error().hint.starts_with("chmod 600 "));
  }
}

TEST_F(OwnerTokenSource, AWordThatIsShortOrNoneIsRefused) {
  for (const char* bad : {"", "\n", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\nx",
                          "0123456789abcd\xc3\xa4xyz"}) {
    EXPECT_FALSE(token(file(bad, 0600))) << bad;
  }
  EXPECT_FALSE(token(file(std::string(600, 'x').c_str(), 0600)));
  EXPECT_EQ(token((folder_ / "none").string()).error().code, FailureCode::not_found);
}

TEST_F(OwnerTokenSource, TheEnvironmentCountsFirst) {
  ::setenv(kOwnerTokenVariable, "environment-word-1", 1);
  const auto given = token(file("0123456789abcdef\n", 0644));
  ASSERT_TRUE(given) << given.error().text;
  EXPECT_TRUE(given->is("environment-word-1"));
  ::setenv(kOwnerTokenVariable, "short", 1);
  EXPECT_FALSE(token());
}

}  // namespace
}  // namespace gadget::hub
