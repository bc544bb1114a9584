// Handshake, heartbeat, malformed input and replacement, as one device or two see them.
#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;

HubOptions with_token() {
  HubOptions options;
  options.access_token = "secret";
  return options;
}

void expect_refused(const Device& device, std::string_view code) {
  ASSERT_GE(device.got().size(), 2U);
  const Written& close = device.got().back();
  EXPECT_EQ(close.type, "close");
  EXPECT_EQ(close.code, 1008);
  EXPECT_EQ(close.text, code);
  const Written& error = device.got()[device.got().size() - 2];
  EXPECT_EQ(error.type, "error");
  EXPECT_EQ(error.get("code"), code);
  EXPECT_FALSE(error.get("message").empty());
}

// ---- E1: anything but the expected message ----

TEST(Handshake, E1_AnythingButHelloIsAProtocolError) {
  for (const char* const bad :
       {"", "{", "[]", "null", R"({"type":1})", R"({"no":"type"})", R"({"type":"text","text":"x"})",
        R"({"type":"ping"})", R"({"type":"never-heard-of"})", R"({"type":"hello"})",
        R"({"type":"hello","proto":"1","device_id":"hg-0011223344556677"})",
        R"({"type":"hello","proto":1.0,"device_id":"hg-0011223344556677"})",
        R"({"type":"hello","proto":1,"device_id":"hg-001122334455667"})",
        R"({"type":"hello","proto":1,"device_id":"hg-00112233445566AA"})",
        R"({"type":"hello","proto":1,"device_id":"hg-0011223344556677","name":null})",
        R"({"type":"hello","proto":1,"device_id":"hg-0011223344556677","token":5})",
        R"({"type":"hello","proto":1,"proto":1,"device_id":"hg-0011223344556677"})"}) {
    SCOPED_TRACE(bad);
    Bench bench;
    Device device(bench);
    device.open();
    device.send(bad);
    expect_refused(device, "protocol");
  }
}

TEST(Handshake, E1_TheErrorNamesWhatWasWrong) {
  Bench bench;
  Device device(bench);
  device.open();
  device.send(R"({"type":"hello","proto":1})");
  EXPECT_NE(device.need("error").get("message").find("device_id"), std::string::npos);
}

TEST(Handshake, E1_BinaryBeforeWelcomeIsAProtocolError) {
  Bench bench;
  Device device(bench);
  device.open();
  device.binary({std::byte{1}, std::byte{1}, std::byte{0}, std::byte{0}});
  expect_refused(device, "protocol");
  device.open();
  device.hello();
  device.binary({std::byte{1}, std::byte{1}, std::byte{0}, std::byte{0}});
  expect_refused(device, "protocol");
}

TEST(Handshake, H15_AnotherVersionIsRejected) {
  Bench bench;
  Device device(bench);
  device.open();
  device.send(R"({"type":"hello","proto":2,"device_id":"hg-0011223344556677"})");
  expect_refused(device, "protocol");
}

TEST(Handshake, E6_MoreThan64SensorsInHelloIsAProtocolError) {
  Bench bench;
  Device device(bench);
  std::string sensors;
  for (int i = 0; i < 65; ++i) {
    sensors += (i == 0 ? "" : ",") + std::string("\"s") + std::to_string(i) + "\":1";
  }
  device.open();
  device.hello(",\"sensors\":{" + sensors + "}");
  expect_refused(device, "protocol");
}

// ---- E3 ----

TEST(Handshake, E3_EachStepHasTenSeconds) {
  Bench bench;
  Device silent(bench, 1);
  Device half(bench, 2);
  silent.open();
  half.open();
  bench.advance(5000);
  half.hello();
  bench.advance(4999);
  EXPECT_FALSE(silent.link->closed);
  bench.advance(1);
  expect_refused(silent, "timeout");
  bench.advance(4999);
  EXPECT_FALSE(half.link->closed);
  bench.advance(1);
  expect_refused(half, "timeout");
}

// ---- H7 ----

TEST(Handshake, H7_TheTokenIsRequiredWhenOneIsSet) {
  Bench bench(Bench::AgentKind::echo, with_token());
  for (const char* const bad :
       {"", R"(,"token":"")", R"(,"token":"secret2")", R"(,"token":"SECRET")"}) {
    SCOPED_TRACE(bad);
    Device device(bench);
    device.open();
    device.hello(bad);
    expect_refused(device, "bad_token");
  }
  Device device(bench);
  device.come(R"(,"token":"secret")");
  EXPECT_EQ(device.count("welcome"), 1U);
}

TEST(Handshake, H7_WithoutATokenConfiguredAnyStringIsIgnored) {
  Bench bench;
  Device device(bench);
  device.come(R"(,"token":"whatever")");
  EXPECT_EQ(device.count("welcome"), 1U);
}

TEST(Handshake, H7_NoSecretIsEverLogged) {
  Bench bench(Bench::AgentKind::echo, with_token());
  Device device(bench);
  device.come(R"(,"token":"secret")");
  const std::string key(protocol::view(protocol::key_text(device.key)));
  for (const LogFact& fact : bench.log) {
    for (const auto& [name, value] : fact.fields) {
      EXPECT_EQ(value.find("secret"), std::string::npos) << fact.event;
      EXPECT_EQ(value.find(key), std::string::npos) << fact.event;
    }
  }
}

// ---- H10-H13, E10 ----

TEST(Handshake, H10_TheKeyMustGiveTheId) {
  Bench bench;
  Device device(bench, 1);
  Device other(bench, 2);
  device.open();
  device.hello();
  device.send(R"({"type":"auth","key":")" +
              std::string(protocol::view(protocol::key_text(other.key))) + R"("})");
  expect_refused(device, "auth_failed");
  EXPECT_EQ(*bench.store->device_count(), 0);
}

TEST(Handshake, E10_NeitherOrBothIsAProtocolError) {
  for (const char* const bad : {R"({"type":"auth"})", R"({"type":"auth","key":"a","mac":"b"})",
                                R"({"type":"auth","key":5})", R"({"type":"hello"})"}) {
    SCOPED_TRACE(bad);
    Bench bench;
    Device device(bench);
    device.open();
    device.hello();
    device.send(bad);
    expect_refused(device, "protocol");
  }
}

TEST(Handshake, E10_TheChallengeDecidesWhatIsExpected) {
  Bench bench;
  Device device(bench);
  device.open();
  device.hello();
  device.send(R"({"type":"auth","mac":")" + std::string(44, 'A') + R"("})");
  expect_refused(device, "auth_failed");
  device.come();
  device.open();
  device.hello();
  ASSERT_EQ(device.need("challenge").get("enrolled"), "true");
  device.send(R"({"type":"auth","key":")" +
              std::string(protocol::view(protocol::key_text(device.key))) + R"("})");
  expect_refused(device, "auth_failed");
}

TEST(Handshake, E10_ARightKeyIsTakenWhenAnotherConnectionEnrolledItMeanwhile) {
  Bench bench;
  Device first(bench, 1);
  Device second(bench, 1);
  first.open();
  first.hello();
  second.open();
  second.hello();
  first.auth();
  second.auth();
  EXPECT_EQ(second.count("welcome"), 1U);
}

TEST(Handshake, H11_AMacOfAnEarlierNonceFails) {
  Bench bench;
  Device device(bench);
  device.come();
  device.drop();
  device.open();
  device.hello();
  const std::string old_nonce = device.need("challenge").get("nonce");
  device.auth();
  EXPECT_EQ(device.count("welcome"), 1U);
  device.open();
  device.hello();
  EXPECT_NE(device.need("challenge").get("nonce"), old_nonce);
  const auto mac = protocol::auth_mac(device.key, device.id.text(), old_nonce);
  device.send(R"({"type":"auth","mac":")" + std::string(protocol::view(mac)) + R"("})");
  expect_refused(device, "auth_failed");
}

TEST(Handshake, H13_E44_ForgetClosesAndLetsEnrolAgain) {
  Bench bench(Bench::AgentKind::scripted);
  Device device(bench);
  device.pair();
  ASSERT_TRUE(bench.hub->forget(device.id));
  EXPECT_EQ(device.got().back().code, 1000);
  EXPECT_EQ(device.got().back().text, "forgotten");
  EXPECT_EQ(bench.agent->forgets, 1);
  device.send(R"({"type":"text","text":"still there?"})");  // on its way already
  EXPECT_TRUE(bench.agent->turns.empty());
  device.come();
  EXPECT_EQ(device.need("challenge").get("enrolled"), "false");
  EXPECT_EQ(device.need("welcome").get("paired"), "false");
  EXPECT_FALSE(bench.hub->forget(protocol::device_id(protocol::Key())));
}

TEST(Handshake, H17_EnrolledInClearIsRemembered) {
  Bench bench;
  Device clear(bench, 1);
  Device secure(bench, 2);
  clear.come();
  secure.open("10.0.0.2", true);
  secure.hello();
  secure.auth();
  const auto list = bench.hub->devices();
  ASSERT_TRUE(list);
  for (const DeviceStatus& status : *list) {
    EXPECT_EQ(status.record.enrolled_in_clear, status.record.id == clear.id);
    EXPECT_TRUE(status.online);
  }
}

// ---- H14, N1, N2, E13 ----

TEST(Handshake, E13_WelcomePrecedesEverything) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.drop();
  ASSERT_TRUE(bench.hub->say(device.id, "hello"));
  device.come(kSpeaker);
  EXPECT_EQ(device.types()[1], "welcome");
  const Written welcome = device.need("welcome");
  EXPECT_EQ(welcome.get("paired"), "true");
  EXPECT_EQ(welcome.get("heartbeat_s"), "20");
  EXPECT_EQ(welcome.get("proto"), "1");
  EXPECT_EQ(welcome.get("time"), std::to_string(bench.wall));
  EXPECT_FALSE(welcome.get("session").empty());
}

TEST(Handshake, N1_TheHubProvesTheKeyItHolds) {
  Bench bench;
  Device device(bench);
  const std::string nonce = "AAECAwQFBgcICQoLDA0ODw==";
  device.come(R"(,"nonce":")" + nonce + R"(")");
  EXPECT_FALSE(device.need("welcome").has("mac"));  // first contact: there is none to check
  device.come(R"(,"nonce":")" + nonce + R"(")");
  const auto proof = protocol::hub_mac(device.key, device.id.text(), nonce);
  EXPECT_EQ(device.need("welcome").get("mac"), protocol::view(proof));
  device.come();
  EXPECT_FALSE(device.need("welcome").has("mac"));
}

// ---- B ----

TEST(Heartbeat, B1_PingEveryHeartbeat) {
  Bench bench;
  Device device(bench);
  device.come();
  bench.advance(19'999);
  EXPECT_EQ(device.count("ping"), 0U);
  bench.advance(1);
  EXPECT_EQ(device.count("ping"), 1U);
  EXPECT_EQ(device.need("ping").get("ts"), std::to_string(bench.wall));
  device.send(R"({"type":"pong","ts":1})");
  bench.advance(20'000);
  EXPECT_EQ(device.count("ping"), 2U);
}

TEST(Heartbeat, B2_PongRepeatsTheToken) {
  Bench bench;
  Device device(bench);
  device.come();
  device.send(R"({"type":"ping","ts":1.50e3})");
  EXPECT_EQ(device.got().back().text, R"({"type":"pong","ts":1.50e3})");
  device.send(R"({"type":"ping"})");
  EXPECT_EQ(device.got().back().text, R"({"type":"pong"})");
}

TEST(Heartbeat, B3_ThreeHeartbeatsOfSilenceClose) {
  Bench bench;
  Device device(bench);
  device.come();
  bench.advance(30'000);
  bench.hub->alive(device.connection);  // E30: a control frame is life
  bench.advance(59'999);
  EXPECT_FALSE(device.link->closed);
  bench.advance(1);
  EXPECT_EQ(device.got().back().text, "heartbeat timeout");
  EXPECT_EQ(device.got().back().code, 1000);
}

// B-25: whatever heartbeat_s is, a device that answers pings stays, and a silent one goes at three.
TEST(Heartbeat, B25_AnyHeartbeatKeepsBothTimersConsistent) {
  for (std::int64_t beat = protocol::kMinHubHeartbeatS; beat <= protocol::kMaxHubHeartbeatS;
       ++beat) {
    HubOptions options;
    options.heartbeat_s = beat;
    Bench bench(Bench::AgentKind::echo, options);
    Device device(bench);
    device.come();
    for (int i = 0; i < 10; ++i) {
      bench.advance(beat * 1000);
      device.send(R"({"type":"pong"})");
    }
    EXPECT_FALSE(device.link->closed) << beat;
    EXPECT_EQ(device.count("ping"), 10U) << beat;
    bench.advance(3 * beat * 1000 - 1);
    EXPECT_FALSE(device.link->closed) << beat;
    bench.advance(1);
    EXPECT_TRUE(device.link->closed) << beat;
  }
}

// ---- E1 after welcome ----

TEST(Malformed, E1_AHundredInTenSecondsAreDroppedMoreCloses) {
  Bench bench;
  Device device(bench);
  device.come();
  for (int i = 0; i < 100; ++i) device.send("{");
  EXPECT_FALSE(device.link->closed);
  EXPECT_EQ(bench.facts("message.malformed"), 1U);
  device.send("{");
  expect_refused(device, "protocol");
}

TEST(Malformed, E1_TheWindowSlides) {
  Bench bench;
  Device device(bench);
  device.come();
  for (int i = 0; i < 60; ++i) device.send("{");
  bench.advance(6000);
  for (int i = 0; i < 40; ++i) device.send("{");
  bench.advance(4000);  // the first 60 are 10 s old
  for (int i = 0; i < 60; ++i) device.send("{");
  EXPECT_FALSE(device.link->closed);
  device.send("{");
  EXPECT_TRUE(device.link->closed);
}

TEST(Malformed, E1_WhatIsWellFormedNeverCloses) {
  Bench bench;
  Device device(bench);
  device.pair();
  for (int i = 0; i < 300; ++i) {
    device.send(R"({"type":"hello","proto":1,"device_id":"hg-0011223344556677"})");
    device.send(R"({"type":"never-heard-of","x":null})");
    device.send(R"({"type":"ota.ack","offset":0})");
    device.send(R"({"type":"audio.end","stream":9})");
    device.binary({std::byte{9}, std::byte{1}, std::byte{0}, std::byte{0}});
    device.binary({std::byte{3}, std::byte{1}, std::byte{0}, std::byte{0}});
  }
  EXPECT_FALSE(device.link->closed);
}

// ---- E12 ----

TEST(Replacement, E12_TheNewestIsWelcomedWhileTheOldOneHangs) {
  Bench bench;
  Device old(bench, 1);
  Device young(bench, 1);
  old.pair();
  young.open();
  young.hello();
  EXPECT_FALSE(old.link->closed);  // a hello alone evicts nobody
  young.auth();
  EXPECT_EQ(young.count("welcome"), 1U);
  EXPECT_EQ(old.got().back().text, "replaced by a newer connection");
  EXPECT_EQ(old.got().back().code, 1000);
  old.drop();  // its end does not tear down the new one
  young.send(R"({"type":"text","text":"hi"})");
  EXPECT_EQ(young.need("reply").get("text"), "You said: hi");
}

TEST(Replacement, E12_EventsOfTheOldOneNoLongerCount) {
  Bench bench(Bench::AgentKind::scripted);
  Device old(bench, 1);
  Device young(bench, 1);
  old.pair();
  young.come(kSpeaker);
  old.send(R"({"type":"text","text":"late"})");
  EXPECT_TRUE(bench.agent->turns.empty());
}

TEST(Replacement, E12_AClonedKeyIsRefusedForAMinute) {
  Bench bench;
  std::vector<std::unique_ptr<Device>> all;
  const auto come = [&] {
    all.push_back(std::make_unique<Device>(bench, 1));
    all.back()->come();
    if (all.size() > 1) bench.hub->alive(all[all.size() - 2]->connection);  // it answered its close
  };
  for (int i = 0; i < 8; ++i) come();  // the 7th replacement is one more than count
  EXPECT_EQ(all.back()->count("welcome"), 1U);
  EXPECT_EQ(bench.facts("device.key_cloned"), 1U);
  come();
  expect_refused(*all.back(), "busy");
  bench.advance(30'000);
  bench.hub->alive(all[7]->connection);
  come();
  expect_refused(*all.back(), "busy");
  bench.advance(31'000);
  bench.hub->alive(all[7]->connection);
  come();
  EXPECT_EQ(all.back()->count("welcome"), 1U);
}

TEST(Replacement, E12_ADeviceThatDropsAndReturnsIsNeverRefused) {
  Bench bench;
  std::vector<std::unique_ptr<Device>> all;
  for (int i = 0; i < 30; ++i) {  // half-open sockets: none of them shows life again
    all.push_back(std::make_unique<Device>(bench, 1));
    all.back()->come();
    EXPECT_EQ(all.back()->count("welcome"), 1U) << i;
    bench.advance(1000);
  }
  EXPECT_EQ(bench.facts("device.key_cloned"), 0U);
}

TEST(Replacement, E12_ASilentPresentOneMayBeReplacedAllTheSame) {
  Bench bench;
  std::vector<std::unique_ptr<Device>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(std::make_unique<Device>(bench, 1));
    all.back()->come();
    if (i > 0) bench.hub->alive(all[static_cast<std::size_t>(i) - 1]->connection);
  }
  bench.advance(40'001);  // the present one sent nothing for two heartbeats
  all.push_back(std::make_unique<Device>(bench, 1));
  all.back()->come();
  EXPECT_EQ(all.back()->count("welcome"), 1U);
}

// ---- E2 ----

TEST(Stop, E2_AllAreToldThatTheServerStops) {
  Bench bench;
  Device paired(bench, 1);
  Device greeting(bench, 2);
  paired.pair();
  greeting.open();
  bench.hub->stop();
  for (const Device* const device : {&paired, &greeting}) {
    EXPECT_EQ(device->got().back().code, 1001);
    EXPECT_EQ(device->got().back().text, "server stopping");
  }
}

}  // namespace
}  // namespace gadget::hub::bench
