// engines.hpp - the hub's way to speech: which recognizer and which voice there are, and objects of
// them.
//
//   profile   recognizer                        voice                         memory, measured
//   full      Moonshine base, re-quantised      hibari (worker process)       see docs/numbers.md
//   small     Moonshine tiny                    Flite
//   minimal   PocketSphinx                      Flite
//   auto      the best that is installed
//
// Opening takes no time: models load on the pool, at once, while the hub is ready already; a
// session that comes before that waits. What was asked for and is not installed, or does not load,
// is replaced by the next best, with a reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "speech/hibari.hpp"
#include "speech/recognizer.hpp"
#include "speech/second_opinion.hpp"
#include "speech/synthesizer.hpp"
#include "speech/workers.hpp"

namespace gadget::speech {

enum class Profile : std::uint8_t { automatic, full, small, minimal };

// "auto", "full", "small", "minimal". Errors: invalid_argument.
[[nodiscard]] Result<Profile> parse_profile(std::string_view name);
[[nodiscard]] std::string_view name(Profile profile);

struct SpeechOptions {
  Profile profile = Profile::automatic;
  // Where models are installed: files::default_cache_folder() / "speech".
  std::filesystem::path folder;
  std::shared_ptr<Workers> workers;
  Log log;  // may be empty; called from any thread
  // When given: what the first recognizer heard and the agent would not understand is heard again
  // by a small grammar (second_opinion.hpp). Called from any thread.
  Understood understood = {};
  bool load_now = true;  // on the pool, at once; false: when first used
};

struct Speech {
  std::unique_ptr<Recognizer> recognizer;
  std::unique_ptr<Synthesizer> synthesizer;
  // One line: what is used and why: "recognizer moonshine-base, voice hibari (profile full)".
  std::string description;
};

// Never fails: PocketSphinx and Flite are always there. Destroy the Speech before what the executor
// posts to.
[[nodiscard]] Speech open_speech(SpeechOptions options);

}  // namespace gadget::speech
