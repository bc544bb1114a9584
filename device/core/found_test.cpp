// What random sequences (device/model) found: each is a symptom that was there once.
#include <cstdint>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"
#include "device/update/test_flash.hpp"

namespace gadget::device {
namespace {

using test::Bench;

// The heartbeat ended the connection, and an answer that had waited for room was said after it.
TEST(Found, B3_NothingIsSaidOnAConnectionThatJustEnded) {
  Bench bench;
  bench.go_online();
  bench.link_full = true;
  bench.hub(R"({"type":"ota.begin","mac":"x"})");
  bench.link_full = false;
  bench.now += 61'000;
  bench.gadget->tick(bench.now);
  ASSERT_EQ(bench.closes.size(), 1U);
  EXPECT_EQ(bench.closes[0].second, "heartbeat timeout");
  EXPECT_TRUE(bench.sent.empty()) << bench.last();
}

// A question that came and expired between two ticks was forgotten by the CANCEL that was held.
TEST(Found, E36_AQuestionBetweenTwoTicksSpoilsAHeldCancel) {
  Bench bench;
  bench.go_online();
  bench.gadget->button(bench.now, Button::cancel, true);
  bench.sent.clear();
  bench.hub(R"({"type":"prompt","id":"q","text":"Sure?","ttl_s":1})");
  bench.now += 3'000;
  bench.gadget->tick(bench.now);
  bench.pass(3'000);
  EXPECT_EQ(bench.count("session.new"), 0);
}

// A console answered a question whose time was over, as long as no tick had come between.
TEST(Found, Q4_AnAnswerBetweenExpiryAndTickIsNone) {
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"prompt","id":"q","text":"Sure?","ttl_s":2})");
  bench.pass(1'000);
  bench.now += 1'000;
  EXPECT_FALSE(bench.gadget->answer(bench.now, true));
  EXPECT_EQ(bench.count("prompt.reply"), 0);
}

// After the key was given once more, the next hub that knew nothing got it without a question.
TEST(Found, E32_ConsentGivenOnceIsAskedForAgainBeforeAnyMac) {
  Bench bench;
  bench.go_online(true);
  bench.drop();
  bench.until_connect();
  bench.open();
  bench.challenge(false);
  bench.pass(kQuestionGuardMs);
  bench.press(Button::talk);
  bench.open();
  bench.challenge(false);
  ASSERT_EQ(bench.count(R"("key")"), 1);
  bench.welcome();
  bench.drop();
  bench.until_connect();
  bench.sent.clear();
  bench.open();
  bench.challenge(false);
  EXPECT_EQ(bench.count(R"("key")"), 0);
  EXPECT_EQ(bench.state, screen::State::question);
}

// A long session that ended with the network left the long pause of before it.
TEST(Found, E27_ALongSessionThatEndsWithTheNetworkShortensThePause) {
  Bench bench;
  bench.start();
  for (int i = 0; i < 8; ++i) {
    bench.drop();
    bench.until_connect();
  }
  bench.open();
  bench.challenge();
  bench.welcome();
  for (int i = 0; i < 4; ++i) {
    bench.pass(10'000);
    bench.hub(R"({"type":"ping"})");
  }
  bench.gadget->network(bench.now, false);
  bench.gadget->network(bench.now, true);
  bench.drop();
  EXPECT_LE(bench.gadget->pause_ends() - bench.now, 1'000);
}

// A network that came and went ended the pause after a refusal: a device with a loose cable met a
// hub that does not want it every second.
TEST(Found, E27_ANetworkThatFlapsDoesNotEndThePauseAfterARefusal) {
  for (const bool closed : {true, false}) {  // the hub closed, or the network went before it could
    Bench bench;
    bench.start();
    bench.open();
    bench.hub(R"({"type":"error","code":"bad_token","message":"no"})");
    if (closed) bench.drop({.close_code = 1008, .reason = "bad_token"});
    const Millis refused = bench.now;
    for (int i = 0; i < 100; ++i) {
      bench.gadget->network(bench.now, false);
      bench.pass(100);
      bench.gadget->network(bench.now, true);
      bench.pass(100);
    }
    EXPECT_EQ(bench.connects, 1);
    EXPECT_EQ(bench.state, screen::State::error);  // it still says why
    bench.until_connect();
    EXPECT_GE(bench.now - refused, 30'000);
    EXPECT_LE(bench.now - refused, 60'020);
  }
}

// After any other end a network that is back is reason enough to try at once.
TEST(Found, E27_ANetworkThatIsBackEndsAnOrdinaryPause) {
  Bench bench;
  bench.start();
  for (int i = 0; i < 8; ++i) {
    bench.drop();
    bench.until_connect();
  }
  bench.drop();
  const int before = bench.connects;
  bench.gadget->network(bench.now, false);
  bench.gadget->network(bench.now, true);
  EXPECT_EQ(bench.connects, before + 1);
}

// What a person decides goes before the pause, and a network that is away does not keep it.
TEST(Found, E32_ConsentWithoutANetworkEndsThePause) {
  Bench bench;
  bench.go_online(true);
  bench.drop();
  bench.until_connect();
  bench.open();
  bench.challenge(false);
  bench.gadget->network(bench.now, false);
  bench.pass(kQuestionGuardMs);
  bench.press(Button::talk);
  const int before = bench.connects;
  bench.gadget->network(bench.now, true);
  EXPECT_EQ(bench.connects, before + 1);
}

// An offer that was taken back while the link was full got its ota.ready all the same, and the hub
// an answer to nothing.
TEST(Found, O7_AnAbortedOfferIsNotAnsweredLater) {
  test::TestFlash flash;
  AbSlots slots{flash, 0};
  Bench bench{Bench::default_config(), nullptr, std::make_shared<test::BenchStore>(), &slots};
  bench.go_online();
  bench.link_full = true;
  bench.hub(R"({"type":"ota.offer","stream":1,"size":2000,"version":"2","sha256":")" +
            std::string(64, 'a') + "\"}");
  bench.hub(R"({"type":"ota.abort"})");
  bench.link_full = false;
  bench.pass(100);
  EXPECT_EQ(bench.count("ota."), 0) << bench.last();
}

// Every five minutes all readings were told, although one had been a moment before.
TEST(Found, E39_EverythingWaitsForItsTwoSecondsToo) {
  Bench bench;
  bench.gadget->sensor(bench.now, "a", "1");
  bench.start();
  bench.open();
  bench.challenge();
  bench.welcome();
  for (int i = 0; i < 29; ++i) {
    bench.pass(10'000);
    bench.hub(R"({"type":"ping"})");
  }
  bench.pass(9'000);
  bench.sent.clear();
  bench.gadget->sensor(bench.now, "a", "2");
  bench.pass(1'900);
  EXPECT_EQ(bench.count(R"("state")"), 1);
  bench.pass(200);
  EXPECT_EQ(bench.count(R"("state")"), 2);
}

// The end of the clock: sums of a time and a pause overflowed.
TEST(Found, AnyClockIsTaken) {
  for (const Millis begin : {INT64_MIN, Millis{-1}, Millis{0}, kMaxClockMs, INT64_MAX}) {
    Bench bench;
    bench.now = begin;
    bench.go_online();
    bench.hub(R"({"type":"notice","text":"n","ttl_s":86400})");
    bench.hub(R"({"type":"prompt","id":"q","text":"Sure?","ttl_s":86400})");
    bench.hub(R"({"type":"display","body":"b","ttl_s":86400})");
    bench.gadget->button(bench.now, Button::cancel, true);
    bench.gadget->tick(INT64_MAX);
    bench.now = INT64_MAX;
    bench.gadget->text(bench.now, "hello");
    EXPECT_FALSE(bench.screen_now().empty());
  }
}

}  // namespace
}  // namespace gadget::device
