// Turns: utterances, agents, replies, speech, cancelling, and devices that come and go.
#include <random>
#include <set>

#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;
using AgentKind = Bench::AgentKind;

void text(Device& device, std::string_view words) {
  device.send(R"({"type":"text","text":")" + std::string(words) + R"("})");
}

void answer(ScriptedAgent::Turn& turn, std::string words) {
  turn.sink->final(std::move(words));
  turn.sink->end(TurnOutcome::success, {});
}

// Exactly one turn.end for each turn.start on this connection (R6); `open` may still run.
void expect_balanced(const Device& device, std::size_t open = 0) {
  std::map<std::string, int> balance;
  std::size_t starts = 0;
  std::size_t ends = 0;
  for (const Written& one : device.got()) {
    if (one.type == "turn.start") {
      EXPECT_EQ(balance[one.get("turn")]++, 0);
      ++starts;
    }
    if (one.type == "turn.end") {
      EXPECT_EQ(balance[one.get("turn")]--, 1);
      ++ends;
    }
  }
  EXPECT_EQ(starts, ends + open);
}

// No frame of a stream after its audio.end or audio.abort; frames numbered without a gap; one
// stream at a time; every frame within A4.
void expect_clean_audio(const Device& device) {
  std::map<std::uint8_t, int> next;  // -1: closed
  int open = -1;
  for (const Written& one : device.got()) {
    if (one.type == "audio.start") {
      EXPECT_EQ(open, -1) << "a second stream began within the first";
      open = std::stoi(one.get("stream"));
      next[static_cast<std::uint8_t>(open)] = 0;
    }
    if (one.type == "audio.end" || one.type == "audio.abort") {
      EXPECT_EQ(std::to_string(open), one.get("stream"));
      open = -1;
    }
    if (one.type != "frame") continue;
    EXPECT_EQ(static_cast<int>(one.stream), open);
    EXPECT_EQ(static_cast<int>(one.sequence), next[one.stream]++);
  }
}

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

// ---- Replies ----

TEST(Replies, E22_DeltasAreCoalescedToTenASecondNewestWins) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  auto& turn = bench.agent->turns[0];
  std::string so_far;
  for (int i = 0; i < 1000; ++i) {
    so_far += "x";
    turn.sink->delta(so_far);
    bench.advance(1);
  }
  EXPECT_LE(device.count("reply.delta"), 11U);
  EXPECT_GE(device.count("reply.delta"), 10U);
  bench.advance(200);
  EXPECT_EQ(device.need("reply.delta").get("text"), so_far);
  EXPECT_EQ(device.need("reply.delta").kind, Link::Kind::delta);
  const std::size_t before = device.count("reply.delta");
  turn.sink->delta(so_far + "y");
  turn.sink->delta(so_far + "z");
  answer(turn, so_far + "z.");
  bench.advance(1000);
  EXPECT_LE(device.count("reply.delta"), before + 1);  // none after the reply
}

TEST(Replies, E22_NoDeltaIsQueuedBehindASlowLink) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  device.link->waiting = 100'000;
  bench.agent->turns[0].sink->delta("a");
  bench.advance(1000);
  bench.agent->turns[0].sink->delta("ab");
  EXPECT_EQ(device.count("reply.delta"), 0U);
  device.link->waiting = 0;
  bench.advance(200);
  EXPECT_EQ(device.count("reply.delta"), 1U);
  EXPECT_EQ(device.need("reply.delta").get("text"), "ab");
}

TEST(Replies, E33_CutToWhatTheDeviceTakesWithAnEllipsis) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.come(R"(,"caps":{"max_message":4096,"display":{"charset":"utf-8"}})");
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  text(device, "tell");
  std::string long_text;
  for (int i = 0; i < 4000; ++i) long_text += "\"\xC3\xA4";
  answer(bench.agent->turns[0], long_text);
  const Written reply = device.need("reply");
  EXPECT_LE(reply.text.size(), 4096U);
  EXPECT_GE(reply.text.size(), 4090U);
  EXPECT_TRUE(reply.get("text").ends_with("..."));
}

TEST(Replies, R5_InterimIsShownNotSpoken) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "search");
  bench.agent->turns[0].sink->interim("Searching.");
  bench.agent->turns[0].sink->status("reading");
  EXPECT_EQ(device.need("reply").get("interim"), "true");
  EXPECT_EQ(device.need("status").get("text"), "reading");
  EXPECT_TRUE(bench.synthesizer.asked.empty());
}

TEST(Replies, R6_AFailureSaysWhy) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "x");
  bench.agent->turns[0].sink->end(TurnOutcome::failure, "The server is away.");
  bench.advance(5000);
  EXPECT_EQ(device.need("reply").get("text"), "The server is away.");
  EXPECT_EQ(device.need("turn.end").get("outcome"), "failure");
  text(device, "y");
  bench.agent->turns[1].sink->end(TurnOutcome::failure, "");
  EXPECT_FALSE(device.need("reply").get("text").empty());
}

TEST(Replies, WhatComesAfterTheEndIsDropped) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.come();
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  text(device, "x");
  const auto sink = bench.agent->turns[0].sink;
  answer(bench.agent->turns[0], "done");
  bench.settle();
  EXPECT_FALSE(*bench.agent->turns[0].alive);
  device.forget_all();
  sink->delta("a");
  sink->final("b");
  sink->status("c");
  sink->card("d", "e", 0);
  sink->audio({1, 2, 3}, 16'000);
  sink->question({"", "?", 0}, [](auto) { FAIL(); });
  sink->call_action("led", "{}", [](auto) { FAIL(); });
  sink->end(TurnOutcome::failure, "f");
  EXPECT_TRUE(device.got().empty());
}

// The sink outlives its run, its device and the hub.
TEST(Replies, ASinkMayBeCalledWhenTheHubIsGone) {
  std::shared_ptr<TurnSink> sink;
  {
    Bench bench(AgentKind::scripted);
    Device device(bench);
    device.pair();
    text(device, "x");
    sink = bench.agent->turns[0].sink;
  }
  sink->delta("a");
  sink->final("b");
  sink->end(TurnOutcome::success, {});
}

// ---- Speech ----

TEST(Speaking, A4_PacedAndEndedWithTheLastFrame) {
  Bench bench;
  bench.synthesizer.ms_per_char = 100;  // "You said: hello." is 1.6 s
  Device device(bench);
  device.pair();
  device.forget_all();
  const Millis began = bench.now;
  text(device, "hello");
  bench.advance(10'000);
  std::size_t samples = 0;
  for (const Written& one : device.got()) {
    if (one.type != "frame") continue;
    EXPECT_LE(static_cast<Millis>(samples) / 16 - (one.at_ms - began), 500);
    samples += one.samples;
  }
  EXPECT_EQ(samples, 25'600U);
  EXPECT_EQ(device.need("audio.end").at_ms, device.need("frame").at_ms);
  EXPECT_EQ(device.need("turn.end").at_ms, device.need("frame").at_ms);
  EXPECT_EQ(device.need("frame").at_ms,
            began + 1060);  // before the 40th frame 1,560 ms are written
  expect_clean_audio(device);
}

TEST(Speaking, H5_NoSpeakerNoAudio) {
  Bench bench;
  Device device(bench);
  device.come();
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  text(device, "hello");
  bench.advance(5000);
  EXPECT_EQ(device.count("audio.start"), 0U);
  EXPECT_EQ(device.count("turn.end"), 1U);
  EXPECT_TRUE(bench.synthesizer.asked.empty());
}

TEST(Speaking, SentencesAreSpokenWhileTheReplyIsStillWritten) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  auto& turn = bench.agent->turns[0];
  turn.sink->delta("This is the first. And");
  bench.settle();
  EXPECT_EQ(bench.synthesizer.asked, (Types{"This is the first."}));
  EXPECT_EQ(device.count("audio.start"), 1U);
  answer(turn, "This is the first. And **this** the second.");
  bench.advance(10'000);
  EXPECT_EQ(bench.synthesizer.asked, (Types{"This is the first.", "And this the second."}));
  EXPECT_EQ(device.count("audio.start"), 1U);
  EXPECT_EQ(device.count("turn.end"), 1U);
  expect_clean_audio(device);
}

TEST(Speaking, TheVoiceWorksOnlyAFewSecondsAhead) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "tell");
  std::string reply;
  for (int i = 0; i < 20; ++i) reply += "This sentence is exactly two seconds long, nearly. ";
  answer(bench.agent->turns[0], reply);
  bench.settle();
  EXPECT_LE(bench.synthesizer.asked.size(), 3U);
  bench.advance(120'000);
  EXPECT_EQ(bench.synthesizer.asked.size(), 20U);
}

TEST(Speaking, AVoiceThatFailsCostsTheSpeechNotTheTurn) {
  for (const bool hangs : {false, true}) {
    Bench bench;
    bench.synthesizer.fails = !hangs;
    bench.synthesizer.hangs = hangs;
    Device device(bench);
    device.pair();
    device.forget_all();
    text(device, "hello");
    bench.advance(25'000);
    EXPECT_EQ(device.need("reply").get("text"), "You said: hello");
    EXPECT_EQ(device.need("turn.end").get("outcome"), "success");
    EXPECT_EQ(device.count("audio.start"), 0U);
    EXPECT_EQ(bench.facts("speech.failed"), 1U);
  }
}

TEST(Speaking, A3_AnAgentThatSpeaksIsResampled) {
  Bench bench(AgentKind::scripted);
  bench.agent->its_flags.speaks = true;
  Device device(bench);
  device.pair();
  text(device, "sing");
  auto& turn = bench.agent->turns[0];
  for (int i = 0; i < 10; ++i) turn.sink->audio(std::vector<std::int16_t>(4'800, 100), 48'000);
  answer(turn, "la la");
  bench.advance(5000);
  std::size_t samples = 0;
  for (const Written& one : device.got()) samples += one.samples;
  EXPECT_EQ(samples, 16'000U);
  EXPECT_TRUE(bench.synthesizer.asked.empty());
  EXPECT_EQ(device.count("turn.end"), 1U);
}

// An agent that speaks, on a hub without a voice of its own: announcements are shown, and end.
TEST(Speaking, WithoutASynthesizerTurnsStillEnd) {
  Bench bench(AgentKind::scripted);
  bench.has_synthesizer = false;
  bench.start_hub();
  bench.agent->its_flags.speaks = true;
  Device device(bench);
  device.pair();
  ASSERT_TRUE(bench.hub->say(device.id, "Dinner is ready"));
  bench.advance(1000);
  EXPECT_EQ(device.count("turn.end"), 1U);
  EXPECT_EQ(device.count("audio.start"), 0U);
}

TEST(Speaking, E20_StreamIdsRunFrom1To250) {
  Bench bench;
  bench.synthesizer.ms_per_char = 1;
  Device device(bench);
  device.pair();
  std::vector<std::string> streams;
  for (int i = 0; i < 252; ++i) {
    text(device, "x");
    bench.advance(300);
    device.send(R"({"type":"pong"})");
    streams.push_back(device.need("audio.start").get("stream"));
  }
  EXPECT_EQ(streams[0], "1");
  EXPECT_EQ(streams[249], "250");
  EXPECT_EQ(streams[250], "1");
}

TEST(Speaking, A6_TheNextReplyDoesNotCutOffTheEndOfTheOneBefore) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  text(device, "one");
  text(device, "two");
  bench.advance(20'000);
  std::vector<Written> starts;
  for (const Written& one : device.got()) {
    if (one.type == "audio.start") starts.push_back(one);
  }
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_GE(starts[1].at_ms - starts[0].at_ms, 13 * 50);  // "You said: one" takes 650 ms
  expect_clean_audio(device);
  expect_balanced(device);
}

// ---- One at a time (E42) ----

TEST(Waiting, E42_InOrderEightAtMost) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  for (int i = 0; i < 9; ++i) text(device, std::to_string(i));
  EXPECT_EQ(device.count("notice"), 0U);
  text(device, "too many");
  EXPECT_EQ(device.count("notice"), 1U);
  EXPECT_EQ(bench.agent->turns.size(), 1U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(bench.agent->turns[i].request.text, std::to_string(i));
    bench.agent->turns[i].sink->end(TurnOutcome::success, {});
    bench.settle();
  }
  EXPECT_EQ(bench.agent->turns.size(), 9U);
  expect_balanced(device);
}

TEST(Waiting, E42_CancelAndSessionNewDropWhatWaits) {
  for (const char* const stop : {R"({"type":"cancel"})", R"({"type":"session.new"})"}) {
    Bench bench(AgentKind::scripted);
    Device device(bench);
    device.pair();
    text(device, "one");
    text(device, "two");
    device.send(stop);
    device.send(stop);
    EXPECT_EQ(device.need("turn.end").get("outcome"), "cancelled");
    EXPECT_EQ(bench.agent->turns.size(), 1U);
    EXPECT_FALSE(*bench.agent->turns[0].alive);
    text(device, "three");
    EXPECT_EQ(bench.agent->turns.size(), 2U);
    expect_balanced(device, 1);
  }
}

TEST(Waiting, R10_AnAnnouncementWaitsWhileThePersonSpeaks) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.forget_all();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  ASSERT_TRUE(bench.hub->say(device.id, "Dinner is ready"));
  EXPECT_TRUE(device.got().empty());
  device.send(R"({"type":"audio.cancel","stream":1})");
  EXPECT_EQ(device.need("reply").get("text"), "Dinner is ready");
}

TEST(Waiting, C1_BlankTextIsIgnoredAndLongTextCut) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  text(device, "");
  text(device, "  \\n\\t ");
  EXPECT_TRUE(bench.agent->turns.empty());
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "\xC3\xA4";
  text(device, umlauts);
  EXPECT_EQ(bench.agent->turns[0].request.text.size(), 8000U);
}

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
