// The connection's life: handshake, identity, reconnecting, heartbeat (H, E27, E30-E32, N2, B;
// trust_test.cpp: E32, N1).
#include "device/core/session.hpp"

#include <set>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using test::BenchStore;

constexpr Phase kPhases[] = {Phase::off,       Phase::offline,  Phase::pausing, Phase::connecting,
                             Phase::upgrading, Phase::greeting, Phase::proving, Phase::online};
constexpr SessionEvent kEvents[] = {SessionEvent::start,        SessionEvent::network_up,
                                    SessionEvent::network_back, SessionEvent::network_down,
                                    SessionEvent::pause_over,   SessionEvent::transport,
                                    SessionEvent::opened,       SessionEvent::challenge,
                                    SessionEvent::welcome,      SessionEvent::ended};

TEST(SessionPhase, EveryPairOfPhaseAndEvent) {
  // What may happen; everything else must not.
  const std::map<std::pair<Phase, SessionEvent>, Phase> table{
      {{Phase::off, SessionEvent::start}, Phase::offline},
      {{Phase::offline, SessionEvent::network_up}, Phase::connecting},
      {{Phase::offline, SessionEvent::network_back}, Phase::pausing},
      {{Phase::pausing, SessionEvent::network_down}, Phase::offline},
      {{Phase::connecting, SessionEvent::network_down}, Phase::offline},
      {{Phase::upgrading, SessionEvent::network_down}, Phase::offline},
      {{Phase::greeting, SessionEvent::network_down}, Phase::offline},
      {{Phase::proving, SessionEvent::network_down}, Phase::offline},
      {{Phase::online, SessionEvent::network_down}, Phase::offline},
      {{Phase::pausing, SessionEvent::pause_over}, Phase::connecting},
      {{Phase::connecting, SessionEvent::transport}, Phase::upgrading},
      {{Phase::connecting, SessionEvent::opened}, Phase::greeting},
      {{Phase::upgrading, SessionEvent::opened}, Phase::greeting},
      {{Phase::greeting, SessionEvent::challenge}, Phase::proving},
      {{Phase::proving, SessionEvent::welcome}, Phase::online},
      {{Phase::connecting, SessionEvent::ended}, Phase::pausing},
      {{Phase::upgrading, SessionEvent::ended}, Phase::pausing},
      {{Phase::greeting, SessionEvent::ended}, Phase::pausing},
      {{Phase::proving, SessionEvent::ended}, Phase::pausing},
      {{Phase::online, SessionEvent::ended}, Phase::pausing},
  };
  for (const Phase phase : kPhases) {
    for (const SessionEvent event : kEvents) {
      const auto found = table.find({phase, event});
      const auto to = next(phase, event);
      if (found == table.end()) {
        EXPECT_FALSE(to) << static_cast<int>(phase) << " " << static_cast<int>(event);
      } else {
        EXPECT_EQ(to, found->second) << static_cast<int>(phase) << " " << static_cast<int>(event);
      }
    }
  }
}

TEST(Handshake, H1_KeyIsMadeOnceAndKept) {
  const auto store = std::make_shared<BenchStore>();
  Bench first{Bench::default_config(), nullptr, store};
  first.start();
  ASSERT_EQ(store->values.at("key").size(), protocol::kKeyBytes);
  Bench second{Bench::default_config(), nullptr, store};
  second.seed = 99;
  second.start();
  EXPECT_EQ(first.gadget->id(), second.gadget->id());
  EXPECT_EQ(store->writes.at("key"), 1);
}

TEST(Handshake, H1_WithoutAPlaceForTheKeyNothingConnects) {
  Bench bench;
  bench.store->broken = true;
  EXPECT_FALSE(bench.gadget->start(bench.now));
  EXPECT_EQ(bench.gadget->state(), screen::State::error);
  bench.pass(100'000);
  EXPECT_EQ(bench.connects, 0);
}

TEST(Handshake, H2_H3_HelloSaysWhatTheDeviceIs) {
  Bench bench;
  bench.start();
  ASSERT_TRUE(bench.sent.empty());
  bench.open();
  ASSERT_EQ(bench.sent.size(), 1U);
  std::string hello = bench.sent[0];
  const auto parsed = protocol::parse_device_message(hello);
  ASSERT_TRUE(parsed);
  const auto& message = std::get<protocol::Hello>(*parsed);
  EXPECT_EQ(message.proto, 1);
  EXPECT_EQ(message.device_id, bench.gadget->id());
  EXPECT_EQ(message.name, "bench");
  EXPECT_EQ(message.board, "bench");
  EXPECT_EQ(message.firmware, "0.1.0");
  EXPECT_FALSE(message.token);
  ASSERT_TRUE(message.caps.display);
  EXPECT_EQ(message.caps.display->width, 320);
  ASSERT_TRUE(message.caps.mic);
  ASSERT_TRUE(message.caps.speaker);
  EXPECT_FALSE(message.caps.ota_max_size);
  EXPECT_TRUE(message.caps.inputs.talk);
  EXPECT_EQ(message.caps.talk_mode, protocol::TalkMode::hold);
  EXPECT_EQ(message.caps.max_message_bytes, 8'192);  // E33
  EXPECT_EQ(message.nonce.size(), 24U);              // N1
  protocol::ActionReader actions{message.actions};
  std::set<std::string_view> names;
  while (const auto action = actions.next()) names.insert(action->name.raw);
  EXPECT_EQ(names, (std::set<std::string_view>{"led.set", "screen.brightness", "speaker.volume"}));
}

TEST(Handshake, H7_TheTokenIsSent) {
  auto config = Bench::default_config();
  config.token = "secret";
  Bench bench{config};
  bench.start();
  bench.open();
  EXPECT_EQ(Bench::field(bench.last(), "token"), "secret");
}

TEST(Handshake, H9_FirstContactSendsTheKey) {
  Bench bench;
  bench.start();
  bench.open();
  bench.challenge(false);
  const auto key = protocol::key_from_text(Bench::field(bench.last(), "key"));
  ASSERT_TRUE(key);
  EXPECT_EQ(protocol::device_id(*key), bench.gadget->id());
  EXPECT_EQ(Bench::field(bench.last(), "mac"), "");
}

TEST(Handshake, H9_H11_KnownDeviceProvesItsKey) {
  Bench bench;
  bench.start();
  bench.open();
  bench.challenge(true);
  EXPECT_EQ(Bench::field(bench.last(), "key"), "");
  const protocol::Key key{
      std::span<const std::byte, protocol::kKeyBytes>{bench.store->values.at("key")}};
  const auto mac = protocol::auth_mac(key, bench.gadget->id().text(), "bm9uY2Utbm9uY2Utbm9uY2U=");
  EXPECT_EQ(Bench::field(bench.last(), "mac"), protocol::view(mac));
}

TEST(Handshake, H11_NonceIsTextOfOneTo64Characters) {
  for (const auto& [nonce, good] : std::map<std::string, bool>{
           {"x", true}, {std::string(64, 'n'), true}, {"", false}, {std::string(65, 'n'), false}}) {
    Bench bench;
    bench.start();
    bench.open();
    bench.sent.clear();
    bench.hub(R"({"type":"challenge","enrolled":true,"nonce":")" + nonce + "\"}");
    EXPECT_EQ(bench.sent.size(), good ? 1U : 0U) << nonce;
  }
}

TEST(Handshake, E32_OneAuthAConnection) {
  Bench bench;
  bench.start();
  bench.open();
  bench.challenge(true);
  bench.challenge(false);
  bench.challenge(true);
  EXPECT_EQ(bench.count(R"("auth")"), 1);
  bench.welcome();
  bench.challenge(false);
  EXPECT_EQ(bench.count(R"("auth")"), 1);
}

TEST(Handshake, E32_OnlyALiteralFalseRevealsTheKey) {
  for (const char* enrolled : {"0", "null", "\"false\"", "[]", "{}"}) {
    Bench bench;
    bench.start();
    bench.open();
    bench.hub(std::string{R"({"type":"challenge","nonce":"abc","enrolled":)"} + enrolled + "}");
    EXPECT_EQ(bench.count("auth"), 0) << enrolled;
  }
  Bench bench;
  bench.start();
  bench.open();
  bench.hub(R"({"type":"challenge","nonce":"abc"})");
  EXPECT_EQ(bench.count("auth"), 0);
}

TEST(Handshake, T9_BeforeWelcomeOnlyTheHandshakeCounts) {
  Bench bench;
  bench.start();
  bench.open();
  const auto before = bench.sent.size();
  for (const char* message :
       {R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20})",  // before `auth`
        R"({"type":"turn.start","turn":"1"})", R"({"type":"reply","turn":"1","text":"no"})",
        R"({"type":"prompt","id":"1","text":"no?"})",
        R"({"type":"action","id":"1","name":"led.set"})", R"({"type":"action","id":"1"})",
        R"({"type":"ota.offer"})", R"({"type":"notice","text":"no"})",
        R"({"type":"display","body":"no"})",
        R"({"type":"pairing","code":"ABCD2345","command":"no"})"}) {
    bench.hub(message);
  }
  EXPECT_EQ(bench.sent.size(), before);
  EXPECT_EQ(bench.state, screen::State::connecting);
  EXPECT_FALSE(bench.gadget->session().online());
  bench.hub(R"({"type":"ping","ts":7})");
  EXPECT_NE(bench.last().find(R"("pong")"), std::string::npos);
  bench.challenge(true);
  bench.hub(R"({"type":"unpaired"})");
  bench.welcome();  // the later one counts
  EXPECT_TRUE(bench.gadget->paired());
  bench.hub(R"({"type":"welcome","session":"s2","paired":false})");  // a second one is dropped
  EXPECT_TRUE(bench.gadget->paired());
}

// ---- E27

TEST(Reconnect, E27_StepsWithJitterUpToThirtySeconds) {
  Bench bench;
  bench.start();
  for (const Millis step : {1, 2, 4, 8, 15, 30, 30, 30}) {
    const Millis dropped = bench.now;
    const int before = bench.connects;
    bench.drop();
    EXPECT_EQ(bench.state, screen::State::connecting);
    while (bench.connects == before) bench.pass(10);
    const Millis pause = bench.connected_at - dropped;
    EXPECT_GE(pause, step * 500);
    EXPECT_LE(pause, step * 1'000 + 20);
  }
}

TEST(Reconnect, E27_JitterDiffersBetweenDevices) {
  std::set<Millis> pauses;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bench bench;
    bench.seed = seed * 977;
    bench.start();
    bench.drop();
    pauses.insert(bench.gadget->pause_ends() - bench.now);
  }
  EXPECT_GT(pauses.size(), 15U);
}

TEST(Reconnect, E27_BackToOneSecondAfterALongSessionOnly) {
  const auto pause_after = [](Millis session, bool ticks = true) {
    Bench bench;
    bench.start();
    for (int i = 0; i < 4; ++i) {
      bench.drop();
      bench.until_connect();
    }
    bench.open();
    bench.challenge(true);
    bench.welcome();
    if (ticks) {
      bench.pass(session);
    } else {
      bench.now += session;
    }
    bench.drop();
    return bench.gadget->pause_ends() - bench.now;
  };
  EXPECT_GE(pause_after(29'900), 7'500);
  EXPECT_LE(pause_after(30'000), 1'000);
  // Also when the end is the first that the core is called with after that time.
  EXPECT_GE(pause_after(29'900, false), 7'500);
  EXPECT_LE(pause_after(30'000, false), 1'000);
}

TEST(Reconnect, E27_RefusalsWaitLonger) {
  for (const char* code : {"auth_failed", "bad_token", "protocol", "busy"}) {
    for (const bool by_reason : {false, true}) {
      Bench bench;
      bench.start();
      bench.open();
      if (!by_reason) {
        bench.hub(std::string{R"({"type":"error","message":"no","code":")"} + code + "\"}");
      }
      bench.drop({.close_code = 1008, .reason = code});
      const Millis pause = bench.gadget->pause_ends() - bench.now;
      EXPECT_GE(pause, 30'000) << code;
      EXPECT_LE(pause, 60'000) << code;
      EXPECT_EQ(bench.state, screen::State::error) << code;
    }
  }
  for (const char* code : {"timeout", "something_new"}) {
    Bench bench;
    bench.start();
    bench.open();
    bench.hub(std::string{R"({"type":"error","message":"no","code":")"} + code + "\"}");
    bench.drop({.close_code = 1008, .reason = code});
    EXPECT_LE(bench.gadget->pause_ends() - bench.now, 1'000) << code;
    EXPECT_EQ(bench.state, screen::State::connecting) << code;
  }
}

TEST(Reconnect, E27_RetryAfterOfA503) {
  const auto pause = [](unsigned status, std::uint32_t retry_after_s) {
    Bench bench;
    bench.start();
    bench.drop({.reason = "", .http_status = status, .retry_after_s = retry_after_s});
    return bench.gadget->pause_ends() - bench.now;
  };
  EXPECT_EQ(pause(503, 20), 20'000);
  EXPECT_EQ(pause(503, 4'000'000'000), 60'000);
  EXPECT_LE(pause(503, 0), 1'000);
  EXPECT_LE(pause(404, 20), 1'000);
}

TEST(Reconnect, E27_EveryStepHasTenSeconds) {
  for (int steps = 0; steps < 4; ++steps) {
    Bench bench;
    bench.start();
    if (steps > 0) bench.gadget->link_transport(bench.now, bench.epoch);
    if (steps > 1) bench.open();
    if (steps > 2) bench.challenge(true);
    bench.pass(9'980);
    EXPECT_TRUE(bench.closes.empty()) << steps;
    bench.pass(40);
    ASSERT_EQ(bench.closes.size(), 1U) << steps;
    EXPECT_EQ(bench.closes[0].first, 1000);
    EXPECT_EQ(bench.gadget->session().phase(), Phase::pausing);
  }
}

TEST(Reconnect, B28_TenThousandDropsAndItAlwaysComesBack) {
  Bench bench;
  bench.start();
  std::uint64_t random = 7;
  for (int i = 0; i < 10'000; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto steps = (random >> 40U) % 5;
    if (steps > 0) bench.gadget->link_transport(bench.now, bench.epoch);
    if (steps > 1) bench.open();
    if (steps > 2) bench.challenge(true);
    if (steps > 3) bench.welcome();
    const int before = bench.connects;
    bench.drop(
        {.close_code = static_cast<std::uint16_t>(1000 + (random >> 33U) % 16), .reason = ""});
    bench.now = bench.gadget->pause_ends();
    bench.gadget->tick(bench.now);
    ASSERT_EQ(bench.connects, before + 1) << i;
  }
}

TEST(Reconnect, NetworkDownIsOfflineAndUpConnectsAtOnce) {
  Bench bench;
  bench.go_online();
  bench.gadget->network(bench.now, false);
  EXPECT_EQ(bench.state, screen::State::offline);
  ASSERT_EQ(bench.closes.size(), 1U);
  bench.pass(100'000);
  EXPECT_EQ(bench.connects, 1);
  bench.gadget->network(bench.now, true);
  EXPECT_EQ(bench.connects, 2);
  EXPECT_EQ(bench.state, screen::State::connecting);
}

TEST(Reconnect, AnOldConnectionsEndTouchesNotTheNewOne) {
  Bench bench;
  bench.start();
  const Epoch old = bench.epoch;
  bench.drop();
  bench.pass(2'000);
  bench.go_online(true);
  ASSERT_NE(bench.epoch, old);
  bench.gadget->link_closed(bench.now, old, {.close_code = 1000, .reason = "late"});
  std::string late{R"({"type":"unpaired"})"};
  bench.gadget->link_text(bench.now, old, late);
  EXPECT_TRUE(bench.gadget->session().online());
  EXPECT_TRUE(bench.gadget->paired());
}

// ---- Heartbeat

TEST(Heartbeat, B2_PongRepeatsTheToken) {
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"ping","ts":1.75e12})");
  EXPECT_NE(bench.last().find(R"("ts":1.75e12)"), std::string::npos);
  bench.hub(R"({"type":"ping"})");
  EXPECT_EQ(bench.last(), R"({"type":"pong"})");
  const auto before = bench.sent.size();
  bench.hub(R"({"type":"ping","ts":"1"})");
  EXPECT_EQ(bench.sent.size(), before);
  EXPECT_EQ(bench.gadget->counters().malformed, 1U);
}

TEST(Heartbeat, B3_E30_SilenceOfThreeHeartbeatsEndsIt) {
  for (const auto& [told, counts] : std::map<std::string, Millis>{
           {"20", 20}, {"5", 5}, {"1", 5}, {"-7", 5}, {"300", 300}, {"301", 300}, {"1e9", 300}}) {
    Bench bench;
    bench.start();
    bench.open();
    bench.challenge(true);
    bench.hub(R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":)" + told + "}");
    bench.pass(3'000 * counts - 20);
    EXPECT_TRUE(bench.closes.empty()) << told;
    bench.gadget->link_alive(bench.now, bench.epoch);  // a control frame
    bench.pass(3'000 * counts - 20);
    EXPECT_TRUE(bench.closes.empty()) << told;
    bench.pass(40);
    ASSERT_EQ(bench.closes.size(), 1U) << told;
    EXPECT_EQ(bench.closes[0], (std::pair<std::uint16_t, std::string>{1000, "heartbeat timeout"}));
  }
}

// ---- N2, T2

TEST(ClockOfTheHub, N2_TheScreenShowsIt) {
  Bench bench;
  bench.start();
  bench.open();
  bench.challenge(true);
  // 2026-01-01 12:34:00 UTC, two hours east.
  bench.welcome(R"(,"time":1767270840000,"utc_offset_s":7200)");
  EXPECT_TRUE(bench.shows_text("14:34"));
  EXPECT_EQ(bench.gadget->clock().floor_ms(), 1'767'270'840'000);
}

TEST(ClockOfTheHub, T2_N2_TheFloorNeverMovesBack) {
  const auto store = std::make_shared<BenchStore>();
  {
    Bench bench{Bench::default_config(), nullptr, store};
    bench.start();
    bench.open();
    bench.challenge(true);
    bench.welcome(R"(,"time":1767270840000)");
    bench.drop();
    bench.pass(2'000);
    bench.open();
    bench.challenge(true);
    bench.welcome(R"(,"time":1767270850000)");  // the same day: not written again
  }
  EXPECT_EQ(store->writes["time"], 1);
  Bench bench{Bench::default_config(), nullptr, store};
  bench.start();
  EXPECT_EQ(bench.gadget->clock().floor_ms(), 1'767'270'840'000);
  bench.open();
  bench.challenge(true);
  for (const char* time : {"1000", "-5", "1e300", "0"}) {
    bench.welcome(std::string{R"(,"time":)"} + time);
    bench.drop();
    bench.until_connect();
    bench.open();
    bench.challenge(true);
  }
  EXPECT_EQ(bench.gadget->clock().floor_ms(), 1'767'270'840'000);
}

}  // namespace
}  // namespace gadget::device
