#include "device/core/playback.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace gadget::device {
namespace {

constexpr std::uint32_t kOne = 1U << 16U;  // one sample of the stream, as a fraction
// What one sample more or less is spread over: a shift of the pitch that nobody hears (0.1 %), and
// five times as fast as clocks of 200 ppm drift.
constexpr std::uint32_t kDriftBlock = 1'024;

std::int16_t clip(std::int32_t value) {
  return static_cast<std::int16_t>(std::clamp<std::int32_t>(
      value, std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()));
}

std::size_t samples_of(Ticks ms, std::uint32_t rate_hz) {
  return static_cast<std::size_t>(ms) * rate_hz / 1'000;
}

void add(protocol::AudioAssembler::Counters& sum, const protocol::AudioAssembler::Counters& more) {
  sum.repeated += more.repeated;
  sum.late += more.late;
  sum.lost += more.lost;
  sum.odd_bytes += more.odd_bytes;
  sum.filled_samples += more.filled_samples;
}

}  // namespace

Playback::Playback(std::span<std::int16_t> room, std::uint32_t speaker_hz, Ticks warmup_ms)
    : room_(room),
      speaker_hz_(speaker_hz),
      fade_samples_(std::max(1, static_cast<int>(samples_of(kFadeMs, speaker_hz)))),
      warmup_samples_(
          static_cast<std::uint32_t>(samples_of(std::min(warmup_ms, kMaxWarmupMs), speaker_hz))) {}

bool Playback::step(PlaybackEvent event) {
  const auto to = next(phase_, event);
  if (!to) return false;
  phase_ = *to;
  return true;
}

void Playback::begin_fade() {
  sinks_from_ = last_;
  sink_left_ = last_ == 0 ? 0 : fade_samples_;
  last_ = 0;
}

void Playback::close_stream() {
  if (!open(stream_)) return;
  assembler_.finish();
  add(counters_.frames, assembler_.counters());
}

bool Playback::start(std::uint8_t stream, std::uint32_t rate_hz) {
  if (idle()) warmup_left_ = warmup_samples_;  // otherwise the amplifier is awake, or about to be
  stop();
  if (rate_hz < protocol::kMinRateHz || rate_hz > protocol::kMaxRateHz || speaker_hz_ == 0) {
    return false;
  }
  stream_ = stream;
  rate_hz_ = rate_hz;
  assembler_ = protocol::AudioAssembler{rate_hz};
  capacity_ = std::min(room_.size(), samples_of(protocol::kJitterBufferMs, rate_hz));
  fraction_ = kOne;
  advance_ = static_cast<std::uint32_t>((std::uint64_t{rate_hz} << 16U) / speaker_hz_);
  before_ = after_ = 0;
  block_left_ = 0;
  mean_size_ = 0;
  rise_left_ = 0;
  step(PlaybackEvent::start);
  return true;
}

void Playback::keep(std::int16_t sample) {
  if (size_ == capacity_) {
    ++counters_.dropped_samples;
    return;
  }
  std::size_t at = head_ + size_;
  if (at >= room_.size()) at -= room_.size();
  room_[at] = sample;
  ++size_;
}

bool Playback::frame(std::uint8_t stream, std::uint16_t sequence,
                     std::span<const std::byte> payload, bool muted) {
  if (!open(stream)) {
    ++counters_.foreign_frames;
    return false;
  }
  const auto step_of = assembler_.push(sequence, payload);
  const std::size_t samples = step_of.samples.size() / 2;
  if (muted) {
    counters_.muted_samples += static_cast<std::uint32_t>(
        step_of.silence_samples + (step_of.has_carried ? 1U : 0U) + samples);
    return true;
  }
  // A gap of a second at most (E17); what does not fit is dropped like any other sound.
  for (std::uint32_t i = 0; i < step_of.silence_samples; ++i) keep(0);
  if (step_of.has_carried) keep(step_of.carried);
  for (std::size_t i = 0; i < samples; ++i) keep(protocol::sample_at(step_of.samples, i));
  const std::size_t enough = std::min(capacity_, samples_of(protocol::kPlaybackStartMs, rate_hz_));
  if (phase_ == PlaybackPhase::buffering && size_ >= enough) step(PlaybackEvent::enough);
  return true;
}

bool Playback::end(std::uint8_t stream) {
  if (!open(stream)) return false;
  close_stream();
  step(PlaybackEvent::end);
  return true;
}

bool Playback::abort(std::uint8_t stream) {
  if (stream_ != stream || idle()) return false;  // one that has ended may still sound
  stop();
  return true;
}

void Playback::stop() {
  close_stream();
  if (step(PlaybackEvent::stop)) begin_fade();
  size_ = 0;
  head_ = 0;
}

std::optional<std::int16_t> Playback::pop() {
  if (size_ == 0) return std::nullopt;
  const std::int16_t sample = room_[head_];
  if (++head_ == room_.size()) head_ = 0;
  --size_;
  return sample;
}

void Playback::begin_block() {
  const auto size = static_cast<std::uint32_t>(size_ * 16);
  // The mean of some 32 blocks, 2 s at 16 kHz: frames and the network's moods come and go within.
  mean_size_ = mean_size_ == 0 ? size : mean_size_ - mean_size_ / 32 + size / 32;
  block_left_ = kDriftBlock;
  drift_ = 0;
  if (phase_ != PlaybackPhase::playing) return;  // no more comes: what waits is not a delay
  const auto most = static_cast<std::uint32_t>(capacity_ * 16);
  const auto step = static_cast<std::int32_t>(advance_ / kDriftBlock);
  if (mean_size_ > most / kJitterBufferParts * kHighMarkParts) {
    drift_ = step;
    ++counters_.drift_left_out;
  } else if (mean_size_ < most / kJitterBufferParts * kLowMarkParts) {
    drift_ = -step;
    ++counters_.drift_added;
  }
}

std::optional<std::int16_t> Playback::next_voice() {
  if (block_left_ == 0) begin_block();
  --block_left_;
  fraction_ += advance_ + static_cast<std::uint32_t>(drift_);
  for (bool popped = false; fraction_ > kOne; popped = true) {
    const auto sample = pop();
    if (!sample) {
      fraction_ = kOne;
      block_left_ = 0;
      if (!popped) return std::nullopt;
      break;  // the last sample is played, whatever the conversion would want beside it (B-48)
    }
    before_ = after_;
    after_ = *sample;
    fraction_ -= kOne;
  }
  if (fraction_ == kOne) return after_;
  const std::int32_t slope = std::int32_t{after_} - before_;  // 17 bits, and 15 of the fraction
  return static_cast<std::int16_t>(before_ +
                                   ((slope * static_cast<std::int32_t>(fraction_ >> 1U)) >> 15));
}

std::int16_t Playback::with_fades(std::optional<std::int16_t> voice) {
  std::int32_t sum = voice.value_or(0);
  if (voice && rise_left_ > 0) {
    sum = sum * (fade_samples_ - rise_left_) / fade_samples_;
    --rise_left_;
  }
  last_ = static_cast<std::int16_t>(sum);
  if (sink_left_ > 0) {
    --sink_left_;
    sum += std::int32_t{sinks_from_} * sink_left_ / fade_samples_;
  }
  // Loudness is felt as the square of the knob.
  if (volume_ != kFullVolume) {
    // Two voices at once at most: 17 bits, and 14 of the square.
    sum = sum * (volume_ * volume_) / (kFullVolume * kFullVolume);
  }
  return clip(sum);
}

std::size_t Playback::play(std::span<std::int16_t> out) {
  std::size_t voiced = 0;
  std::int32_t peak = 0;
  for (auto& sample : out) {
    std::optional<std::int16_t> voice;
    if (warmup_left_ > 0 && !idle()) {
      --warmup_left_;
    } else if (phase_ == PlaybackPhase::playing || phase_ == PlaybackPhase::draining) {
      voice = next_voice();
      if (!voice) {
        if (phase_ == PlaybackPhase::playing) {
          ++counters_.underruns;
          rise_left_ = fade_samples_;
        }
        begin_fade();
        step(PlaybackEvent::run_dry);
      }
    }
    if (voice) ++voiced;
    sample = with_fades(voice);
    peak = std::max(peak, std::abs(std::int32_t{sample}));
  }
  counters_.played_samples += static_cast<std::uint32_t>(voiced);
  level_ = static_cast<std::uint8_t>(std::min<std::int32_t>(255, peak >> 7));
  return voiced;
}

void Playback::set_volume(int percent) { volume_ = std::clamp(percent, 0, kFullVolume); }

}  // namespace gadget::device
