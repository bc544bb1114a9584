// check.hpp - `hermes-gadget speech check`: what works, engine by engine, with a sentence that is
// spoken and understood.
//
// Every installed file is read and compared with the manifest; every voice says kCheckSentence, and
// every recognizer writes down what the best voice said. Blocks, for a few seconds. Prints nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "speech/engines.hpp"

namespace gadget::speech {

inline constexpr char kCheckSentence[] = "Set a timer for nine minutes.";

struct EngineCheck {
  std::string role;    // "recognizer" or "voice"
  std::string engine;  // "moonshine-base", "moonshine-tiny", "pocketsphinx", "hibari", "flite"
  bool installed = false;
  bool works = false;
  std::string problem;               // one clear line when it does not work or is not installed
  std::chrono::milliseconds load{};  // until the first result, loading included
  std::chrono::milliseconds
      took{};  // recognizer: end of speech to text; voice: asking to first audio
  std::string
      text;  // recognizer: what it understood; voice: what the best recognizer understood of it
  std::size_t words_wrong = 0;  // of text, against kCheckSentence
};

struct SpeechCheck {
  std::vector<EngineCheck> engines;
  std::string description;  // what a hub with this profile would use, as Speech::description
  bool good = false;        // what it would use works
};

struct CheckOptions {
  Profile profile = Profile::automatic;
  std::filesystem::path folder;  // files::default_cache_folder() / "speech"
};

[[nodiscard]] SpeechCheck check(const CheckOptions& options);

// The same as JSON: {"good", "uses", "sentence", "engines": [{"role", "engine", "installed",
// "works", "problem", "load_ms", "took_ms", "text", "words_wrong"}]}.
[[nodiscard]] std::string to_json(const SpeechCheck& check);
// The same as lines for people, without a trailing newline.
[[nodiscard]] std::string to_text(const SpeechCheck& check);

}  // namespace gadget::speech
