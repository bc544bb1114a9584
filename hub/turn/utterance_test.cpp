// Utterances: frames to audio, the recognizer, and what is too short, too long or nothing.
#include "hub/turn/turn_test_support.hpp"

namespace gadget::hub::bench {
namespace {

// ---- Utterances ----

TEST(Utterances, E18_AQuarterOfASecondIsLongEnoughLessIsNot) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.utter(249);
  EXPECT_EQ(device.count("notice"), 1U);
  EXPECT_EQ(device.count("turn.start"), 0U);
  device.utter(250);
  EXPECT_EQ(device.need("reply").get("text"), "I heard 0.250 seconds");
}

TEST(Utterances, E17_GapsAreFilledRepeatsAndLateFramesDropped) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.send(R"({"type":"audio.start","stream":0,"rate":16000,"format":"pcm16"})");
  device.speak(0, 400, 65'530);
  device.frame(0, 3, 0);  // an empty one means nothing (B-35), but 65'530 + 10 is 4: late
  device.frame(0, 14, 640);
  device.frame(0, 14, 640);
  device.frame(0, 2, 640);
  device.send(R"({"type":"audio.end","stream":0})");
  EXPECT_EQ(device.need("reply").get("text"), "I heard 0.840 seconds");
}

TEST(Utterances, C6_CappedWithANoticeAndWhatWasHeardIsUsed) {
  HubOptions options;
  options.max_utterance_s = 2;
  Bench bench(AgentKind::echo, options);
  Device device(bench);
  device.pair();
  device.forget_all();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  device.speak(1, 3000);
  EXPECT_EQ(device.types(), (Types{"notice", "turn.start", "reply"}));  // nothing is spoken into it
  EXPECT_EQ(device.need("reply").get("text"), "I heard 2.000 seconds");
  device.send(R"({"type":"audio.end","stream":1})");
  bench.advance(5000);
  EXPECT_EQ(device.types(), (Types{"notice", "turn.start", "reply", "audio.start", "frames",
                                   "audio.end", "turn.end"}));
}

TEST(Utterances, E18_WithoutFramesForTenSecondsItIsDiscarded) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  bench.advance(5000);
  device.speak(1, 1000);
  bench.advance(9999);
  EXPECT_EQ(device.count("notice"), 0U);
  bench.advance(1);
  EXPECT_EQ(device.count("notice"), 1U);
  device.send(R"({"type":"audio.end","stream":1})");
  EXPECT_EQ(device.count("turn.start"), 0U);
}

TEST(Utterances, E16_ASecondStartDiscardsTheFirstWithANotice) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  device.speak(1, 1000);
  device.send(R"({"type":"audio.start","stream":2,"rate":8000,"format":"pcm16"})");
  EXPECT_EQ(device.count("notice"), 1U);
  device.speak(2, 250);  // 4,000 samples: half a second at 8 kHz
  device.speak(1, 1000);
  device.send(R"({"type":"audio.end","stream":1})");
  device.send(R"({"type":"audio.end","stream":2})");
  EXPECT_EQ(device.need("reply").get("text"), "I heard 0.500 seconds");
}

TEST(Utterances, E16_AFormatThatIsNotKnownIsANotice) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"opus"})");
  device.send(R"({"type":"audio.start","stream":1,"rate":3999,"format":"pcm16"})");
  device.send(R"({"type":"audio.start","stream":1,"rate":48001,"format":"pcm16"})");
  EXPECT_EQ(device.count("notice"), 3U);
  device.speak(1, 1000);
  device.send(R"({"type":"audio.end","stream":1})");
  EXPECT_EQ(device.count("turn.start"), 0U);
}

TEST(Utterances, C4_CancelDiscards) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  device.speak(1, 1000);
  device.send(R"({"type":"audio.cancel","stream":2})");
  device.send(R"({"type":"audio.cancel","stream":1,"reason":"lost"})");
  device.send(R"({"type":"audio.end","stream":1})");
  EXPECT_EQ(device.count("turn.start"), 0U);
}

TEST(Utterances, C3_TheRecognizerGetsSixteenKilohertzWhateverTheDeviceSends) {
  for (const int rate : {8'000, 16'000, 22'050, 44'100, 48'000}) {
    Bench bench(AgentKind::scripted);
    Device device(bench);
    device.pair();
    device.send(R"({"type":"audio.start","stream":1,"rate":)" + std::to_string(rate) +
                R"(,"format":"pcm16"})");
    for (std::uint16_t i = 0; i < 50; ++i) {
      device.frame(1, i, static_cast<std::size_t>(rate) / 50);
    }
    device.send(R"({"type":"audio.end","stream":1})");
    EXPECT_NEAR(static_cast<double>(bench.recognizer.samples), 16'000, 1) << rate;
  }
}

// E19: nothing of an utterance is kept back: each frame is with the recognizer before the next one
// comes.
TEST(Utterances, E19_EveryFrameGoesToTheRecognizerAtOnce) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  for (std::uint16_t frame = 1; frame <= 500; ++frame) {
    device.frame(1, frame, 640);
    ASSERT_EQ(bench.recognizer.samples, 640U * frame);
  }
}

TEST(Utterances, NothingHeardIsANoticeAndReachesNoAgent) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.forget_all();
  bench.recognizer.text = " \n";
  device.utter(1000);
  EXPECT_EQ(device.types(), (Types{"turn.start", "notice", "turn.end"}));
  EXPECT_EQ(device.need("turn.end").get("outcome"), "cancelled");
  EXPECT_TRUE(bench.agent->turns.empty());
}

TEST(Utterances, AMissingOrBrokenRecognizerIsAClearReply) {
  for (const int fault : {0, 1, 2}) {
    Bench bench(AgentKind::scripted);
    bench.has_recognizer = fault != 0;
    bench.recognizer.fails = fault == 1;
    bench.recognizer.hangs = fault == 2;
    bench.start_hub();
    Device device(bench);
    device.pair();
    device.forget_all();
    device.utter(1000);
    bench.advance(55'000);
    device.send(R"({"type":"pong"})");
    bench.advance(20'000);
    EXPECT_EQ(device.types()[0], "turn.start");
    EXPECT_EQ(device.need("turn.end").get("outcome"), "failure") << fault;
    EXPECT_NE(device.need("reply").get("text").find("understand"), std::string::npos);
    expect_balanced(device);
  }
}

}  // namespace
}  // namespace gadget::hub::bench
