// Yes/no questions: which press answers them, and that one answer is all (Q, E35, E36, B-84).
#include "device/core/question.hpp"

#include <map>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

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

class Questions : public testing::Test {
 protected:
  Questions() { bench.go_online(); }
  Gadget& gadget() { return *bench.gadget; }
  Bench bench;
};

TEST_F(Questions, Q1_Q3_Q4_TalkIsYesCancelIsNo) {
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

TEST_F(Questions, Q3_E36_ThePressMustBeginAfterTheGuard) {
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

TEST_F(Questions, E36_ASecondQuestionReplacesTheFirst) {
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

TEST_F(Questions, Q2_Q4_WithdrawnOrExpiredGetsNoAnswer) {
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

TEST_F(Questions, E35_AQuestionWithoutTtlStays) {
  for (const char* ttl : {"", R"(,"ttl_s":0)", R"(,"ttl_s":-3)"}) {
    bench.hub(std::string{R"({"type":"prompt","id":"a","text":"First?")"} + ttl + "}");
    for (int i = 0; i < 40; ++i) {
      bench.pass(10'000);
      bench.hub(R"({"type":"ping"})");
    }
    EXPECT_EQ(bench.state, screen::State::question);
  }
}

TEST_F(Questions, Q4_AnAnswerThatCouldNotBeSentCanBeGivenAgain) {
  bench.hub(R"({"type":"prompt","id":"a","text":"First?"})");
  bench.pass(700);
  bench.link_full = true;
  bench.press(Button::talk);
  EXPECT_EQ(bench.state, screen::State::question);
  bench.link_full = false;
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
}

TEST_F(Questions, AQuestionDuringTalkIsNotAnsweredByLettingGo) {
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

TEST_F(Questions, E36_AnsweredAndSentAgainLaterIsAskedAgain) {
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

// B-84: a question that interrupts. A press of before counts for nothing, one of after for exactly
// one answer, through expiry, a withdrawal that crosses the answer, and a lost connection.
TEST_F(Questions, B84_AQuestionGetsExactlyOneAnswerAndNoPressThatWasMeantForSomethingElse) {
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

TEST_F(Questions, E36_CancelHeldDuringAQuestionIsNoNewConversation) {
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

}  // namespace
}  // namespace gadget::device
