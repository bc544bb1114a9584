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

// A hub and a speaker whose clocks differ, for half an hour of one stream.
struct Drifting {
  // The hub has sent so much before the speaker begins; 13 frames: 0.5 s ahead (A4).
  Drifting(int ppm, int frames_ahead) {
    playback.start(1, 16'000);
    for (int i = 0; i < frames_ahead; ++i) send();
    double owed = 0;
    std::vector<std::int16_t> out(700);
    for (int i = 0; i < 45'000; ++i) {  // 30 minutes of 40 ms
      send();
      owed += 640.0 * (1.0 + ppm / 1e6);
      const auto count = static_cast<std::size_t>(owed);
      owed -= static_cast<double>(count);
      playback.play(std::span{out}.first(count));
      for (std::size_t k = 0; k < count; ++k) {
        steepest = std::max(steepest, std::abs(out[k] - before));
        before = out[k];
      }
      most = std::max(most, playback.waiting());
      least = std::min(least, playback.waiting());
    }
  }
  void send() {
    sent += 640;
    playback.frame(1, number, std::span{tone}.subspan(number * 640U % 50 * 2, 1'280), false);
    ++number;
  }
  // 50 samples are a period.
  static std::vector<std::byte> make_tone() {
    std::vector<std::int16_t> samples(700);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = static_cast<std::int16_t>(
          8'000 * std::sin(2 * 3.14159265 * 0.02 * static_cast<double>(i)));
    }
    return bytes_of(samples);
  }
  std::vector<std::byte> tone = make_tone();
  std::vector<std::int16_t> memory = std::vector<std::int16_t>(16'000);
  Playback playback{memory, 16'000};
  std::uint16_t number = 0;
  std::uint64_t sent = 0;
  std::size_t most = 0;
  std::size_t least = 16'000;
  int before = 0;
  int steepest = 0;
};

constexpr int kToneStep = 1'010;  // 8,000 x 2 pi x 0.02: the tone itself, nothing steeper

void expect_all_there(const Drifting& run) {
  const auto& counters = run.playback.counters();
  EXPECT_EQ(counters.underruns, 0U);
  EXPECT_EQ(counters.dropped_samples, 0U);
  EXPECT_NEAR(
      static_cast<double>(counters.played_samples + counters.drift_left_out - counters.drift_added),
      static_cast<double>(run.sent - run.playback.waiting()), 2);
  EXPECT_LE(run.steepest, kToneStep);
}

TEST(Drift, B43_ASlowSpeakerNeverLagsFurtherBehind) {
  const Drifting run{-200, 12};
  EXPECT_LT(run.most, 11'000U);  // 0.69 s; without any measure 0.88 s
  EXPECT_GT(run.playback.counters().drift_left_out, 2'000U);
  EXPECT_EQ(run.playback.counters().drift_added, 0U);
  expect_all_there(run);
}

TEST(Drift, B43_AFastSpeakerNeverRunsDry) {
  const Drifting run{200, 2};  // a hub that just keeps up
  EXPECT_GT(run.playback.counters().drift_added, 2'000U);
  EXPECT_EQ(run.playback.counters().drift_left_out, 0U);
  EXPECT_LT(run.most, 3'000U);
  expect_all_there(run);
}

TEST(Drift, B43_AFastSpeakerLivesOnWhatAHubIsAhead) {
  const Drifting run{200, 12};
  EXPECT_EQ(run.playback.counters().drift_added, 0U);
  EXPECT_LT(run.most, 9'000U);
  expect_all_there(run);
}

TEST(Drift, B43_ClocksThatAgreeChangeNothing) {
  const Drifting run{0, 12};
  EXPECT_EQ(run.playback.counters().drift_added, 0U);
  EXPECT_EQ(run.playback.counters().drift_left_out, 0U);
  expect_all_there(run);
}

TEST(Drift, B43_ADriftingStreamOfAnotherRateIsPlayedToItsLastSample) {
  for (const std::uint32_t rate : {16'000U, 8'000U, 48'000U, 22'050U}) {
    std::vector<std::int16_t> room(rate);
    Playback playback{room, 16'000};
    playback.start(1, rate);
    std::vector<std::int16_t> out(1'024);
    std::uint16_t number = 0;
    std::size_t sent = 0;
    const auto some = bytes_of(std::vector<std::int16_t>(rate / 25, 1'000));
    for (int i = 0; i < 20; ++i) playback.frame(1, number++, some, false);
    sent += 20 * (rate / 25);
    for (int i = 0; i < 100; ++i) {  // always 0.8 s: more than the high mark
      while (playback.waiting() + rate / 25 <= rate * 4 / 5) {
        playback.frame(1, number++, some, false);
        sent += rate / 25;
      }
      playback.play(out);
    }
    EXPECT_GT(playback.counters().drift_left_out, 50U) << rate;
    playback.frame(1, number++, bytes_of({20'000}), false);
    playback.end(1);
    std::int16_t last = 0;
    while (!playback.idle()) {
      for (const auto sample : std::span{out}.first(playback.play(out))) last = sample;
    }
    EXPECT_GT(last, 1'000) << rate;
    const auto& counters = playback.counters();
    const double played = static_cast<double>(counters.played_samples + counters.drift_left_out);
    EXPECT_NEAR(played, static_cast<double>(sent + 1) * 16'000 / rate, 4) << rate;
  }
}

// B-42: a hub that stalls, again and again. What is missing fades out and in; nothing is lost.
TEST_F(Player, B42_StallsFadeInsteadOfClickingAndLoseNothing) {
  playback.start(1, 16'000);
  std::size_t sent = 0;
  std::size_t heard = 0;
  int before = 0;
  int steepest = 0;
  std::uint32_t seed = 1;
  int stalled = 0;
  for (int i = 0; i < 3'000; ++i) {  // two minutes of 40 ms
    if (stalled == 0) {
      send(std::vector<std::int16_t>(640, 8'000));
      sent += 640;
      seed = seed * 1'664'525U + 1'013'904'223U;
      if (seed >> 27U == 0) stalled = 5 + static_cast<int>(seed >> 8U & 15U);  // 200 to 800 ms
    } else {
      --stalled;
    }
    for (const auto sample : play(640)) {
      // The very first sample may be as loud as it likes.
      if (before != 0 || i > 100) steepest = std::max(steepest, std::abs(sample - before));
      before = sample;
    }
    heard += voiced;
  }
  EXPECT_GT(playback.counters().underruns, 20U);
  const auto& counters = playback.counters();
  EXPECT_EQ(heard + playback.waiting() + counters.drift_left_out, sent + counters.drift_added);
  EXPECT_LE(steepest, 2 * 8'000 / 80 + 1);  // an end and a beginning at once, 5 ms each
}

// B-47: an amplifier that is deaf for 300 ms hears every sample.
TEST(Warmup, B47_TheFirstWordsAreNotLostWhileTheAmplifierWakes) {
  std::vector<std::int16_t> room(16'000);
  Playback playback{room, 16'000, 300};
  const auto said = voice(9'000);
  std::vector<std::int16_t> heard;
  const auto play_all = [&](std::size_t deaf) {
    heard.clear();
    while (!playback.idle()) {
      std::vector<std::int16_t> out(100);
      (void)playback.play(out);
      for (const auto sample : out) {
        if (deaf > 0) {
          --deaf;
        } else if (sample != 0) {
          heard.push_back(sample);
        }
      }
    }
  };
  playback.start(1, 16'000);
  playback.frame(1, 0, bytes_of(said), false);
  playback.end(1);
  play_all(4'800);
  heard.resize(said.size());  // then its fade
  EXPECT_EQ(heard, said);
  // One that follows while it is still awake does not wait.
  playback.start(2, 16'000);
  playback.frame(2, 0, bytes_of(said), false);
  std::vector<std::int16_t> out(5'000);
  EXPECT_EQ(playback.play(out), 200U);
  playback.start(3, 16'000);
  playback.frame(3, 0, bytes_of(said), false);
  EXPECT_EQ(playback.play(out), 5'000U);
  // Nor does it after an abort while it wakes: the rest of it is enough.
  playback.stop();
  playback.start(4, 16'000);
  playback.end(4);
  EXPECT_EQ(playback.play(out), 0U);
  EXPECT_TRUE(playback.idle());
}

TEST(Warmup, B47_NoBoardWaitsForever) {
  std::vector<std::int16_t> room(16'000);
  Playback playback{room, 16'000, 60'000};
  playback.start(1, 16'000);
  playback.frame(1, 0, bytes_of(voice(3'000)), false);
  std::vector<std::int16_t> out(6'500);
  EXPECT_EQ(playback.play(out), 100U);  // after 0.4 s
}

}  // namespace
}  // namespace gadget::device
