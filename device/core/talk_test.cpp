// Tap to talk, and how long an utterance may be (C2-C4, E36, E39), as the Gadget does it.
#include "device/core/talk.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

class Tap : public testing::Test {
 protected:
  Tap() {
    mode("tap");
    bench.go_online();
  }
  void mode(std::string_view value) { (void)gadget().set(bench.now, Setting::talk_mode, value); }
  Gadget& gadget() { return *bench.gadget; }
  void tap(Button button = Button::talk) { bench.press(button, 80); }
  // Somebody speaks: loud and less loud in turn, so that it is no hum.
  void speak(Millis ms) {
    for (Millis i = 0; i < ms / 10; ++i) {
      std::vector<std::int16_t> samples(Bench::kRate / 100);
      const int level = i / 6 % 3 == 2 ? 40 : 4'000;
      for (std::size_t k = 0; k < samples.size(); ++k) {
        samples[k] = static_cast<std::int16_t>(k % 40 < 20 ? level : -level);
      }
      bench.now += 10;
      gadget().microphone(bench.now, samples);
      gadget().tick(bench.now);
    }
  }
  void be_silent(Millis ms) { bench.speak_for(ms, 3); }

  Bench bench;
};

TEST(TapCaps, C2_H4_TheHubIsToldHowOneTalks) {
  for (const std::string mode : {"tap", "hold"}) {
    Bench bench;
    bench.start();
    (void)bench.gadget->set(bench.now, Setting::talk_mode, mode);
    bench.open();
    EXPECT_EQ(Bench::field(bench.last(), "talk_mode"), mode);
  }
}

TEST_F(Tap, C2_C3_ATapBeginsAndSilenceEnds) {
  tap();
  EXPECT_TRUE(bench.listening);
  EXPECT_EQ(bench.state, screen::State::listening);
  EXPECT_EQ(Bench::field(bench.last(), "mode"), "tap");
  be_silent(700);
  speak(2'000);
  EXPECT_TRUE(gadget().talk().recording());
  be_silent(1'200);
  EXPECT_FALSE(gadget().talk().recording());
  EXPECT_FALSE(bench.listening);
  EXPECT_EQ(bench.count("audio.end"), 1);
  EXPECT_EQ(bench.count("audio.cancel"), 0);
  EXPECT_EQ(bench.state, screen::State::thinking);
  be_silent(2'000);  // and nothing more goes up
  EXPECT_EQ(bench.count("audio"), 2);
}

TEST_F(Tap, ASecondTapEndsAtOnce) {
  tap();
  be_silent(200);
  speak(600);
  tap();
  EXPECT_EQ(bench.count("audio.end"), 1);
  EXPECT_FALSE(gadget().talk().recording());
  bench.pass(500);
  EXPECT_EQ(bench.count("audio.start"), 1);  // it does not begin another one
  tap();
  EXPECT_EQ(bench.count("audio.start"), 2);
}

TEST_F(Tap, E39_TwoQuickTapsAreTooShort) {
  tap();
  be_silent(200);
  tap();
  EXPECT_EQ(Bench::field(bench.last(), "reason"), "too_short");
  EXPECT_TRUE(bench.shows_text("too short"));
}

TEST_F(Tap, C4_NobodySpeaks) {
  tap();
  be_silent(4'900);
  EXPECT_TRUE(gadget().talk().recording());
  be_silent(200);
  EXPECT_EQ(Bench::field(bench.last(), "reason"), "no_speech");
  EXPECT_EQ(bench.count("audio.end"), 0);
  EXPECT_FALSE(bench.listening);
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_TRUE(bench.shows_text("I heard nothing"));
}

TEST_F(Tap, C4_CancelDiscards) {
  tap();
  speak(1'000);
  tap(Button::cancel);
  EXPECT_EQ(Bench::field(bench.last(), "reason"), "cancelled");
  be_silent(3'000);
  EXPECT_EQ(bench.count("audio.end"), 0);
}

TEST_F(Tap, E21_ATapWhileTheHubSpeaksSilencesIt) {
  bench.hub(R"({"type":"turn.start","turn":"t1"})");
  bench.hub(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16","turn":"t1"})");
  bench.hub_frame(1, 0, std::vector<std::int16_t>(4'000, 5'000));
  bench.listen_for(50);
  tap();
  EXPECT_TRUE(gadget().playback().idle());
  bench.listen_for(10);  // what it was saying fades
  bench.hub(R"({"type":"audio.start","stream":2,"rate":16000,"format":"pcm16"})");
  bench.hub_frame(2, 0, std::vector<std::int16_t>(4'000, 5'000));
  for (const auto sample : bench.listen_for(300)) ASSERT_EQ(sample, 0);  // A5
}

TEST_F(Tap, Q3_AQuestionDuringATapIsAnsweredByItsButtonsAndTheUtteranceGoesOn) {
  tap();
  speak(500);
  bench.hub(R"({"type":"prompt","id":"q1","text":"Sure?"})");
  tap();  // within the guard: it was meant for the utterance
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  EXPECT_EQ(bench.count("audio.end"), 0);
  speak(700);
  tap();
  EXPECT_EQ(bench.count(R"("answer":"yes")"), 1);
  EXPECT_TRUE(gadget().talk().recording());
  tap();
  EXPECT_EQ(bench.count("audio.end"), 1);
}

TEST_F(Tap, TheModeChangesWithTheNextUtterance) {
  tap();
  speak(500);
  mode("hold");
  speak(500);
  EXPECT_TRUE(gadget().talk().recording());
  tap();
  EXPECT_EQ(bench.count("audio.end"), 1);
  gadget().button(bench.now, Button::talk, true);
  EXPECT_EQ(Bench::field(bench.last(), "mode"), "hold");
  speak(500);
  be_silent(3'000);  // who holds decides when it is over
  EXPECT_TRUE(gadget().talk().recording());
  gadget().button(bench.now, Button::talk, false);
  EXPECT_EQ(bench.count("audio.end"), 2);
}

TEST_F(Tap, C6_AnUtteranceIsAMinuteAtMostAndIsSent) {
  for (const char* how : {"tap", "hold"}) {
    mode(how);
    bench.sent.clear();
    bench.frames.clear();
    gadget().button(bench.now, Button::talk, true);
    for (int i = 0; i < 6; ++i) {
      speak(9'999);
      bench.hub(R"({"type":"ping"})");
    }
    EXPECT_TRUE(gadget().talk().recording());
    std::vector<std::int16_t> much(Bench::kRate, 500);  // more than is left
    gadget().microphone(bench.now, much);
    EXPECT_FALSE(gadget().talk().recording());
    EXPECT_EQ(bench.count(R"("duration_ms":60000)"), 1);
    std::size_t bytes = 0;
    for (const auto& frame : bench.frames) bytes += frame.size() - protocol::kFrameHeaderBytes;
    EXPECT_EQ(bytes, 2U * Bench::kRate * 60);
    gadget().button(bench.now, Button::talk, false);  // nothing comes of letting go
    EXPECT_EQ(bench.count("audio"), 2);
  }
}

}  // namespace
}  // namespace gadget::device
