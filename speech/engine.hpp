// engine.hpp - what an engine that blocks has to offer; pooled.hpp makes Recognizers and
// Synthesizers of it.
//
// Thread: one object of Utterance is used by one worker at a time, not always the same. Engines are
// shared by all workers and guard themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

// Set when nobody wants the result any more; engines look at it between pieces of work.
using Cancelled = std::atomic<bool>;

// The blocking side of one utterance.
class Utterance {
 public:
  virtual ~Utterance() = default;
  // The next samples. `spare`: there is time for partial text; then the text so far may be
  // returned.
  virtual std::optional<std::string> feed(std::span<const std::int16_t> samples, bool spare) = 0;
  // No more samples: the whole text, "" when nothing was said.
  virtual Result<std::string> finish(const Cancelled& cancelled) = 0;
};

class RecognizerEngine {
 public:
  virtual ~RecognizerEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Loads what is needed, once; later calls return at once. Blocks for seconds at most.
  [[nodiscard]] virtual Result<void> load() = 0;
  // After load() only.
  [[nodiscard]] virtual Result<std::unique_ptr<Utterance>> open() = 0;
};

class VoiceEngine {
 public:
  using Sink = std::function<void(std::vector<std::int16_t> samples, std::uint32_t rate_hz)>;
  virtual ~VoiceEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Result<void> load() = 0;
  // Speaks all of `text` into `sink`; stops early when cancelled.
  [[nodiscard]] virtual Result<void> speak(const std::string& text, const Sink& sink,
                                           const Cancelled& cancelled) = 0;
};

}  // namespace gadget::speech
