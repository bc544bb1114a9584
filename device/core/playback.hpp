// playback.hpp - what the hub says, from its frames to the speaker's samples (A1, A2, A5, A6, E17,
// E28).
//
// A jitter buffer of one second in room of the caller's: playing begins at 120 ms or at
// `audio.end`. A voice that is cut (abort, replaced, run dry) sinks to silence within kFadeMs
// instead of clicking. A stream of another rate than the speaker's is converted (linear).
//
// No two clocks are alike: the speaker takes a little more or less in a second than the hub sends.
// While what waits is, in the mean of some seconds, beyond the marks of limits.hpp, one sample in
// 1,024 is left out or added, spread over them, so that the delay stays bounded and nothing clicks
// (B-43). Between the marks every sample is played as it came.
//
// An amplifier that was asleep needs a moment (B-47): a stream that begins in silence is preceded
// by as much silence as the board says.
//
// One stream at a time; a new one replaces it. Frames of any other stream are dropped and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "device/core/limits.hpp"
#include "protocol/audio_assembler.hpp"
#include "protocol/limits.hpp"

namespace gadget::device {

enum class PlaybackPhase : std::uint8_t {
  idle,
  buffering,  // a stream has begun, too little to play
  playing,
  draining,  // `audio.end` came: plays to the last sample
};

enum class PlaybackEvent : std::uint8_t {
  start,    // audio.start
  enough,   // 120 ms wait
  end,      // audio.end
  run_dry,  // no sample left
  stop,     // abort, barge-in, cancel, the connection is gone
};

[[nodiscard]] constexpr std::optional<PlaybackPhase> next(PlaybackPhase phase,
                                                          PlaybackEvent event) {
  using enum PlaybackPhase;
  switch (event) {
    case PlaybackEvent::start: return buffering;
    case PlaybackEvent::enough:
      if (phase == buffering) return playing;
      break;
    case PlaybackEvent::end:
      if (phase == buffering || phase == playing) return draining;
      break;
    case PlaybackEvent::run_dry:
      if (phase == playing) return buffering;
      if (phase == draining) return idle;
      break;
    case PlaybackEvent::stop:
      if (phase != idle) return idle;
      break;
  }
  return std::nullopt;
}

class Playback {
 public:
  struct Counters {
    std::uint32_t underruns = 0;
    std::uint32_t foreign_frames = 0;           // of no stream that plays
    std::uint32_t dropped_samples = 0;          // did not fit, newest first (A5)
    std::uint32_t muted_samples = 0;            // came while the device recorded (A5)
    std::uint32_t played_samples = 0;           // of the voice, at the speaker's rate
    std::uint32_t drift_left_out = 0;           // samples of the speaker's: its clock is slow
    std::uint32_t drift_added = 0;              // the same: its clock is fast
    protocol::AudioAssembler::Counters frames;  // of the streams that are over
  };

  // `room` holds a second at the highest rate that is to be played in full (A5).
  // `warmup_ms`: silence before a voice that begins in silence, kMaxWarmupMs at most.
  Playback(std::span<std::int16_t> room, std::uint32_t speaker_hz, Ticks warmup_ms = 0);

  // A1, A6. A rate outside 4,000-48,000 Hz is refused: its frames are then of no stream.
  bool start(std::uint8_t stream, std::uint32_t rate_hz);
  // One frame. `muted`: the device records, so it counts but is not kept. False: not of this
  // stream.
  bool frame(std::uint8_t stream, std::uint16_t sequence, std::span<const std::byte> payload,
             bool muted);
  // audio.end. False: not of this stream.
  bool end(std::uint8_t stream);
  // audio.abort. False: not of this stream.
  bool abort(std::uint8_t stream);
  // Silence, whatever plays.
  void stop();

  // Fills all of `out` at the speaker's rate and returns how many samples of it are voice.
  std::size_t play(std::span<std::int16_t> out);

  void set_volume(int percent);  // clamped to 0..100
  [[nodiscard]] int volume() const { return volume_; }

  [[nodiscard]] PlaybackPhase phase() const { return phase_; }
  [[nodiscard]] bool idle() const { return phase_ == PlaybackPhase::idle; }
  [[nodiscard]] std::size_t waiting() const { return size_; }
  [[nodiscard]] std::uint8_t level() const { return level_; }  // 0..255, of what was played last
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  bool step(PlaybackEvent event);
  [[nodiscard]] bool open(std::uint8_t stream) const {
    return stream_ == stream &&
           (phase_ == PlaybackPhase::buffering || phase_ == PlaybackPhase::playing);
  }
  void keep(std::int16_t sample);
  void close_stream();
  [[nodiscard]] std::optional<std::int16_t> pop();
  [[nodiscard]] std::optional<std::int16_t> next_voice();
  [[nodiscard]] std::int16_t with_fades(std::optional<std::int16_t> voice);
  void begin_fade();
  void begin_block();

  std::span<std::int16_t> room_;
  std::uint32_t speaker_hz_;
  int fade_samples_;
  PlaybackPhase phase_ = PlaybackPhase::idle;

  std::uint8_t stream_ = 0;  // of what sounds; frames are taken while open()
  std::uint32_t rate_hz_ = protocol::kDefaultRateHz;
  protocol::AudioAssembler assembler_{static_cast<std::uint32_t>(protocol::kDefaultRateHz)};
  std::size_t capacity_ = 0;  // a second, or all the room there is
  std::size_t head_ = 0;
  std::size_t size_ = 0;

  // Conversion of the rate, and drift: where between two samples we are, in 1/65536. At 65536 it is
  // `after_` itself.
  std::uint32_t fraction_ = 0;
  std::uint32_t advance_ = 0;  // a sample of the speaker's is so much of the stream
  std::int16_t before_ = 0;
  std::int16_t after_ = 0;

  // Drift: decided anew after each kDriftBlock samples that were played.
  std::uint32_t block_left_ = 0;
  std::int32_t drift_ = 0;       // what advance_ is changed by: 0 between the marks
  std::uint32_t mean_size_ = 0;  // of what waits, times 16

  std::uint32_t warmup_samples_;
  std::uint32_t warmup_left_ = 0;

  std::int16_t last_ = 0;  // of the voice, as it was played; 0 when it is silent
  std::int16_t sinks_from_ = 0;
  int sink_left_ = 0;  // samples of the old voice's fade
  int rise_left_ = 0;  // samples until the voice is at its level again after an underrun
  int volume_ = kFullVolume;
  std::uint8_t level_ = 0;
  Counters counters_;
};

}  // namespace gadget::device
