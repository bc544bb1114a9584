// recorded_voice.hpp - a voice that says one recording, whatever the text is: what the hub itself
// does for speech can be measured with it, without an engine's own time (hermes-gadget bench).
#pragma once

#include <memory>

#include "media/wav.hpp"
#include "speech/synthesizer.hpp"
#include "speech/workers.hpp"

namespace gadget::speech {

[[nodiscard]] std::unique_ptr<Synthesizer> recorded_voice(media::Recording recording,
                                                          Executor executor);

}  // namespace gadget::speech
