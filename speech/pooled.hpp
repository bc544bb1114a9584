// pooled.hpp - Recognizers and Synthesizers made of engines that block, on the workers of a pool.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "speech/delivery.hpp"
#include "speech/engine.hpp"
#include "speech/recognizer.hpp"
#include "speech/synthesizer.hpp"
#include "speech/workers.hpp"

namespace gadget::speech {

// What is kept of one utterance. Beyond: the rest is ignored (the hub ends utterances at its own
// max_utterance_s).
inline constexpr std::chrono::seconds kMaxUtterance{120};
// One utterance's samples wait for a worker in chunks of at least this much, so that a slow pool is
// not woken 50 times a second for each device.
inline constexpr std::size_t kFeedSamples = kRecognizerRateHz / 10;
// Text of one synthesizer session. Beyond: `invalid_argument` in `done`. The hub sends sentences;
// the longest reply is 8 KiB.
inline constexpr std::size_t kMaxSpokenBytes = 8 * 1024;

using SynthesizerDelivery = Delivery<SynthesizerEvents>;

// What `done` says to a text beyond kMaxSpokenBytes.
[[nodiscard]] Result<void> too_long();

// Speaks `text` now, on this worker, into a session's events: audio, then done.
void speak(VoiceEngine& engine, const std::string& text,
           const std::shared_ptr<SynthesizerDelivery>& delivery);

[[nodiscard]] std::unique_ptr<Recognizer> pooled_recognizer(
    std::shared_ptr<RecognizerEngine> engine, std::shared_ptr<Workers> workers);
[[nodiscard]] std::unique_ptr<Synthesizer> pooled_synthesizer(std::shared_ptr<VoiceEngine> engine,
                                                              std::shared_ptr<Workers> workers);

}  // namespace gadget::speech
