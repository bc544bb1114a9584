// installed.hpp - what `speech install` left, as engines. For open_speech() and check().
#pragma once

#include <filesystem>
#include <memory>

#include "speech/engines.hpp"
#include "speech/manifest.hpp"

namespace gadget::speech {

struct Installed {
  Profile profile;  // full or small
  std::filesystem::path folder;
  Manifest manifest;
};

// Errors: not_found (not installed), corrupt (naming the file).
[[nodiscard]] Result<Installed> find_installed(const std::filesystem::path& speech, Profile profile,
                                               Depth depth);

// Its files are read and compared before they are trusted with our process.
[[nodiscard]] std::shared_ptr<RecognizerEngine> installed_recognizer(const Installed& it);

// Null when the profile has no voice of its own.
[[nodiscard]] std::unique_ptr<Synthesizer> installed_voice(const Installed& it,
                                                           std::shared_ptr<VoiceEngine> fallback,
                                                           Log log,
                                                           std::shared_ptr<Workers> workers);

}  // namespace gadget::speech
