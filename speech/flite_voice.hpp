// flite_voice.hpp - the fallback voice: Flite's "slt" in process. Robotic, small, always there;
// first audio in 20 ms.
//
// Flite shares state between calls, so one sentence is spoken at a time in the whole process. 16
// kHz.
#pragma once

#include <memory>

#include "speech/engine.hpp"

namespace gadget::speech {

[[nodiscard]] std::shared_ptr<VoiceEngine> flite_voice();

}  // namespace gadget::speech
