// Who may talk, as Hermes says.
#include "hub/bridge/bridge_test_support.hpp"

namespace gadget::hub::testing {
namespace {

using bench::Device;

class Pairing : public WithHermes {
 protected:
  std::string offer(const Device& device, std::string_view code) {
    return R"({"type":"pairing","device":")" + std::string(device.id.text()) + R"(","code":")" +
           std::string(code) + R"(","command":"hermes pairing approve gadget )" +
           std::string(code) + R"(","expires_s":3600})";
  }
  std::string authorized(const Device& device, bool yes) {
    return R"({"type":"authorized","device":")" + std::string(device.id.text()) +
           R"(","authorized":)" + (yes ? "true" : "false") + "}";
  }

  Device kitchen{bench};
};

TEST_F(Pairing, TheDeviceShowsHermesOwnCodeAndCommand) {
  const auto plugin = connect();
  kitchen.come();
  bench.settle();
  EXPECT_EQ(kitchen.need("notice").get("text"), "Waiting for a pairing code.");
  EXPECT_EQ(field(plugin->last("pair"), "device"), kitchen.id.text());
  say(plugin, offer(kitchen, "R6UEBHWH"));
  EXPECT_EQ(kitchen.need("pairing").get("code"), "R6UEBHWH");
  EXPECT_EQ(kitchen.need("pairing").get("command"), "hermes pairing approve gadget R6UEBHWH");
  say(plugin, authorized(kitchen, true));
  EXPECT_EQ(kitchen.count("paired"), 1U);
}

TEST_F(Pairing, WhoWaitsForAPlaceIsToldEvery30Seconds) {
  const auto plugin = connect();
  kitchen.come();
  say(plugin,
      R"({"type":"pairing","device":")" + std::string(kitchen.id.text()) + R"(","wait":true})");
  const std::size_t before = kitchen.count("notice");
  bench.advance(30'000);
  EXPECT_EQ(kitchen.count("notice"), before + 1);
  say(plugin, offer(kitchen, "AAAABBBB"));
  EXPECT_EQ(kitchen.need("pairing").get("code"), "AAAABBBB");
  bench.advance(60'000);
  EXPECT_EQ(kitchen.count("notice"), before + 1);
}

TEST_F(Pairing, RevokedWhileItIsConnectedAndAllowedAgain) {
  const auto plugin = connect();
  approved(kitchen, plugin);
  say(plugin, authorized(kitchen, false));
  bench.settle();
  EXPECT_EQ(field(plugin->last("pair"), "device"), kitchen.id.text());
  say(plugin, offer(kitchen, "AAAABBBB"));
  EXPECT_EQ(kitchen.need("pairing").get("code"), "AAAABBBB");
  say(plugin, authorized(kitchen, true));
  EXPECT_EQ(kitchen.count("paired"), 2U);
}

TEST_F(Pairing, WhatHermesSaidLastHoldsWithoutIt) {
  auto plugin = connect();
  approved(kitchen, plugin);
  bridge.detached(plugin);
  kitchen.drop();
  bench.start_hub();
  bridge.open({.version = "0.1.0", .hub = bench.hub.get(), .owner = {}, .log = {}});
  kitchen.come();
  bench.settle();
  EXPECT_EQ(kitchen.need("welcome").get("paired"), "true");
  EXPECT_EQ(kitchen.count("pairing"), 0U);
}

TEST_F(Pairing, APluginThatComesLaterIsAskedForTheCode) {
  kitchen.come();
  bench.settle();
  const auto plugin = connect();
  EXPECT_EQ(field(plugin->last("pair"), "device"), kitchen.id.text());
  kitchen.drop();
  bench.settle();
  EXPECT_EQ(field(plugin->last("unpair"), "device"), kitchen.id.text());
  // Late news of it changes nothing.
  say(plugin, offer(kitchen, "AAAABBBB"));
  EXPECT_EQ(plugin->count("fault"), 0U);
}

TEST_F(Pairing, ThePluginIsToldOnceWhatADeviceIsAndThatItWent) {
  const auto plugin = connect();
  approved(kitchen, plugin);
  EXPECT_EQ(plugin->last("device").at("online"), true);
  EXPECT_EQ(plugin->last("device").at("paired"), true);
  const std::size_t told = plugin->count("device");
  kitchen.send(R"({"type":"sensor","readings":{"temperature":21.5}})");
  bench.settle();
  EXPECT_EQ(plugin->count("device"), told);  // its turns say what it measures
  ASSERT_TRUE(bench.hub->rename(kitchen.id, "cellar"));
  bench.settle();
  EXPECT_EQ(field(plugin->last("device"), "name"), "cellar");
  kitchen.drop();
  bench.settle();
  EXPECT_EQ(plugin->count("device"), told + 2);
  EXPECT_EQ(plugin->last("device").at("online"), false);
  EXPECT_EQ(plugin->last("device").at("paired"), true);
  EXPECT_EQ(field(plugin->last("device"), "name"), "cellar");
  kitchen.come(bench::kSpeaker);
  bench.settle();
  EXPECT_EQ(plugin->count("device"), told + 3);
  EXPECT_EQ(plugin->last("device").at("online"), true);
}

TEST_F(Pairing, APluginThatComesAgainIsToldOfThoseWhoAreThere) {
  auto plugin = connect();
  approved(kitchen, plugin);
  bridge.detached(plugin);
  plugin = connect("two");
  EXPECT_EQ(plugin->count("device"), 1U);
  bridge.detached(plugin);
  kitchen.drop();
  bench.settle();
  EXPECT_EQ(connect("two")->count("device"), 0U);
}

TEST_F(Pairing, ACodeThatExpiresIsAskedForAgain) {
  const auto plugin = connect();
  kitchen.come();
  bench.settle();
  say(plugin, offer(kitchen, "AAAABBBB"));
  bench.wall += 3'600'000;
  pass(kitchen, 70'000);
  EXPECT_EQ(plugin->count("pair"), 2U);
  say(plugin, offer(kitchen, "CCCCDDDD"));
  EXPECT_EQ(kitchen.need("pairing").get("code"), "CCCCDDDD");
}

TEST_F(Pairing, CodesThatMakeNoSenseAreFaults) {
  const auto plugin = connect();
  kitchen.come();
  const std::string device =
      R"({"type":"pairing","device":")" + std::string(kitchen.id.text()) + "\"";
  for (const char* rest :
       {"}", R"(,"code":"","command":"x","expires_s":9})", R"(,"code":"A","expires_s":9})",
        R"(,"code":"A","command":"x"})", R"(,"code":"A","command":"x","expires_s":-1})",
        R"(,"code":"A","command":"x","expires_s":1e300})"}) {
    const std::size_t before = plugin->count("fault");
    say(plugin, device + rest);
    EXPECT_EQ(plugin->count("fault"), before + 1) << rest;
  }
  EXPECT_EQ(kitchen.count("pairing"), 0U);
}

TEST_F(Pairing, TheOwnersCommandsSayThatHermesDecides) {
  EXPECT_EQ(bench.hub->approve("AAAABBBB").error().code, FailureCode::refused);
  EXPECT_NE(bench.hub->revoke(kitchen.id).error().hint.find("hermes pairing revoke"),
            std::string::npos);
}

TEST_F(Pairing, DevicesThatWereNeverApprovedAreForgottenAfterAnHour) {
  kitchen.come();
  kitchen.drop();
  bench.advance(3'700'000);
  bench.wall += 3'700'000;
  bench.advance(120'000);
  const auto record = bench.store->device(kitchen.id);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->has_value());
}

}  // namespace
}  // namespace gadget::hub::testing
