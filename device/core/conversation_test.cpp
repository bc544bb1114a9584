// Talking to the hub and what it answers (C, R, Q, D1, E21, E26, E31, E35, E36, E39).
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

TEST(QuestionPhase, EveryPairOfPhaseAndEvent) {
  using enum QuestionPhase;
  const std::map<std::pair<QuestionPhase, QuestionEvent>, QuestionPhase> table{
      {{none, QuestionEvent::asked}, guarded},
      {{guarded, QuestionEvent::asked}, guarded},
      {{open, QuestionEvent::asked}, guarded},
      {{guarded, QuestionEvent::guard_again}, guarded},
      {{open, QuestionEvent::guard_again}, guarded},
      {{guarded, QuestionEvent::guard_over}, open},
      {{open, QuestionEvent::answered}, none},
      {{guarded, QuestionEvent::closed}, none},
      {{open, QuestionEvent::closed}, none},
  };
  for (const QuestionPhase phase : {none, guarded, open}) {
    for (const QuestionEvent event :
         {QuestionEvent::asked, QuestionEvent::guard_again, QuestionEvent::guard_over,
          QuestionEvent::answered, QuestionEvent::closed}) {
      const auto found = table.find({phase, event});
      const auto to = next(phase, event);
      EXPECT_EQ(to.has_value(), found != table.end());
      if (to && found != table.end()) {
        EXPECT_EQ(*to, found->second);
      }
    }
  }
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

TEST_F(Online, E36_CancelHeldDuringAQuestionIsNoNewConversation) {
  bench.hub(R"({"type":"prompt","id":"q","text":"Sure?"})");
  bench.press(Button::cancel, 5'000);  // begins in the guard
  EXPECT_EQ(bench.count("session.new"), 0);
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  bench.press(Button::cancel, 5'000);  // answers no
  EXPECT_EQ(bench.count("session.new"), 0);
  EXPECT_EQ(bench.count(R"("answer":"no")"), 1);
  // One that begins before the question comes.
  gadget().button(bench.now, Button::cancel, true);
  bench.pass(1'000);
  bench.hub(R"({"type":"prompt","id":"r","text":"Sure?"})");
  bench.pass(3'000);
  bench.hub(R"({"type":"prompt.close","id":"r"})");
  bench.pass(3'000);
  EXPECT_EQ(bench.count("session.new"), 0);
}

// ---- Q, B-84

TEST_F(Online, Q1_Q3_Q4_TalkIsYesCancelIsNo) {
  for (const bool yes : {true, false}) {
    bench.sent.clear();
    bench.hub(R"({"type":"prompt","id":"q1","title":"Router","text":"Restart the router?"})");
    EXPECT_EQ(bench.state, screen::State::question);
    EXPECT_TRUE(bench.shows_text("Restart the router?"));
    bench.pass(700);
    const Button button = yes ? Button::talk : Button::cancel;
    bench.press(button);
    EXPECT_EQ(Bench::field(bench.last(), "id"), "q1");
    EXPECT_EQ(Bench::field(bench.last(), "answer"), yes ? "yes" : "no");
    EXPECT_EQ(bench.state, screen::State::ready);
    bench.press(button, 10);
    EXPECT_EQ(bench.count("prompt.reply"), 1);
  }
}

TEST_F(Online, Q3_E36_ThePressMustBeginAfterTheGuard) {
  for (const auto& [at, counts] : std::map<Millis, bool>{{0, false}, {590, false}, {600, true}}) {
    bench.sent.clear();
    const Millis asked = bench.now;
    bench.hub(R"({"type":"prompt","id":"q","text":"Sure?"})");
    bench.pass(at);
    bench.press(Button::talk, 2'000);
    EXPECT_EQ(bench.count("prompt.reply"), counts ? 1 : 0) << bench.now - asked;
    EXPECT_EQ(bench.count("audio.start"), 0);
    bench.hub(R"({"type":"prompt.close","id":"q"})");
  }
}

TEST_F(Online, E36_ASecondQuestionReplacesTheFirst) {
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.pass(700);
  bench.hub(R"({"type":"prompt","id":"b","text":"Second?"})");
  bench.press(Button::talk, 10);  // the guard is afresh
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  bench.pass(700);
  bench.press(Button::talk);
  EXPECT_EQ(Bench::field(bench.last(), "id"), "b");
  EXPECT_EQ(bench.count(R"("id":"a")"), 0);
}

TEST_F(Online, Q2_Q4_WithdrawnOrExpiredGetsNoAnswer) {
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.pass(700);
  bench.hub(R"({"type":"prompt.close","id":"other"})");
  EXPECT_EQ(bench.state, screen::State::question);
  bench.hub(R"({"type":"prompt.close","id":"a"})");
  EXPECT_EQ(bench.state, screen::State::ready);
  bench.hub(R"({"type":"prompt","id":"b","text":"Second?","ttl_s":2})");
  bench.pass(1'980);
  EXPECT_EQ(bench.state, screen::State::question);
  bench.pass(40);
  EXPECT_EQ(bench.state, screen::State::ready);
  bench.press(Button::cancel);
  EXPECT_EQ(bench.count("prompt.reply"), 0);
}

TEST_F(Online, E35_AQuestionWithoutTtlStays) {
  for (const char* ttl : {"", R"(,"ttl_s":0)", R"(,"ttl_s":-3)"}) {
    bench.hub(std::string{R"({"type":"prompt","id":"a","text":"First?")"} + ttl + "}");
    for (int i = 0; i < 40; ++i) {
      bench.pass(10'000);
      bench.hub(R"({"type":"ping"})");
    }
    EXPECT_EQ(bench.state, screen::State::question);
  }
}

TEST_F(Online, Q4_AnAnswerThatCouldNotBeSentCanBeGivenAgain) {
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.pass(700);
  bench.link_full = true;
  bench.press(Button::talk);
  EXPECT_EQ(bench.state, screen::State::question);
  bench.link_full = false;
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
}

TEST_F(Online, AQuestionDuringTalkIsNotAnsweredByLettingGo) {
  gadget().button(bench.now, Button::talk, true);
  bench.speak_for(1'000);
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.speak_for(1'000);
  gadget().button(bench.now, Button::talk, false);
  EXPECT_EQ(bench.count("audio.end"), 1);
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  bench.press(Button::talk, 10);  // guarded again: the eyes were elsewhere
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  bench.pass(700);
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
}

TEST_F(Online, E36_AnsweredAndSentAgainLaterIsAskedAgain) {
  for (int i = 0; i < 2; ++i) {
    bench.sent.clear();
    bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
    bench.pass(700);
    bench.press(Button::talk);
    EXPECT_EQ(bench.count("prompt.reply"), 1);
    bench.drop();
    bench.until_connect();
    bench.go_online(true);
  }
}

// ---- D1

// B-84: a question that interrupts. A press of before counts for nothing, one of after for exactly
// one answer, through expiry, a withdrawal that crosses the answer, and a lost connection.
TEST_F(Online, B84_AQuestionGetsExactlyOneAnswerAndNoPressThatWasMeantForSomethingElse) {
  bench.hub(R"({"type":"turn.start","turn":"t"})");
  bench.hub(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16","turn":"t"})");
  bench.hub_frame(1, 0, std::vector<std::int16_t>(8'000, 500));
  bench.hub(R"({"type":"prompt","id":"q","text":"Sure?","ttl_s":5})");
  EXPECT_EQ(bench.state, screen::State::question);
  bench.pass(590);
  bench.press(Button::cancel, 0);  // meant for the voice
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  EXPECT_EQ(bench.count(R"("cancel")"), 0);
  bench.pass(20);
  bench.press(Button::talk, 0);  // at 610 ms
  bench.press(Button::talk, 0);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
  bench.hub(R"({"type":"prompt.close","id":"q"})");  // crossed it
  EXPECT_EQ(bench.count("prompt.reply"), 1);

  bench.sent.clear();
  bench.hub(R"({"type":"prompt","id":"r","text":"Sure?","ttl_s":2})");
  bench.pass(2'010);
  bench.press(Button::cancel, 0);
  EXPECT_EQ(bench.count("prompt.reply"), 0);  // neither yes nor no

  bench.hub(R"({"type":"prompt","id":"s","text":"Sure?"})");
  bench.pass(700);
  bench.drop();
  bench.press(Button::talk, 0);
  bench.until_connect();
  bench.go_online(true);
  bench.hub(R"({"type":"prompt","id":"s","text":"Sure?"})");
  bench.pass(700);
  bench.press(Button::talk, 0);
  bench.press(Button::cancel, 0);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
  EXPECT_EQ(bench.count(R"("id":"s","answer":"yes")"), 1);
}

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
