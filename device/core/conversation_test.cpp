// Talking to the hub and what it answers (C, R, D1, E21, E26, E31, E35, E36, E39).
#include "device/core/conversation.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

constexpr TurnPhase kTurnPhases[] = {TurnPhase::quiet, TurnPhase::awaiting, TurnPhase::working,
                                     TurnPhase::answering};

TEST(TurnPhase, EveryPairOfPhaseAndMove) {
  using enum TurnPhase;
  const std::map<std::pair<TurnPhase, TurnMove>, TurnPhase> table{
      {{quiet, TurnMove::sent}, awaiting},    {{quiet, TurnMove::start}, working},
      {{awaiting, TurnMove::start}, working}, {{awaiting, TurnMove::give_up}, quiet},
      {{working, TurnMove::start}, working},  {{working, TurnMove::text}, answering},
      {{working, TurnMove::end}, quiet},      {{answering, TurnMove::start}, working},
      {{answering, TurnMove::end}, quiet},
  };
  for (const TurnPhase phase : kTurnPhases) {
    for (const TurnMove move :
         {TurnMove::sent, TurnMove::start, TurnMove::text, TurnMove::end, TurnMove::give_up}) {
      const auto found = table.find({phase, move});
      const auto to = next(phase, move);
      EXPECT_EQ(to.has_value(), found != table.end());
      if (to && found != table.end()) {
        EXPECT_EQ(*to, found->second);
      }
    }
  }
}

TEST(TalkPhase, EveryPairOfPhaseAndEvent) {
  for (const TalkEvent event :
       {TalkEvent::press, TalkEvent::release, TalkEvent::cancel, TalkEvent::lost}) {
    const bool press = event == TalkEvent::press;
    EXPECT_EQ(next(TalkPhase::idle, event).has_value(), press);
    EXPECT_EQ(next(TalkPhase::recording, event).has_value(), !press);
  }
  EXPECT_EQ(next(TalkPhase::idle, TalkEvent::press), TalkPhase::recording);
  EXPECT_EQ(next(TalkPhase::recording, TalkEvent::lost), TalkPhase::idle);
}

class Online : public testing::Test {
 protected:
  Online() { bench.go_online(); }
  Gadget& gadget() { return *bench.gadget; }
  Bench bench;
};

// ---- C1, R1-R6

TEST_F(Online, C1_R_ATypedTurnFromTextToReply) {
  EXPECT_EQ(bench.state, screen::State::ready);
  ASSERT_TRUE(gadget().text(bench.now, "hello"));
  EXPECT_EQ(Bench::field(bench.last(), "type"), "text");
  EXPECT_EQ(Bench::field(bench.last(), "text"), "hello");
  EXPECT_NE(Bench::field(bench.last(), "id"), "");
  EXPECT_EQ(bench.state, screen::State::thinking);
  bench.hub(R"({"type":"turn.start","turn":"7"})");
  EXPECT_EQ(bench.state, screen::State::thinking);
  bench.hub(R"({"type":"status","text":"looking it up"})");
  EXPECT_TRUE(bench.shows_text("looking it up"));
  bench.hub(R"({"type":"reply.delta","turn":"7","text":"You"})");
  EXPECT_EQ(bench.state, screen::State::replying);
  bench.hub(R"({"type":"reply.delta","turn":"7","text":"You said"})");
  EXPECT_TRUE(bench.shows_text("You said"));
  bench.hub(R"({"type":"reply","turn":"7","text":"You said: hello"})");
  bench.hub(R"({"type":"turn.end","turn":"7","outcome":"success"})");
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_TRUE(bench.shows_text("You said: hello"));  // its text may stay
}

TEST_F(Online, C1_BlankTextIsIgnored) {
  for (const char* blank : {"", " ", "\t\r\n "}) EXPECT_FALSE(gadget().text(bench.now, blank));
  EXPECT_TRUE(bench.sent.empty());
}

TEST_F(Online, C1_LongTextIsCutToWhatFits) {
  EXPECT_TRUE(gadget().text(bench.now, std::string(5'000, 'x')));
  EXPECT_EQ(Bench::field(bench.last(), "text"), std::string(4'000, 'x'));
  EXPECT_TRUE(
      gadget().text(bench.now, std::string(50'000, '\x01')));  // six bytes each as an escape
  EXPECT_LE(bench.last().size(), bench.memory->outgoing.size());
  EXPECT_GT(bench.last().size(), bench.memory->outgoing.size() / 2);
}

TEST_F(Online, R_WhatBelongsToAnEarlierTurnIsDropped) {
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.hub(R"({"type":"turn.start","turn":"2"})");
  bench.hub(R"({"type":"reply.delta","turn":"1","text":"old"})");
  bench.hub(R"({"type":"reply","turn":"1","text":"old"})");
  bench.hub(R"({"type":"turn.end","turn":"1","outcome":"success"})");
  EXPECT_EQ(gadget().conversation().reply(), "");
  EXPECT_TRUE(gadget().conversation().has_turn());
  EXPECT_EQ(gadget().counters().untimely, 3U);
}

TEST_F(Online, R10_AReplyWithoutATurnIsShown) {
  bench.hub(R"({"type":"reply","text":"by the way"})");
  EXPECT_TRUE(bench.shows_text("by the way"));
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST_F(Online, R2_TheTranscriptShows) {
  bench.press(Button::talk, 50);
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.hub(R"({"type":"transcript","text":"what time is it"})");
  EXPECT_TRUE(bench.shows_text("what time is it"));
}

TEST_F(Online, R7_E35_NoticesStayAsLongAsTheyShould) {
  const std::vector<std::pair<std::string, Millis>> rows{{"", 8'000},
                                                         {R"(,"ttl_s":3)", 3'000},
                                                         {R"(,"ttl_s":0)", 1'000},
                                                         {R"(,"ttl_s":-9)", 1'000},
                                                         {R"(,"ttl_s":0.25)", 1'000},
                                                         {R"(,"ttl_s":1.5)", 1'500},
                                                         {R"(,"ttl_s":1e12)", 86'400'000}};
  for (const auto& [ttl, stays] : rows) {
    bench.hub(R"({"type":"notice","text":"psst")" + ttl + "}");
    bench.now += stays - 1;
    gadget().tick(bench.now);
    EXPECT_TRUE(bench.shows_text("psst")) << ttl;
    bench.now += 1;
    bench.hub(R"({"type":"ping"})");  // a day passes: the link lives
    gadget().tick(bench.now);
    EXPECT_FALSE(bench.shows_text("psst")) << ttl;
    if (!gadget().session().online()) {
      bench.until_connect();
      bench.go_online(true);
    }
  }
}

TEST_F(Online, ANoticeInsteadOfATurnEndsTheWait) {
  gadget().text(bench.now, "x");
  EXPECT_EQ(bench.state, screen::State::thinking);
  bench.hub(R"({"type":"notice","text":"too many"})");
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST_F(Online, WithoutAnyAnswerThinkingEnds) {
  gadget().text(bench.now, "x");
  bench.pass(kAwaitTurnMs - 100);
  EXPECT_EQ(bench.state, screen::State::thinking);
  bench.pass(200);
  EXPECT_EQ(bench.state, screen::State::ready);
}

// ---- P

TEST_F(Online, P1_P2_P3_Pairing) {
  bench.hub(R"({"type":"unpaired"})");
  EXPECT_EQ(bench.state, screen::State::pairing);
  bench.hub(R"({"type":"pairing","code":"ABCD2345","command":"hermes-gadget pairing approve"})");
  EXPECT_TRUE(bench.shows_text("ABCD2345") || bench.shows_text("ABCD 2345"));
  EXPECT_TRUE(bench.shows_text(gadget().id().text()));  // E14: both
  bench.hub(R"({"type":"paired"})");
  EXPECT_EQ(bench.state, screen::State::ready);
}

// ---- C2-C4, E39

TEST_F(Online, C2_C3_HoldToTalk) {
  gadget().button(bench.now, Button::talk, true);
  EXPECT_TRUE(bench.listening);
  EXPECT_EQ(bench.state, screen::State::listening);
  bench.speak_for(1'010, 500);
  gadget().button(bench.now, Button::talk, false);
  EXPECT_FALSE(bench.listening);
  EXPECT_EQ(bench.state, screen::State::thinking);

  ASSERT_EQ(bench.sent.size(), 2U);
  std::string start = bench.sent[0];
  std::string end = bench.sent[1];
  const auto started = protocol::parse_device_message(start);
  const auto ended = protocol::parse_device_message(end);
  ASSERT_TRUE(started && ended);
  const auto& first = std::get<protocol::UtteranceStart>(*started);
  const auto& last = std::get<protocol::UtteranceEnd>(*ended);
  EXPECT_EQ(first.rate_hz, 16'000);
  EXPECT_EQ(first.format, "pcm16");
  EXPECT_EQ(first.mode, "hold");
  EXPECT_EQ(first.stream, last.stream);
  EXPECT_EQ(first.id, last.id);
  EXPECT_EQ(last.duration_ms.rounded(), 1'010);

  // 25 frames of 40 ms and the rest of 10 ms, numbered without a gap, nothing lost.
  ASSERT_EQ(bench.frames.size(), 26U);
  std::size_t samples = 0;
  for (std::size_t i = 0; i < bench.frames.size(); ++i) {
    const auto frame = protocol::decode_frame(bench.frames[i]);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->channel, protocol::Channel::audio);
    EXPECT_EQ(frame->stream, first.stream);
    EXPECT_EQ(frame->sequence, i);
    EXPECT_EQ(frame->payload.size(), i < 25 ? 1'280U : 320U);
    samples += frame->payload.size() / 2;
  }
  EXPECT_EQ(samples, 16'160U);
}

TEST_F(Online, E39_ShorterThanAThirdOfASecondIsTooShort) {
  for (const auto& [ms, sent] : std::map<Millis, bool>{{10, false}, {340, false}, {350, true}}) {
    bench.sent.clear();
    gadget().button(bench.now, Button::talk, true);
    bench.speak_for(ms);
    gadget().button(bench.now, Button::talk, false);
    EXPECT_EQ(bench.count("audio.end"), sent ? 1 : 0) << ms;
    EXPECT_EQ(bench.count("too_short"), sent ? 0 : 1) << ms;
  }
}

TEST_F(Online, C4_CancelWhileTalking) {
  gadget().button(bench.now, Button::talk, true);
  bench.speak_for(1'000);
  bench.press(Button::cancel);
  EXPECT_EQ(Bench::field(bench.last(), "reason"), "cancelled");
  EXPECT_FALSE(bench.listening);
  gadget().button(bench.now, Button::talk, false);  // nothing more comes of it
  EXPECT_EQ(bench.count("audio.end"), 0);
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST_F(Online, C4_LostWhenTheLinkDoesNotKeepUp) {
  gadget().button(bench.now, Button::talk, true);
  bench.speak_for(400);
  bench.link_full = true;
  bench.speak_for(1'000);
  EXPECT_TRUE(gadget().talk().recording());
  bench.link_full = false;  // a second of silence, no more
  bench.speak_for(200);
  const auto frame = protocol::decode_frame(bench.frames.back());
  EXPECT_EQ(frame->sequence, 39U);  // the numbers went on: the hub fills the gap (E17)
  bench.link_full = true;
  bench.speak_for(400);
  EXPECT_FALSE(gadget().talk().recording());
  EXPECT_FALSE(bench.listening);
}

TEST_F(Online, StreamsOfUtterancesDifferAndWrap) {
  std::string before;
  for (int i = 0; i < 300; ++i) {
    bench.sent.clear();
    bench.press(Button::talk, 0);
    ASSERT_EQ(bench.count("audio.start"), 1);
    std::string start = bench.sent[0];
    const auto parsed = protocol::parse_device_message(start);
    ASSERT_TRUE(parsed);
    const auto& message = std::get<protocol::UtteranceStart>(*parsed);
    EXPECT_LE(message.stream, 255);
    EXPECT_NE(std::string{message.id}, before);
    before = message.id;
  }
}

// ---- C7, C8, E21

TEST_F(Online, C7_CancelStopsTheTurn) {
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.press(Button::cancel);
  EXPECT_EQ(bench.count(R"({"type":"cancel"})"), 1);
}

TEST_F(Online, C8_CancelHeldForTwoSecondsIsANewConversation) {
  bench.hub(R"({"type":"reply","text":"old text"})");
  bench.press(Button::cancel, 1'960);
  EXPECT_EQ(bench.count("session.new"), 0);
  bench.press(Button::cancel, 2'040);
  EXPECT_EQ(bench.count("session.new"), 1);
  EXPECT_FALSE(bench.shows_text("old text"));
  bench.press(Button::cancel, 9'000);
  EXPECT_EQ(bench.count("session.new"), 2);  // once a press
}

// ---- D1

TEST_F(Online, D1_ACardShowsAndGoes) {
  bench.hub(R"({"type":"display","title":"Timer","body":"Tea is ready.","ttl_s":5})");
  EXPECT_EQ(bench.state, screen::State::card);
  EXPECT_TRUE(bench.shows_text("Tea is ready."));
  bench.pass(4'900);
  EXPECT_EQ(bench.state, screen::State::card);
  bench.pass(200);
  EXPECT_EQ(bench.state, screen::State::ready);
  bench.hub(R"({"type":"display","body":"b"})");
  bench.pass(14'900);
  EXPECT_EQ(bench.state, screen::State::card);
  bench.pass(200);
  EXPECT_EQ(bench.state, screen::State::ready);  // E35: 15 s
}

TEST_F(Online, D1_ACardOfATurnShowsWhenItWasSaid) {
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.hub(R"({"type":"display","title":"Timer","body":"9 minutes","ttl_s":5})");
  bench.hub(R"({"type":"reply","turn":"1","text":"Timer set."})");
  bench.pass(9'000);
  EXPECT_EQ(bench.state, screen::State::replying);
  bench.hub(R"({"type":"turn.end","turn":"1","outcome":"success"})");
  EXPECT_EQ(bench.state, screen::State::card);
  bench.pass(4'900);
  EXPECT_EQ(bench.state, screen::State::card);
  bench.pass(200);
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST_F(Online, D1_ANewUtteranceDismissesTheCard) {
  bench.hub(R"({"type":"display","title":"T","body":"b","ttl_s":0})");
  EXPECT_EQ(bench.state, screen::State::card);
  gadget().text(bench.now, "next");
  EXPECT_EQ(bench.state, screen::State::thinking);
  bench.hub(R"({"type":"notice","text":"no"})");
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST_F(Online, D1_TtlZeroStaysUntilDismissed) {
  bench.hub(R"({"type":"display","title":"T","body":"b","ttl_s":0})");
  bench.pass(50'000);
  EXPECT_EQ(bench.state, screen::State::card);
  bench.press(Button::cancel);
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_EQ(bench.count("cancel"), 0);  // that press was for the card
}

TEST_F(Online, UpAndDownTurnPages) {
  std::string body;
  for (int i = 0; i < 80; ++i) body += "word" + std::to_string(i) + " ";
  bench.hub(R"({"type":"display","title":"T","ttl_s":0,"body":")" + body + "\"}");
  EXPECT_TRUE(bench.shows_text("word0"));
  bench.press(Button::up);
  EXPECT_TRUE(bench.shows_text("word0"));
  bench.press(Button::down);
  EXPECT_FALSE(bench.shows_text("word0 "));
  for (int i = 0; i < 20; ++i) bench.press(Button::down);
  EXPECT_TRUE(bench.shows_text("word79"));
  bench.press(Button::up);
  EXPECT_FALSE(bench.shows_text("word79"));
}

// ---- E31

TEST_F(Online, E31_NothingOfAConversationSurvivesTheConnection) {
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.hub(R"({"type":"reply.delta","turn":"1","text":"half a"})");
  bench.hub(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16","turn":"1"})");
  bench.hub_frame(1, 0, std::vector<std::int16_t>(4'000, 9));
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.drop();
  EXPECT_TRUE(gadget().playback().idle());
  bench.until_connect();
  bench.go_online(true);
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_FALSE(bench.shows_text("half a"));
  bench.hub_frame(1, 1, std::vector<std::int16_t>(4'000, 9));
  EXPECT_EQ(gadget().playback().waiting(), 0U);
  bench.pass(700);
  bench.press(Button::talk, 10);
  EXPECT_EQ(bench.count("prompt.reply"), 0);
}

TEST_F(Online, E31_AnUtteranceEndsWithTheConnection) {
  gadget().button(bench.now, Button::talk, true);
  bench.speak_for(1'000);
  bench.drop();
  EXPECT_FALSE(bench.listening);
  gadget().button(bench.now, Button::talk, false);
  bench.until_connect();
  bench.go_online(true);
  EXPECT_EQ(bench.count("audio"), 0);
}

TEST(Offline, NothingCanBeSaid) {  // what is typed waits: backlog_test.cpp
  Bench bench;
  bench.start();
  bench.press(Button::talk);
  bench.press(Button::cancel, 3'000);
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_FALSE(bench.listening);
}

TEST_F(Online, CancelDismissesANotice) {
  bench.hub(R"({"type":"notice","text":"Mind the gap","ttl_s":60})");
  EXPECT_TRUE(bench.shows_text("Mind the gap"));
  bench.pass(100);
  bench.press(Button::cancel);
  bench.pass(40);
  EXPECT_FALSE(bench.shows_text("Mind the gap"));
}

}  // namespace
}  // namespace gadget::device
