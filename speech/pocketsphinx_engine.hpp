// pocketsphinx_engine.hpp - the fallback recognizer: PocketSphinx with Debian's US English model.
//
// First a small grammar (requests.jsgf: what the built-in agent understands), in 0.015 x real time;
// where the sound does not fit it, a general small language model, in 0.3 x; where it does not fit
// that either, "". What fits is judged by the acoustic score per frame. Everything happens at the
// end of the utterance, one utterance at a time: there is one decoder of 135 MB in the process.
//
// Text is lower case without punctuation or numerals. English only. Thread: as engine.hpp.
#pragma once

#include <memory>

#include "speech/engine.hpp"

namespace gadget::speech {

enum class Vocabulary : std::uint8_t {
  general,  // the grammar, then the general model
  requests  // the grammar alone: "" for whatever does not surely fit it; no general model
};

[[nodiscard]] std::shared_ptr<RecognizerEngine> pocketsphinx_engine(
    Vocabulary vocabulary = Vocabulary::general);

}  // namespace gadget::speech
