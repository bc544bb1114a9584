// utterance.hpp - speech going up: frames of one stream become whole samples (E17), which the
// recognizer gets while the person still speaks, or which are kept once for an agent that takes
// audio (E19).
//
// One owner: the device's Conversation. Sans-I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "hub/core/context.hpp"
#include "media/resampler.hpp"
#include "protocol/audio_assembler.hpp"
#include "protocol/binary_frame.hpp"

namespace gadget::hub {

// What an utterance becomes: a message's audio, or the text that is being recognized. Shared by the
// message and the callbacks of its recognizer, which find it gone when the message is.
struct Heard {
  std::uint32_t rate_hz = 0;
  std::int64_t samples = 0;                      // after gap filling, capped (C6)
  std::vector<std::vector<std::int16_t>> audio;  // in pieces, so that growing copies nothing
  std::unique_ptr<speech::RecognizerSession> session;
  std::optional<Result<std::string>> text;  // once recognized, or failed
  std::function<void()> ready;              // called once `text` is there
  Millis end_of_speech_ms = 0;              // when `audio.end` came
  Millis finish_ms = 0;                     // when the recognizer was told so
  Millis recognized_ms = 0;

  [[nodiscard]] std::size_t audio_bytes() const {
    return audio.empty() ? 0 : static_cast<std::size_t>(samples) * sizeof(std::int16_t);
  }
};

class Utterance {
 public:
  struct Options {
    std::uint8_t stream = 0;
    std::uint32_t rate_hz = 0;
    bool keep_audio = false;  // for an agent that takes it; otherwise it is recognized
    std::function<void(std::string)> partial;
  };
  // Whether more is taken: `full` once max_utterance_s were heard (E18).
  enum class Room : std::uint8_t { more, full };

  Utterance(Context& context, Options options);

  [[nodiscard]] Room push(const protocol::BinaryFrame& frame);
  [[nodiscard]] bool long_enough() const;  // C5, E18: 0.25 s exactly is
  // Complete: hands over what was heard; its text follows. Once.
  [[nodiscard]] std::shared_ptr<Heard> finish();

  [[nodiscard]] std::uint8_t stream() const { return options_.stream; }
  // False once finish() was called: only its end is awaited.
  [[nodiscard]] bool listening() const { return heard_ != nullptr; }

 private:
  void take(std::span<const std::int16_t> samples);
  void keep(std::span<const std::int16_t> samples);

  Context& context_;
  Options options_;
  protocol::AudioAssembler assembler_;
  std::optional<media::Resampler> resampler_;
  std::shared_ptr<Heard> heard_;
  std::int64_t most_samples_;
  std::vector<std::int16_t> samples_;    // of the frame at hand
  std::vector<std::int16_t> resampled_;  // the same for the recognizer
};

}  // namespace gadget::hub
