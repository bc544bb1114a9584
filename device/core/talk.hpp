// talk.hpp - what the person says, from the microphone's samples to frames of 40 ms (C2-C4, E39).
//
// Held, an utterance lasts as long as TALK is down. Tapped, it lasts until the speaker is silent
// (speech_end.hpp) or TALK is tapped again. Neither is longer than kMaxUtteranceMs. Owned and
// driven by Gadget, which hands in the Link to send on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/platform.hpp"
#include "device/core/speech_end.hpp"

namespace gadget::device {

enum class TalkPhase : std::uint8_t { idle, recording };

enum class TalkEvent : std::uint8_t { press, release, cancel, lost };

[[nodiscard]] constexpr std::optional<TalkPhase> next(TalkPhase phase, TalkEvent event) {
  using enum TalkPhase;
  if (phase == idle && event == TalkEvent::press) return recording;
  if (phase == recording && event != TalkEvent::press) return idle;
  return std::nullopt;
}

class Talk {
 public:
  struct Counters {
    std::uint32_t utterances = 0;  // complete ones
    std::uint32_t cancelled = 0;
    std::uint32_t unsent_frames = 0;  // the link did not take them; the hub hears silence there
  };

  // `frame` holds one frame with its header: kFrameHeaderBytes + 2 * rate_hz / 25 bytes or more.
  Talk(std::span<std::byte> frame, std::uint32_t rate_hz);

  // How an utterance ended; none: it goes on, or there is none.
  enum class End : std::uint8_t { none, sent, too_short, no_speech, cancelled, lost };

  // TALK went down: announces an utterance. False: it did not begin (one is open, or the link took
  // nothing). `tapped`: it ends by itself.
  bool begin(Link& link, bool tapped);
  // Samples of the microphone. What the end of the utterance leaves over is dropped.
  End feed(Link& link, std::span<const std::int16_t> samples);
  // TALK went up, or was tapped again: complete, or cancelled as `too_short`.
  End release(Link& link);
  // Discards it, and says so to the hub.
  End cancel(Link& link, End reason = End::cancelled);
  // The connection is gone: discards it silently.
  void drop();

  [[nodiscard]] bool recording() const { return phase_ == TalkPhase::recording; }
  [[nodiscard]] bool tapped() const { return tapped_; }
  [[nodiscard]] Ticks recorded_ms() const {
    return samples_ / rate_hz_ * 1'000 + samples_ % rate_hz_ * 1'000 / rate_hz_;
  }
  [[nodiscard]] std::uint8_t level() const { return level_; }  // 0..255, of the last frame
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void send_frame(Link& link);
  [[nodiscard]] std::string_view id(std::span<char> room) const;

  std::span<std::byte> frame_;
  std::uint32_t rate_hz_;
  std::size_t frame_samples_;
  TalkPhase phase_ = TalkPhase::idle;
  bool tapped_ = false;
  SpeechEnd ear_;
  std::uint32_t number_ = 0;  // of the utterance: its id, and its stream by the low 8 bits
  std::uint16_t sequence_ = 0;
  std::size_t filled_ = 0;     // samples in frame_
  std::uint32_t samples_ = 0;  // of this utterance
  std::uint32_t unsent_samples_ = 0;
  std::uint8_t level_ = 0;
  Counters counters_;
};

// The word of `audio.cancel` (C4); empty for none and sent.
[[nodiscard]] std::string_view reason(Talk::End end);

}  // namespace gadget::device
