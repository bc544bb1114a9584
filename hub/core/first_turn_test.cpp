// The essential path: a device comes, is paired, says something, and is answered.
#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;

TEST(Journey, H8_FirstContactThenPairingThenPaired) {
  Bench bench;
  Device device(bench);
  device.come();
  EXPECT_EQ(device.types(), (Types{"challenge", "welcome", "pairing"}));
  EXPECT_EQ(device.need("challenge").get("enrolled"), "false");
  EXPECT_EQ(device.need("welcome").get("paired"), "false");
  const std::string code = device.need("pairing").get("code");
  ASSERT_TRUE(bench.hub->approve(code));
  EXPECT_EQ(device.types().back(), "paired");
}

TEST(Journey, R1_TextWithEchoIsAnsweredAndSpoken) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  device.send(R"({"type":"text","id":"1","text":"hello"})");
  bench.advance(3000);
  EXPECT_EQ(device.types(),
            (Types{"turn.start", "reply", "audio.start", "frames", "audio.end", "turn.end"}));
  EXPECT_EQ(device.need("reply").get("text"), "You said: hello");
  EXPECT_EQ(device.need("turn.end").get("outcome"), "success");
  EXPECT_EQ(device.need("turn.end").get("turn"), device.need("turn.start").get("turn"));
}

TEST(Journey, C3_UtteranceWithEchoIsMeasured) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  device.utter(1000);
  bench.advance(5000);
  EXPECT_EQ(device.need("reply").get("text"), "I heard 1.000 seconds");
  EXPECT_EQ(device.count("turn.end"), 1U);
}

TEST(Journey, R2_UtteranceIsTranscribedAndAnswered) {
  Bench bench(Bench::AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.forget_all();
  bench.recognizer.partial = "what";
  device.utter(1000);
  bench.settle();
  EXPECT_EQ(device.types(), (Types{"status", "turn.start", "transcript", "status"}));
  ASSERT_EQ(bench.agent->turns.size(), 1U);
  EXPECT_EQ(bench.agent->turns[0].request.text, "what time is it");
  EXPECT_EQ(bench.recognizer.samples, 16'000U);
  bench.agent->turns[0].sink->final("It is **nine**.");
  bench.agent->turns[0].sink->end(TurnOutcome::success, {});
  bench.advance(3000);
  EXPECT_EQ(device.need("reply").get("text"), "It is nine.");
  EXPECT_EQ(device.types().back(), "turn.end");
  EXPECT_EQ(bench.fact("turn.timeline", "ours_ms"), "0");
}

}  // namespace
}  // namespace gadget::hub::bench
