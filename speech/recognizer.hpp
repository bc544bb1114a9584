// recognizer.hpp - speech to text, streamed, as the hub's turn uses it.
//
// Engines block; a Recognizer does not: its work runs on a bounded pool of workers, fair between
// sessions, and its events come back on the caller's thread through the executor that the pool was
// made with (speech/workers.hpp).
//
// A session is one utterance. Destroying it cancels: no event of it comes afterwards, whatever was
// in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/failure.hpp"

namespace gadget::speech {

// Every recognizer takes mono 16-bit samples at this rate; the hub resamples what the device sends.
inline constexpr std::uint32_t kRecognizerRateHz = 16'000;

struct RecognizerEvents {
  // The text so far, cumulative; it may change backwards, so show the last only. Only with capacity
  // to spare.
  std::function<void(std::string text)> partial;
  // Exactly once after finish(): the text ("" when nothing was said), or why there is none.
  std::function<void(Result<std::string> text)> done;
};

class RecognizerSession {
 public:
  virtual ~RecognizerSession() = default;
  // The next samples at kRecognizerRateHz; copied. Ignored after finish().
  virtual void push(std::span<const std::int16_t> samples) = 0;
  // The utterance is complete; `done` follows.
  virtual void finish() = 0;
};

class Recognizer {
 public:
  virtual ~Recognizer() = default;
  // "moonshine-base", "pocketsphinx": for logs and `speech check`.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Never blocks, never fails: an engine that does not work says so in `done`.
  [[nodiscard]] virtual std::unique_ptr<RecognizerSession> start(RecognizerEvents events) = 0;
};

}  // namespace gadget::speech
