#include "speech/engines.hpp"

#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "speech/flite_voice.hpp"
#include "speech/installed.hpp"
#include "speech/pocketsphinx_engine.hpp"
#include "speech/pooled.hpp"

namespace gadget::speech {
namespace {

constexpr std::array<std::pair<std::string_view, Profile>, 4> kProfiles{{
    {"auto", Profile::automatic},
    {"full", Profile::full},
    {"small", Profile::small},
    {"minimal", Profile::minimal},
}};

// Tries engines in order when it is first needed, and stays with the first that loads.
class FirstThatLoads final : public RecognizerEngine {
 public:
  FirstThatLoads(std::vector<std::shared_ptr<RecognizerEngine>> engines, Log log)
      : engines_(std::move(engines)), log_(std::move(log)) {}

  std::string_view name() const override { return chosen().name(); }

  Result<void> load() override {
    while (true) {
      const auto at = at_.load();
      auto loaded = engines_[at]->load();
      if (loaded || at + 1 == engines_.size()) return loaded;
      auto expected = at;
      if (at_.compare_exchange_strong(expected, at + 1) && log_) {
        log_("recognizer=" + std::string(engines_[at]->name()) + " event=load_failed reason=\"" +
             to_line(loaded.error()) + "\" instead=" + std::string(engines_[at + 1]->name()));
      }
    }
  }

  Result<std::unique_ptr<Utterance>> open() override { return chosen().open(); }

 private:
  RecognizerEngine& chosen() const { return *engines_[at_.load()]; }
  const std::vector<std::shared_ptr<RecognizerEngine>> engines_;
  const Log log_;
  std::atomic<std::size_t> at_{0};
};

}  // namespace

Result<Profile> parse_profile(std::string_view text) {
  for (const auto& [known, profile] : kProfiles) {
    if (known == text) return profile;
  }
  return fail(FailureCode::invalid_argument, "speech.profile is \"" + std::string(text) + "\"",
              "use auto, full, small or minimal");
}

std::string_view name(Profile profile) {
  for (const auto& [known, value] : kProfiles) {
    if (value == profile) return known;
  }
  return "auto";
}

Speech open_speech(SpeechOptions options) {
  const auto wanted = options.profile;
  std::vector<std::shared_ptr<RecognizerEngine>> recognizers;
  std::optional<Installed> voice;
  std::string missing;
  for (const auto profile : {Profile::full, Profile::small}) {
    if (wanted == Profile::minimal) break;
    if (wanted == Profile::small && profile == Profile::full) continue;
    auto found = find_installed(options.folder, profile, Depth::sizes);
    if (!found) {
      if (wanted == profile || found.error().code != FailureCode::not_found) {
        missing += "; " + to_line(found.error());
      }
      continue;
    }
    recognizers.push_back(installed_recognizer(*found));
    if (profile == Profile::full) voice = std::move(*found);
  }
  if (wanted == Profile::automatic && recognizers.empty() && missing.empty()) {
    missing = "; better ones: hermes-gadget speech install";
  }
  const bool general = !recognizers.empty();
  recognizers.push_back(pocketsphinx_engine());

  Speech speech;
  std::shared_ptr<RecognizerEngine> engine =
      std::make_shared<FirstThatLoads>(std::move(recognizers), options.log);
  if (general && options.understood) {
    engine =
        with_second_opinion(engine, pocketsphinx_engine(Vocabulary::requests), options.understood);
  }
  speech.recognizer = pooled_recognizer(engine, options.workers);
  if (options.load_now) options.workers->run([engine] { (void)engine->load(); });
  if (voice) {
    speech.synthesizer = installed_voice(*voice, flite_voice(), options.log, options.workers);
  } else {
    auto flite = flite_voice();
    speech.synthesizer = pooled_synthesizer(flite, options.workers);
    if (options.load_now) options.workers->run([flite] { (void)flite->load(); });
  }
  speech.description = "recognizer " + std::string(speech.recognizer->name()) + ", voice " +
                       std::string(speech.synthesizer->name()) + " (profile " +
                       std::string(name(wanted)) + missing + ")";
  return speech;
}

}  // namespace gadget::speech
