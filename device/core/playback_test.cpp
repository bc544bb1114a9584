// From the hub's frames to the speaker (A1, A2, A5, A6, E17, E28, B-35, B-43, B-48).
#include "device/core/playback.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

TEST(PlaybackPhase, EveryPairOfPhaseAndEvent) {
  using enum PlaybackPhase;
  using Event = PlaybackEvent;
  const std::map<std::pair<PlaybackPhase, Event>, PlaybackPhase> table{
      {{idle, Event::start}, buffering},     {{buffering, Event::start}, buffering},
      {{playing, Event::start}, buffering},  {{draining, Event::start}, buffering},
      {{buffering, Event::enough}, playing}, {{buffering, Event::end}, draining},
      {{playing, Event::end}, draining},     {{playing, Event::run_dry}, buffering},
      {{draining, Event::run_dry}, idle},    {{buffering, Event::stop}, idle},
      {{playing, Event::stop}, idle},        {{draining, Event::stop}, idle},
  };
  for (const auto phase : {idle, buffering, playing, draining}) {
    for (const auto event :
         {Event::start, Event::enough, Event::end, Event::run_dry, Event::stop}) {
      const auto found = table.find({phase, event});
      const auto to = next(phase, event);
      EXPECT_EQ(to.has_value(), found != table.end());
      if (to && found != table.end()) {
        EXPECT_EQ(*to, found->second);
      }
    }
  }
}

std::vector<std::byte> bytes_of(const std::vector<std::int16_t>& samples) {
  std::vector<std::byte> bytes(2 * samples.size());
  protocol::encode_samples(samples, bytes);
  return bytes;
}

// A ramp without zeros and without jumps, so that every sample can be told from silence.
std::vector<std::int16_t> voice(std::size_t count, std::int16_t first = 1) {
  std::vector<std::int16_t> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples[i] = static_cast<std::int16_t>(first + static_cast<std::int16_t>(i % 20'000));
  }
  return samples;
}

class Player : public testing::Test {
 protected:
  void send(const std::vector<std::int16_t>& samples, std::uint8_t stream = 1, bool muted = false) {
    playback.frame(stream, sequence++, bytes_of(samples), muted);
  }
  std::vector<std::int16_t> play(std::size_t count) {
    std::vector<std::int16_t> out(count);
    voiced = playback.play(out);
    return out;
  }
  std::vector<std::int16_t> room = std::vector<std::int16_t>(16'000);
  Playback playback{room, 16'000};
  std::uint16_t sequence = 0;
  std::size_t voiced = 0;
};

TEST_F(Player, A5_StartsAt120Milliseconds) {
  playback.start(1, 16'000);
  send(voice(1'919));
  play(160);
  EXPECT_EQ(voiced, 0U);
  send({5});
  EXPECT_EQ(playback.phase(), PlaybackPhase::playing);
  play(160);
  EXPECT_EQ(voiced, 160U);
}

TEST_F(Player, A5_OrAtTheEnd) {
  playback.start(1, 16'000);
  send(voice(100));
  playback.end(1);
  const auto heard = play(160);
  EXPECT_EQ(voiced, 100U);
  EXPECT_EQ((std::vector<std::int16_t>{heard.begin(), heard.begin() + 100}), voice(100));
  EXPECT_TRUE(playback.idle());
}

TEST_F(Player, B48_E28_EverySampleIsPlayedBeforeIdle) {
  playback.start(1, 16'000);
  const auto said = voice(10'000);
  for (std::size_t at = 0; at < said.size(); at += 640) {
    send({said.begin() + static_cast<std::ptrdiff_t>(at),
          said.begin() + static_cast<std::ptrdiff_t>(std::min(said.size(), at + 640))});
  }
  playback.end(1);
  std::vector<std::int16_t> heard;
  while (!playback.idle()) {
    const auto chunk = play(100);
    heard.insert(heard.end(), chunk.begin(), chunk.end());
  }
  heard.resize(said.size());
  EXPECT_EQ(heard, said);
  EXPECT_EQ(playback.counters().played_samples, said.size());
  EXPECT_EQ(playback.counters().underruns, 0U);
}

TEST_F(Player, A5_WhatDoesNotFitIsDroppedNewestFirst) {
  playback.start(1, 16'000);
  send(voice(15'900));
  send(std::vector<std::int16_t>(640, -5));
  EXPECT_EQ(playback.waiting(), 16'000U);
  EXPECT_EQ(playback.counters().dropped_samples, 540U);
  playback.end(1);
  const auto heard = play(16'000);
  EXPECT_EQ((std::vector<std::int16_t>{heard.begin(), heard.begin() + 15'900}), voice(15'900));
  EXPECT_EQ(heard[15'999], -5);
}

TEST_F(Player, A5_TheBufferIsASecondAtAnyRate) {
  playback.start(1, 8'000);
  send(voice(9'000));
  EXPECT_EQ(playback.waiting(), 8'000U);
}

TEST_F(Player, A5_MutedWhileRecording) {
  playback.start(1, 16'000);
  send(voice(3'000), 1, true);
  EXPECT_EQ(playback.waiting(), 0U);
  EXPECT_EQ(playback.counters().muted_samples, 3'000U);
  send(voice(2'000));  // no gap is filled for what was muted
  EXPECT_EQ(playback.waiting(), 2'000U);
}

TEST_F(Player, A6_ANewStreamReplaces) {
  playback.start(1, 16'000);
  send(voice(4'000));
  playback.start(2, 16'000);
  EXPECT_EQ(playback.waiting(), 0U);
  send(voice(4'000), 1);
  EXPECT_EQ(playback.waiting(), 0U);
  EXPECT_EQ(playback.counters().foreign_frames, 1U);
  send(voice(4'000, 7), 2);
  EXPECT_EQ(play(10)[0], 7);
}

TEST_F(Player, A2_E20_AbortStopsAndLaterFramesAreDropped) {
  playback.start(1, 16'000);
  send(voice(4'000));
  play(100);
  EXPECT_FALSE(playback.abort(2));
  EXPECT_TRUE(playback.abort(1));
  EXPECT_TRUE(playback.idle());
  play(160);
  EXPECT_EQ(voiced, 0U);
  send(voice(4'000));
  EXPECT_EQ(playback.waiting(), 0U);
}

TEST_F(Player, A2_AnEndedStreamThatStillSoundsCanBeAborted) {
  playback.start(1, 16'000);
  send(voice(4'000));
  playback.end(1);
  EXPECT_FALSE(playback.abort(2));
  EXPECT_TRUE(playback.abort(1));
  play(160);
  EXPECT_EQ(voiced, 0U);
}

TEST_F(Player, ACutVoiceFadesInsteadOfClicking) {
  for (const int how : {0, 1, 2}) {
    playback.start(1, 16'000);
    sequence = 0;
    playback.frame(1, 0, bytes_of(std::vector<std::int16_t>(2'000, 20'000)), false);
    play(how == 2 ? 1'990 : 500);
    if (how == 0) playback.abort(1);
    if (how == 1) playback.start(2, 16'000);
    const auto tail = play(200);  // how 2: runs dry
    std::int16_t before = 20'000;
    for (const std::int16_t sample : tail) {
      EXPECT_LE(std::abs(sample - before), 20'000 / 80 + 1) << how;
      before = sample;
    }
    EXPECT_EQ(tail.back(), 0);
    playback.stop();
    play(200);
  }
}

TEST_F(Player, E28_AnUnderrunWaitsFor120MillisecondsAgain) {
  playback.start(1, 16'000);
  send(voice(2'000));
  play(2'000);
  play(1);
  EXPECT_EQ(playback.counters().underruns, 1U);
  send(std::vector<std::int16_t>(1'000, 900));
  play(100);
  EXPECT_EQ(voiced, 0U);
  send(std::vector<std::int16_t>(1'000, 900));
  const auto again = play(1'000);
  EXPECT_EQ(voiced, 1'000U);
  EXPECT_LT(again[0], 100);  // it rises
  EXPECT_EQ(again[200], 900);
}

TEST_F(Player, E17_GapsAreSilence) {
  playback.start(1, 16'000);
  playback.frame(1, 65'535, bytes_of(std::vector<std::int16_t>(640, 7)), false);
  playback.frame(1, 2, bytes_of(std::vector<std::int16_t>(640, 9)), false);  // 0 and 1 are lost
  playback.frame(1, 2, bytes_of(std::vector<std::int16_t>(640, 9)), false);  // a repeat
  playback.frame(1, 1, bytes_of(std::vector<std::int16_t>(640, 9)), false);  // late
  EXPECT_EQ(playback.waiting(), 4U * 640U);
  const auto heard = play(2'560);
  EXPECT_EQ(heard[639], 7);
  EXPECT_EQ(heard[640], 0);
  EXPECT_EQ(heard[1'919], 0);
  EXPECT_EQ(heard[1'920], 9);
}

TEST_F(Player, B35_AnEmptyFrameMeansNothing) {
  playback.start(1, 16'000);
  send(voice(2'000));
  send({});
  send(voice(500));
  EXPECT_EQ(playback.waiting(), 2'500U);
  EXPECT_EQ(playback.phase(), PlaybackPhase::playing);
}

TEST_F(Player, AStreamOfAnotherRateKeepsItsLengthAndPitch) {
  for (const std::uint32_t rate : {8'000U, 24'000U, 11'025U}) {
    playback.start(1, rate);
    sequence = 0;
    // Half a second of 200 Hz.
    std::vector<std::int16_t> tone(rate / 2);
    for (std::size_t i = 0; i < tone.size(); ++i) {
      tone[i] = static_cast<std::int16_t>(
          8'000 * std::sin(2 * 3.14159265 * 200 * static_cast<double>(i) / rate));
    }
    send(tone);
    playback.end(1);
    const auto heard = play(9'000);
    EXPECT_NEAR(static_cast<double>(voiced), 8'000, 4) << rate;
    int crossings = 0;
    for (std::size_t i = 1; i < voiced; ++i) {
      if (heard[i - 1] < 0 && heard[i] >= 0) ++crossings;
    }
    EXPECT_NEAR(crossings, 100, 1) << rate;
  }
}

TEST_F(Player, RatesThatNoDeviceHasAreRefused) {
  for (const std::uint32_t rate : {0U, 3'999U, 48'001U, 4'000'000'000U}) {
    EXPECT_FALSE(playback.start(1, rate));
    send(voice(100));
    EXPECT_EQ(playback.waiting(), 0U);
  }
  Playback mute{room, 0};
  EXPECT_FALSE(mute.start(1, 16'000));
}

TEST_F(Player, VolumeIsClampedAndSilentAtZero) {
  playback.set_volume(-3);
  EXPECT_EQ(playback.volume(), 0);
  playback.start(1, 16'000);
  send(std::vector<std::int16_t>(4'000, 10'000));
  EXPECT_EQ(play(10)[5], 0);
  playback.set_volume(50);
  EXPECT_EQ(play(10)[5], 2'500);
  playback.set_volume(900);
  EXPECT_EQ(playback.volume(), 100);
  EXPECT_EQ(play(10)[5], 10'000);
}

// B-43: a speaker whose clock is off by 200 ppm, for half an hour, against a hub that is at most
// 0.5 s ahead (A4): the delay stays bounded, and what was dropped is counted.
TEST_F(Player, B43_DriftStaysBounded) {
  for (const int ppm : {200, -200}) {
    std::vector<std::int16_t> memory(16'000);
    Playback drifting{memory, 16'000};
    drifting.start(1, 16'000);
    const auto frame = bytes_of(std::vector<std::int16_t>(640, 3));
    std::uint16_t number = 0;
    for (int i = 0; i < 12; ++i) drifting.frame(1, number++, frame, false);
    double owed = 0;
    std::vector<std::int16_t> out(700);
    std::size_t most = 0;
    for (int i = 0; i < 45'000; ++i) {  // 30 minutes of 40 ms
      drifting.frame(1, number++, frame, false);
      owed += 640.0 * (1.0 + ppm / 1e6);
      const auto count = static_cast<std::size_t>(owed);
      owed -= static_cast<double>(count);
      drifting.play(std::span{out}.first(count));
      most = std::max(most, drifting.waiting());
    }
    EXPECT_LE(most, 16'000U);
    if (ppm > 0) {
      EXPECT_LE(drifting.counters().underruns, 3U);
    }
  }
}

// ---- Through the Gadget

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
