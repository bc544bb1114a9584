// Turns: agents, replies, speech, and the messages that wait.
#include "hub/turn/turn_test_support.hpp"

namespace gadget::hub::bench {
namespace {

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

// Nothing that a device needs waits behind an agent that thinks.
TEST(Replies, B22_PingsAreAnsweredWhileTheAgentIsSilentForTenSeconds) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  Device other(bench, 2);
  device.pair();
  other.pair();
  text(device, "think");
  ASSERT_EQ(bench.agent->turns.size(), 1U);
  for (std::size_t second = 1; second <= 10; ++second) {
    bench.advance(1000);
    for (Device* one : {&device, &other}) {
      one->send(R"({"type":"ping","ts":5})");
      EXPECT_EQ(one->count("pong"), second);
    }
  }
  answer(bench.agent->turns[0], "At last.");
  EXPECT_EQ(device.need("reply").get("text"), "At last.");
  bench.advance(5000);  // it is spoken
  expect_balanced(device);
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

}  // namespace
}  // namespace gadget::hub::bench
