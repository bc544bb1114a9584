// synthesizer.hpp - text to speech, streamed, as the hub's turn uses it.
//
// One session is one piece of text, in practice a sentence. Threads, executor and cancelling are as
// in recognizer.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

struct SynthesizerEvents {
  // The next samples, mono 16-bit at `rate_hz`; the rate does not change within a session.
  std::function<void(std::vector<std::int16_t> samples, std::uint32_t rate_hz)> audio;
  // Exactly once, after the last audio: it was all spoken, or why not.
  std::function<void(Result<void>)> done;
};

class SynthesizerSession {
 public:
  virtual ~SynthesizerSession() = default;
};

class Synthesizer {
 public:
  virtual ~Synthesizer() = default;
  // "hibari", "flite": for logs and `speech check`.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // `text` is plain text for speech (media/text.hpp: shape_for_speech). Never blocks, never fails:
  // an engine that does not work says so in `done`.
  [[nodiscard]] virtual std::unique_ptr<SynthesizerSession> start(std::string text,
                                                                  SynthesizerEvents events) = 0;
};

}  // namespace gadget::speech
