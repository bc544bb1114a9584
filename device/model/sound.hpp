// sound.hpp - what may be heard: frames of the stream that plays carry loud positive samples, all
// that must be dropped carry negative ones, so that whatever comes out of the speaker tells where
// it came from (A1, A2, A5, A6, E17, E20, E31). For tests and fuzz targets only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace gadget::device::model {

class Sound {
 public:
  explicit Sound(std::uint32_t speaker_hz = 0) : speaker_hz_(speaker_hz) {}

  // audio.start that the device may play.
  void start(std::int64_t stream) {
    cut();
    stream_ = static_cast<int>(stream);
    open_ = true;
    numbered_ = false;
    // The next voice is quieter or louder than that before.
    level_ = static_cast<std::int16_t>(4'000 + 1'700 * (++generation_ % 7));
  }
  void end(std::int64_t stream) {
    if (stream == stream_) open_ = false;
  }
  void abort(std::int64_t stream) {
    if (stream == stream_) cut();
  }
  // Whatever sounded is over: replaced, aborted, talked over, or its connection is gone.
  void cut() {
    if (stream_ >= 0) fade_left_ = speaker_hz_ * kFadeAtMostMs / 1'000;
    stream_ = -1;
    open_ = false;
    level_ = 0;
  }

  // The board's own tone sounds: nothing can be said until it has faded.
  void tone() { tone_left_ = speaker_hz_ * kFadeAtMostMs / 1'000; }

  // The sample value for a frame that the hub is about to send.
  [[nodiscard]] std::int16_t frame(std::int64_t stream, std::uint16_t sequence, bool muted) {
    if (!open_ || stream != stream_) return kForbidden;
    const auto distance = static_cast<std::int16_t>(sequence - sequence_);
    if (numbered_ && distance <= 0) return kForbidden;
    numbered_ = true;
    sequence_ = sequence;
    return muted ? kForbidden : level_;
  }
  [[nodiscard]] std::uint16_t next_sequence() const {
    return static_cast<std::uint16_t>(sequence_ + 1);
  }
  [[nodiscard]] int stream() const { return stream_; }
  [[nodiscard]] bool open() const { return open_; }

  // Judges what the speaker got. Empty: it may be.
  [[nodiscard]] std::string_view judge(std::span<const std::int16_t> out, std::size_t voiced) {
    if (voiced > out.size()) return "play: more voice than samples";
    if (voiced > 0 && stream_ < 0 && tone_left_ == 0)
      return "E31: a voice of a stream that is over";
    for (const std::int16_t sample : out) {
      if (tone_left_ > 0) {
        --tone_left_;
        continue;
      }
      if (sample < -kRipple) return "A2 E17 E20: a frame that must be dropped is heard";
      const int most = fade_left_ > 0 ? kLoudest : level_;
      if (sample > most + kRipple) return "A2 A6: the old voice is heard after it was cut";
      if (fade_left_ > 0) --fade_left_;
    }
    return {};
  }

 private:
  static constexpr std::int16_t kForbidden = -20'000;
  static constexpr int kLoudest = 32'767;             // while the new one rises over the old
  static constexpr int kRipple = 300;                 // of a conversion of the rate
  static constexpr std::uint32_t kFadeAtMostMs = 40;  // cut within one frame

  std::uint32_t speaker_hz_;
  int stream_ = -1;
  bool open_ = false;
  bool numbered_ = false;
  std::uint16_t sequence_ = 0;
  std::int16_t level_ = 0;
  unsigned generation_ = 0;
  std::uint32_t fade_left_ = 0;
  std::uint32_t tone_left_ = 0;
};

}  // namespace gadget::device::model
