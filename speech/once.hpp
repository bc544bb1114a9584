// once.hpp - speech for programs without an event loop: say this sentence, write down that
// recording, and wait for it.
//
// For `speech check`, the virtual gadget's "say", bench and tests. Blocks; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "speech/recognizer.hpp"
#include "speech/synthesizer.hpp"
#include "speech/workers.hpp"

namespace gadget::speech {

// A queue of jobs and a thread that runs them when it waits. The executor may outlive the loop.
class PlainLoop {
 public:
  PlainLoop();
  ~PlainLoop();  // drops what was not run
  PlainLoop(const PlainLoop&) = delete;
  PlainLoop& operator=(const PlainLoop&) = delete;
  [[nodiscard]] Executor executor() const;
  // Runs jobs until `done` (looked at after each) or the time is over. Says whether `done`.
  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds time);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

inline constexpr auto kOnceTimeout = std::chrono::seconds{60};

struct Spoken {
  std::vector<std::int16_t> samples;
  std::uint32_t rate_hz = 0;
  std::chrono::microseconds first_audio{};  // from asking
  std::chrono::microseconds total{};
};
[[nodiscard]] Result<Spoken> speak_once(PlainLoop& loop, Synthesizer& voice,
                                        const std::string& text,
                                        std::chrono::milliseconds time = kOnceTimeout);

enum class Pace { at_once, real_time };
struct Heard {
  std::string text;
  std::vector<std::string> partials;
  std::chrono::microseconds after_finish{};  // from the end of the utterance to its text
};
// `samples` at kRecognizerRateHz, pushed in frames of 40 ms.
[[nodiscard]] Result<Heard> recognize_once(PlainLoop& loop, Recognizer& recognizer,
                                           std::span<const std::int16_t> samples,
                                           Pace pace = Pace::at_once,
                                           std::chrono::milliseconds time = kOnceTimeout);

}  // namespace gadget::speech
