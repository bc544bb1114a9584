// moonshine.hpp - the offline recognizer: Moonshine through sherpa-onnx, with Silero's voice
// activity detector.
//
// Streaming: samples go to the detector as they come; pieces (segmenter.hpp) are decoded as soon as
// they are complete, and at every pause the piece so far is decoded ahead, so that at the end of
// the utterance there is usually nothing left to do. Partial text comes from the growing piece when
// there is capacity to spare.
//
// Where the detector finds nobody, the text is "": Moonshine invents text on noise. Short, quiet
// utterances ("yes") get a second look, made louder, with a lower threshold.
//
// English only. Thread: as engine.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "speech/engine.hpp"
#include "speech/sherpa.hpp"

namespace gadget::speech {

struct MoonshineOptions {
  std::string name;                 // "moonshine-base"
  std::filesystem::path libraries;  // folder of libsherpa-onnx-c-api.so
  MoonshineFiles model;
  std::filesystem::path detector;  // silero_vad.onnx
};

// Checks the files (unavailable, corrupt) in load(), which also decodes once to warm up.
[[nodiscard]] std::shared_ptr<RecognizerEngine> moonshine_engine(MoonshineOptions options);

}  // namespace gadget::speech
