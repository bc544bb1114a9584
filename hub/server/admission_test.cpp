// What the hub answers before there is a WebSocket, by requirement id.
#include "hub/server/admission.hpp"

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

AdmissionOptions local_hub() {
  AdmissionOptions options;
  options.host = "127.0.0.1";
  options.port = 8765;
  return options;
}

wire::HttpRequest upgrade_of(std::string target, std::vector<wire::Header> further = {}) {
  wire::HttpRequest request;
  request.method = "GET";
  request.target = std::move(target);
  request.peer_address = "10.0.0.9";
  request.headers = {{"Host", "127.0.0.1:8765"},
                     {"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}};
  for (auto& header : further) request.headers.push_back(std::move(header));
  return request;
}

wire::HttpRequest page(std::string target, std::string host) {
  wire::HttpRequest request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers = {{"Host", std::move(host)}};
  return request;
}

// The HTTP status; 101 for an upgrade.
unsigned status_of(const wire::HttpRequest& request,
                   const AdmissionOptions& options = local_hub()) {
  const Admission admission = admit(request, options);
  const auto* response = std::get_if<wire::HttpResponse>(&admission.decision);
  EXPECT_EQ(admission.refusal.empty(), response == nullptr);
  return response != nullptr ? response->status : 101;
}

unsigned with_origin(std::string origin, const AdmissionOptions& options = local_hub()) {
  return status_of(upgrade_of("/gadget", {{"Origin", std::move(origin)}}), options);
}

TEST(Admission, T1_E8_ThePathMatchesWithAQueryAndOneSlash) {
  EXPECT_EQ(status_of(upgrade_of("/gadget")), 101U);
  EXPECT_EQ(status_of(upgrade_of("/gadget/")), 101U);
  EXPECT_EQ(status_of(upgrade_of("/gadget?a=/x")), 101U);
  EXPECT_EQ(status_of(upgrade_of("/gadget/?a")), 101U);
  for (const char* other :
       {"/", "/gadget//", "/gadgets", "/gadge", "/Gadget", "/x/gadget", "/gadget/x"}) {
    EXPECT_EQ(status_of(upgrade_of(other)), 404U) << other;
  }
  AdmissionOptions root = local_hub();
  root.path = "/";
  EXPECT_EQ(status_of(upgrade_of("/"), root), 101U);
  EXPECT_EQ(status_of(upgrade_of("/gadget"), root), 404U);
}

TEST(Admission, E8_WhatIsNoUpgradeGets426) {
  EXPECT_EQ(status_of(page("/gadget", "127.0.0.1:8765")), 426U);
  auto post = upgrade_of("/gadget");
  post.method = "POST";
  EXPECT_EQ(status_of(post), 426U);
}

TEST(Admission, T3_OursIsSelectedWhenItIsAmongThoseOffered) {
  const auto selected = [](std::vector<wire::Header> headers) {
    const auto admission = admit(upgrade_of("/gadget", std::move(headers)), local_hub());
    return std::get<wire::Upgrade>(admission.decision).subprotocol;
  };
  EXPECT_EQ(selected({}), "");
  EXPECT_EQ(selected({{"Sec-WebSocket-Protocol", "hermes-gadget.v1"}}), "hermes-gadget.v1");
  EXPECT_EQ(selected({{"Sec-WebSocket-Protocol", "mqtt, hermes-gadget.v1"}}), "hermes-gadget.v1");
  EXPECT_EQ(selected({{"Sec-WebSocket-Protocol", "hermes-gadget.v2"}}), "");
}

TEST(Admission, E9_B79_OnlyKnownOriginsConnect) {
  for (const char* good :
       {"http://127.0.0.1:8765", "http://localhost:8765", "HTTP://LOCALHOST:8765", "file://"}) {
    EXPECT_EQ(with_origin(good), 101U) << good;
  }
  for (const char* bad :
       {"https://evil.example", "null", "", "http://localhost", "https://localhost:8765",
        "http://localhost:87650", "http://localhost:90000", "http://localhost:8765.evil.example",
        "http://localhost.evil.example:8765", "http://localhost:8765/", "http://a@localhost:8765",
        "http://127.0.0.1:8765, http://evil.example", "http://localhost:", "http://:8765",
        "ftp://localhost:8765", "localhost:8765", "file:///etc", "http://2130706433:8765"}) {
    EXPECT_EQ(with_origin(bad), 403U) << bad;
  }
}

TEST(Admission, E9_TheHostHeaderNeverMakesAnOriginKnown) {
  auto request = upgrade_of("/gadget", {{"Origin", "http://rebound.example:8765"}});
  request.headers[0].value = "rebound.example:8765";
  EXPECT_EQ(status_of(request), 403U);
}

TEST(Admission, E9_TheOwnerAddsNamesAndOrigins) {
  AdmissionOptions options = local_hub();
  options.hosts = {"gadget.lan", "hub.example:443"};
  options.origins = {"https://panel.example", "not an origin"};
  EXPECT_EQ(with_origin("http://gadget.lan:8765", options), 101U);
  EXPECT_EQ(with_origin("http://gadget.lan", options), 403U);
  EXPECT_EQ(with_origin("https://gadget.lan:8765", options), 403U);
  EXPECT_EQ(with_origin("https://panel.example", options), 101U);
  EXPECT_EQ(with_origin("https://panel.example:443", options), 101U);
  EXPECT_EQ(with_origin("http://panel.example", options), 403U);
  EXPECT_EQ(with_origin("https://apanel.example", options), 403U);
  EXPECT_EQ(with_origin("not an origin", options), 403U);
  options.tls = true;
  EXPECT_EQ(with_origin("https://gadget.lan:8765", options), 101U);
  EXPECT_EQ(with_origin("https://hub.example", options), 101U);
}

TEST(Admission, E9_ListeningEverywhereKnowsItsAddresses) {
  AdmissionOptions options = local_hub();
  options.host = "0.0.0.0";
  options.own_addresses = [] { return std::vector<std::string>{"192.168.1.5", "fe80::1"}; };
  EXPECT_EQ(with_origin("http://192.168.1.5:8765", options), 101U);
  EXPECT_EQ(with_origin("http://[fe80::1]:8765", options), 101U);
  EXPECT_EQ(with_origin("http://192.168.1.6:8765", options), 403U);
  EXPECT_EQ(with_origin("http://localhost:8765", options), 101U);
}

TEST(Admission, E9_TheRefusalNamesTheSettingAndTheOrigin) {
  const auto admission =
      admit(upgrade_of("/gadget", {{"Origin", "https://evil.example"}}), local_hub());
  EXPECT_EQ(admission.refusal, "origin");
  EXPECT_EQ(admission.origin, "https://evil.example");
  EXPECT_NE(std::get<wire::HttpResponse>(admission.decision).body.find("origins"),
            std::string::npos);
}

TEST(Admission, E9_PagesAnswerOnlyToTheHubsOwnNames) {
  EXPECT_EQ(status_of(page("/", "127.0.0.1:8765")), 404U);
  EXPECT_EQ(status_of(page("/", "localhost:8765")), 404U);
  for (const char* bad :
       {"rebound.example:8765", "localhost", "127.0.0.1:1", "", "localhost:8765x"}) {
    EXPECT_EQ(status_of(page("/", bad)), 421U) << bad;
  }
}

std::string address_of(std::string peer, std::vector<std::string> forwarded,
                       std::vector<std::string> proxies) {
  AdmissionOptions options = local_hub();
  options.proxies = std::move(proxies);
  auto request = upgrade_of("/gadget");
  request.peer_address = std::move(peer);
  for (auto& value : forwarded) request.headers.push_back({"X-Forwarded-For", std::move(value)});
  return admit(request, options).address;
}

TEST(Admission, E3_B78_OnlyAConfiguredProxyForwardsAnAddress) {
  EXPECT_EQ(address_of("10.0.0.9", {"1.2.3.4"}, {}), "10.0.0.9");
  EXPECT_EQ(address_of("10.0.0.9", {"1.2.3.4"}, {"10.0.0.1"}), "10.0.0.9");
  EXPECT_EQ(address_of("10.0.0.1", {"1.2.3.4"}, {"10.0.0.1"}), "1.2.3.4");
  EXPECT_EQ(address_of("::ffff:10.0.0.1", {"1.2.3.4"}, {"10.0.0.1"}), "1.2.3.4");
  EXPECT_EQ(address_of("10.0.0.1", {"6.6.6.6, 1.2.3.4"}, {"10.0.0.1"}), "1.2.3.4");
  EXPECT_EQ(address_of("10.0.0.1", {"6.6.6.6, 1.2.3.4, 10.0.0.2"}, {"10.0.0.1", "10.0.0.2"}),
            "1.2.3.4");
  EXPECT_EQ(address_of("10.0.0.1", {"6.6.6.6", "1.2.3.4:5678"}, {"10.0.0.1"}), "1.2.3.4");
  EXPECT_EQ(address_of("10.0.0.1", {"[2001:db8::1]:80"}, {"10.0.0.1"}), "2001:db8::1");
  EXPECT_EQ(address_of("10.0.0.1", {"6.6.6.6, nonsense"}, {"10.0.0.1"}), "10.0.0.1");
  EXPECT_EQ(address_of("10.0.0.1", {}, {"10.0.0.1"}), "10.0.0.1");
}

}  // namespace
}  // namespace gadget::hub
