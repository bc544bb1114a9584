// Turns that are cancelled, talked into, or lose their device; and everything at once.
#include <random>

#include "hub/turn/turn_test_support.hpp"

namespace gadget::hub::bench {
namespace {

// ---- Cancel and barge-in (E21) ----

TEST(Cancelling, E21_WhileSpeakingAbortsThenEnds) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  text(device, "a long story about a small dog");
  bench.advance(200);
  const std::string stream = device.need("audio.start").get("stream");
  device.forget_all();
  device.send(R"({"type":"cancel"})");
  EXPECT_EQ(device.types(), (Types{"audio.abort", "turn.end"}));
  EXPECT_EQ(device.need("audio.abort").get("stream"), stream);
  EXPECT_EQ(device.need("turn.end").get("outcome"), "cancelled");
  EXPECT_EQ(device.link->dropped_streams, (std::vector<std::uint8_t>{1}));
  bench.advance(10'000);
  EXPECT_EQ(device.count("frame"), 0U);
  device.send(R"({"type":"cancel"})");
  EXPECT_EQ(device.types().size(), 2U);
}

// The hub is done with the turn when the last frame waits in the outbox; the person still hears it.
TEST(Cancelling, E21_WhatASlowLinkHasNotTakenOfATurnThatIsOverIsDropped) {
  for (const char* stop : {R"({"type":"cancel"})",
                           R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})"}) {
    Bench bench;
    Device device(bench);
    device.pair();
    text(device, "hello");
    bench.advance(30'000);
    ASSERT_EQ(device.types().back(), "turn.end");
    ASSERT_TRUE(device.link->dropped_streams.empty());
    device.send(stop);
    device.send(stop);
    EXPECT_EQ(device.link->dropped_streams, (std::vector<std::uint8_t>{1}));
  }
}

TEST(Cancelling, B37_BeforeRecognitionEndsNothingIsSpokenLater) {
  Bench bench(AgentKind::scripted);
  bench.recognizer.delay_ms = 500;
  Device device(bench);
  device.pair();
  device.forget_all();
  device.utter(1000);
  bench.advance(100);
  device.send(R"({"type":"cancel"})");
  bench.advance(5000);
  EXPECT_EQ(device.types(), (Types{"turn.start", "turn.end"}));
  EXPECT_TRUE(bench.agent->turns.empty());
}

TEST(Cancelling, B37_BetweenReplyAndVoiceNothingIsSpokenLater) {
  Bench bench;
  bench.synthesizer.delay_ms = 500;
  Device device(bench);
  device.pair();
  text(device, "hello");
  bench.advance(100);
  device.send(R"({"type":"cancel"})");
  bench.advance(5000);
  EXPECT_EQ(device.count("audio.start"), 0U);
  EXPECT_EQ(device.need("turn.end").get("outcome"), "cancelled");
}

TEST(BargeIn, E42_TheTurnIsCancelledOnceTheUtteranceIsAMessage) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  text(device, "a long story about a small dog");
  bench.advance(200);
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  EXPECT_EQ(device.types().back(), "audio.abort");
  device.speak(1, 1000);
  EXPECT_EQ(device.types().back(), "audio.abort");
  device.send(R"({"type":"audio.end","stream":1})");
  bench.settle();
  EXPECT_EQ(device.need("reply").get("text"), "I heard 1.000 seconds");
  Types turns;
  for (const Written& one : device.got()) {
    if (one.type == "turn.start") turns.push_back("start");
    if (one.type == "turn.end") turns.push_back(one.get("outcome"));
  }
  EXPECT_EQ(turns, (Types{"start", "cancelled", "start"}));
  expect_clean_audio(device);
}

TEST(BargeIn, E42_AnUtteranceThatComesToNothingLeavesTheTurnGoingWithoutSound) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  auto& turn = bench.agent->turns[0];
  turn.sink->delta("This is the first sentence. And ");
  bench.advance(100);
  ASSERT_EQ(device.count("audio.start"), 1U);
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  device.send(R"({"type":"audio.cancel","stream":1})");
  answer(turn, "This is the first sentence. And this the second.");
  bench.advance(10'000);
  EXPECT_EQ(device.count("audio.start"), 1U);
  EXPECT_EQ(device.need("reply").get("text"), "This is the first sentence. And this the second.");
  EXPECT_EQ(device.need("turn.end").get("outcome"), "success");
  expect_balanced(device);
}

TEST(BargeIn, A5_SpeechThatHasNotBegunWaitsForThePerson) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  answer(bench.agent->turns[0], "Here it is.");
  bench.advance(1000);
  EXPECT_EQ(device.count("audio.start"), 0U);
  device.send(R"({"type":"audio.cancel","stream":1})");
  bench.advance(5000);
  EXPECT_EQ(device.count("audio.start"), 1U);
  EXPECT_EQ(device.need("turn.end").get("outcome"), "success");
}

// ---- The device goes away (E41) ----

TEST(Away, E41_TheTurnBeginsAgainWithTheSameIdAndTheRest) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  bench.agent->turns[0].sink->delta("First. ");
  const std::string turn = device.need("turn.start").get("turn");
  device.drop();
  bench.agent->turns[0].sink->delta("First. Second. ");
  bench.advance(5000);
  device.come(kSpeaker);
  EXPECT_EQ(device.types(), (Types{"challenge", "welcome", "turn.start", "reply.delta"}));
  EXPECT_EQ(device.need("turn.start").get("turn"), turn);
  EXPECT_EQ(device.need("reply.delta").get("text"), "First. Second.");
  answer(bench.agent->turns[0], "First. Second. Third.");
  bench.advance(10'000);
  EXPECT_EQ(device.need("turn.end").get("turn"), turn);
  EXPECT_EQ(bench.synthesizer.asked.back(), "Third.");
  expect_balanced(device);
}

TEST(Away, E41_AReplyThatCameMeanwhileIsShownNotSpoken) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  device.drop();
  answer(bench.agent->turns[0], "Here it is.");
  bench.advance(59'000);
  device.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(device.types(), (Types{"challenge", "welcome", "turn.start", "reply", "turn.end"}));
}

TEST(Away, E41_LaterTheReplyWaitsInTheOutbox) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  const std::string turn = device.need("turn.start").get("turn");
  device.drop();
  bench.advance(30'000);
  answer(bench.agent->turns[0], "Here it is.");
  bench.advance(31'000);
  EXPECT_EQ(bench.store->waiting(device.id)->size(), 1U);
  bench.start_hub();  // it survives a restart
  device.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(device.need("reply").get("text"), "Here it is.");
  EXPECT_NE(device.need("turn.start").get("turn"), turn);
  EXPECT_EQ(device.count("audio.end"), 1U);
  EXPECT_TRUE(bench.store->waiting(device.id)->empty());
}

TEST(Away, E41_ReplacedWhileSpeaking) {
  Bench bench;
  Device old(bench, 1);
  Device young(bench, 1);
  old.pair();
  text(old, "a long story about a small dog");
  bench.advance(100);
  young.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(young.types(), (Types{"challenge", "welcome", "turn.start", "reply", "turn.end"}));
  EXPECT_EQ(old.got().back().type, "close");
  expect_clean_audio(old);
}

TEST(Away, R10_AnAnnouncementThatWasInterruptedIsMadeAgain) {
  Bench bench;
  Device device(bench);
  device.pair();
  ASSERT_TRUE(bench.hub->say(device.id, "Dinner is ready"));
  bench.advance(100);
  ASSERT_EQ(device.count("audio.start"), 1U);
  device.drop();
  device.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(device.count("audio.end"), 1U);
  EXPECT_EQ(device.need("turn.end").get("outcome"), "success");
  EXPECT_TRUE(bench.store->waiting(device.id)->empty());
}

// ---- Everything at once ----

// B-38, B-39: cancel, barge-in, reconnects and messages at every point. Afterwards the next turn
// plays, and on every connection each turn.start has one turn.end, each stream is whole.
void play_one_seed(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  Bench bench(AgentKind::scripted);
  bench.recognizer.delay_ms = pick(300);
  bench.synthesizer.delay_ms = pick(200);
  bench.synthesizer.ms_per_char = 1 + pick(80);
  Device device(bench);
  device.pair();
  const auto agent_step = [&] {
    if (bench.agent->turns.empty()) return;
    auto& turn =
        bench.agent
            ->turns[static_cast<std::size_t>(pick(static_cast<int>(bench.agent->turns.size())))];
    switch (pick(5)) {
      case 0: return turn.sink->delta("One sentence. And an");
      case 1: return turn.sink->final("One sentence. And another one.");
      case 2: return turn.sink->end(TurnOutcome::success, {});
      case 3: return turn.sink->question({"", "Sure?", 5000}, [](auto) {});
      default: return turn.sink->end(TurnOutcome::failure, "It broke.");
    }
  };
  std::uint16_t sequence = 0;
  for (int step = 0; step < 60; ++step) {
    switch (pick(10)) {
      case 0: text(device, "hello"); break;
      case 1: device.send(R"({"type":"cancel"})"); break;
      case 2:
        device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
        break;
      case 3:
        device.speak(1, 40 * (1 + pick(10)), sequence);
        sequence = static_cast<std::uint16_t>(sequence + 10);
        break;
      case 4: device.send(R"({"type":"audio.end","stream":1})"); break;
      case 5: agent_step(); break;
      case 6: agent_step(); break;
      case 7: (void)bench.hub->say(device.id, "By the way."); break;
      case 8:
        if (pick(4) != 0) break;
        if (pick(2) == 0) device.drop();
        expect_clean_audio(device);
        device.come(kSpeaker);
        break;
      default: bench.advance(pick(600)); break;
    }
    bench.settle();
  }
  device.send(R"({"type":"audio.cancel","stream":1})");
  device.send(R"({"type":"cancel"})");
  bench.advance(18'000);
  device.send(R"({"type":"pong"})");
  bench.advance(18'000);
  expect_balanced(device);
  expect_clean_audio(device);
  device.forget_all();
  const std::size_t before = bench.agent->turns.size();
  text(device, "the next one");
  ASSERT_EQ(bench.agent->turns.size(), before + 1);
  answer(bench.agent->turns.back(), "It plays.");
  bench.advance(10'000);
  EXPECT_EQ(device.types(),
            (Types{"turn.start", "reply", "audio.start", "frames", "audio.end", "turn.end"}));
}

TEST(Chaos, B38_TheNextTurnAlwaysPlays) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    play_one_seed(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace gadget::hub::bench
