// A spoken reply through the Gadget: what of the hub's audio is heard, until when (A1, A5, E20,
// E21, E28, B-37, B-39).
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

class Speech : public testing::Test {
 protected:
  Speech() {
    bench.go_online();
    bench.hub(R"({"type":"turn.start","turn":"1"})");
  }
  void start(int stream = 1, std::string_view turn = "1") {
    bench.hub(R"({"type":"audio.start","format":"pcm16","rate":16000,"stream":)" +
              std::to_string(stream) + R"(,"turn":")" + std::string{turn} + "\"}");
  }
  void frames(std::uint8_t stream, int count) {
    for (int i = 0; i < count; ++i) {
      bench.hub_frame(stream, sequence++, std::vector<std::int16_t>(640, 1'000));
    }
  }
  Bench bench;
  std::uint16_t sequence = 0;
};

TEST_F(Speech, A1_E28_TheTurnIsOverWhenTheLastSampleWasPlayed) {
  start();
  frames(1, 12);
  EXPECT_TRUE(bench.awake);
  bench.hub(R"({"type":"reply","turn":"1","text":"spoken"})");
  bench.hub(R"({"type":"audio.end","stream":1})");
  bench.hub(R"({"type":"turn.end","turn":"1","outcome":"success"})");
  EXPECT_EQ(bench.state, screen::State::replying);
  bench.listen_for(470);
  EXPECT_EQ(bench.state, screen::State::replying);
  bench.listen_for(30);
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_FALSE(bench.awake);
  EXPECT_EQ(bench.gadget->playback().counters().played_samples, 12U * 640U);
  EXPECT_EQ(bench.note_count(Fact::audio_first), 1);
  EXPECT_EQ(bench.note_count(Fact::played_first), 1);
  EXPECT_EQ(bench.note_count(Fact::played_last), 1);
}

TEST_F(Speech, E21_CancelSilencesAtOnceAndForGood) {
  start();
  frames(1, 12);
  bench.listen_for(100);
  bench.press(Button::cancel, 10);
  EXPECT_EQ(bench.count(R"({"type":"cancel"})"), 1);
  frames(1, 5);  // in flight
  start(2);      // B-37: also a stream of that turn that was in flight
  sequence = 0;
  frames(2, 12);
  const auto heard = bench.listen_for(500);
  EXPECT_TRUE(std::all_of(heard.begin() + 100, heard.end(), [](auto s) { return s == 0; }));
  bench.hub(R"({"type":"turn.end","turn":"1","outcome":"cancelled"})");
  bench.hub(R"({"type":"turn.start","turn":"2"})");
  start(3, "2");
  sequence = 0;
  frames(3, 12);
  const auto next = bench.listen_for(200);
  EXPECT_EQ(next.back(), 1'000);
}

TEST_F(Speech, E21_TalkingOverTheHubSilencesIt) {
  start();
  frames(1, 12);
  bench.listen_for(100);
  bench.gadget->button(bench.now, Button::talk, true);
  EXPECT_TRUE(bench.gadget->playback().idle());
  EXPECT_EQ(bench.state, screen::State::listening);
  frames(1, 12);
  bench.speak_for(500);
  EXPECT_EQ(bench.gadget->playback().waiting(), 0U);
  bench.gadget->button(bench.now, Button::talk, false);
  frames(1, 12);
  EXPECT_EQ(bench.gadget->playback().waiting(), 0U);
}

TEST_F(Speech, A5_WhatStartsWhileRecordingIsDroppedMeanwhile) {
  bench.hub(R"({"type":"turn.end","turn":"1","outcome":"success"})");
  bench.gadget->button(bench.now, Button::talk, true);
  bench.hub(R"({"type":"turn.start","turn":"2"})");
  start(4, "2");
  frames(4, 12);
  EXPECT_EQ(bench.gadget->playback().waiting(), 0U);
  EXPECT_EQ(bench.gadget->playback().counters().muted_samples, 12U * 640U);
}

TEST_F(Speech, E20_OtherStreamsAndChannelsAreCountedAndDropped) {
  start(0);
  frames(0, 3);
  start(251);
  frames(251, 3);
  start(5);
  frames(6, 3);
  bench.hub_frame(5, 0, {1, 2}, protocol::Channel::image);
  bench.hub_frame(5, 0, {1, 2}, protocol::Channel::firmware);
  bench.hub_frame(5, 0, {1, 2}, static_cast<protocol::Channel>(9));
  EXPECT_EQ(bench.gadget->playback().waiting(), 0U);
  EXPECT_EQ(bench.gadget->counters().foreign_frames, 12U);
  const std::array<std::byte, 3> shorter{};
  bench.gadget->link_binary(bench.now, bench.epoch, shorter);
  EXPECT_EQ(bench.gadget->counters().malformed, 1U);
}

// B-37, B-39: CANCEL at any point of a turn; what is on its way then, and what is in the buffer, is
// never heard, and the next turn is.
TEST_F(Speech, B37_B39_NothingOfACancelledTurnIsHeardAndTheNextOneIs) {
  for (int point = 0; point < 4; ++point) {
    SCOPED_TRACE(point);
    const std::string turn = "p" + std::to_string(point);
    bench.hub(R"({"type":"turn.start","turn":")" + turn + "\"}");
    if (point >= 1) start(1, turn);
    if (point >= 2) frames(1, 2);
    if (point >= 3) frames(1, 10);
    if (point >= 3) bench.listen_for(100);
    bench.press(Button::cancel, 0);
    bench.listen_for(10);
    if (point < 1) start(1, turn);  // these were in flight
    frames(1, 5);
    start(2, turn);
    frames(2, 5);
    for (const auto sample : bench.listen_for(400)) ASSERT_EQ(sample, 0);
    bench.hub(R"({"type":"audio.abort","stream":2})");
    bench.hub(R"({"type":"turn.end","outcome":"cancelled","turn":")" + turn + "\"}");
    start(3, turn);
    frames(3, 5);
    for (const auto sample : bench.listen_for(400)) ASSERT_EQ(sample, 0);
    bench.hub(R"({"type":"turn.start","turn":"next"})");
    start(4, "next");
    frames(4, 5);
    const auto heard = bench.listen_for(150);
    EXPECT_NE(heard.back(), 0);
    bench.hub(R"({"type":"turn.end","outcome":"success","turn":"next"})");
  }
}

TEST_F(Speech, FormatsAndRatesThatAreNotOursAreNotPlayed) {
  for (const char* start :
       {R"({"type":"audio.start","stream":1,"rate":16000,"format":"opus"})",
        R"({"type":"audio.start","stream":1,"rate":3999,"format":"pcm16"})",
        R"({"type":"audio.start","stream":1,"rate":4294983296,"format":"pcm16"})",
        R"({"type":"audio.start","stream":1,"rate":-16000,"format":"pcm16"})"}) {
    bench.hub(start);
    frames(1, 12);
    EXPECT_EQ(bench.gadget->playback().waiting(), 0U) << start;
  }
}

}  // namespace
}  // namespace gadget::device
