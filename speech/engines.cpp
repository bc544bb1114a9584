#include "speech/engines.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "speech/embedded.hpp"
#include "speech/flite_voice.hpp"
#include "speech/manifest.hpp"
#include "speech/moonshine.hpp"
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

// Moonshine out of a profile's folder, its files checked before they are trusted with our process.
class InstalledMoonshine final : public RecognizerEngine {
 public:
  InstalledMoonshine(std::filesystem::path folder, Manifest manifest, MoonshineOptions options)
      : folder_(std::move(folder)),
        manifest_(std::move(manifest)),
        name_(options.name),
        engine_(moonshine_engine(std::move(options))) {}
  std::string_view name() const override { return name_; }
  Result<void> load() override {
    const std::lock_guard lock(mutex_);
    if (!checked_) {
      checked_ = true;
      for (const auto* part : {"lib/", "model/", "detector/"}) {
        sound_ = sound_.and_then([&] { return verify(folder_, manifest_, Depth::contents, part); });
      }
    }
    return sound_.and_then([this] { return engine_->load(); });
  }
  Result<std::unique_ptr<Utterance>> open() override { return engine_->open(); }

 private:
  const std::filesystem::path folder_;
  const Manifest manifest_;
  const std::string name_;
  const std::shared_ptr<RecognizerEngine> engine_;
  std::mutex mutex_;
  bool checked_ = false;
  Result<void> sound_;
};

struct Installed {
  std::filesystem::path folder;
  Manifest manifest;
};

Result<Installed> installed(const std::filesystem::path& speech, Profile profile) {
  const auto folder = speech / name(profile);
  auto manifest = read_manifest(folder);
  if (!manifest) return tl::unexpected<Failure>(std::move(manifest.error()));
  if (auto sound = verify(folder, *manifest, Depth::sizes); !sound) {
    return tl::unexpected<Failure>(std::move(sound.error()));
  }
  return Installed{folder, std::move(*manifest)};
}

std::shared_ptr<RecognizerEngine> moonshine_of(const Installed& it, Profile profile) {
  const bool full = profile == Profile::full;
  const auto model = it.folder / "model";
  return std::make_shared<InstalledMoonshine>(
      it.folder, it.manifest,
      MoonshineOptions{.name = full ? "moonshine-base" : "moonshine-tiny",
                       .libraries = it.folder / "lib",
                       .model = {.encoder = model / (full ? "encoder.onnx" : "encoder.ort"),
                                 .decoder = model / (full ? "decoder.onnx" : "decoder.ort"),
                                 .tokens = model / "tokens.txt"},
                       .detector = it.folder / "detector" / "silero_vad.onnx"});
}

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
    auto found = installed(options.folder, profile);
    if (!found) {
      if (wanted == profile || found.error().code != FailureCode::not_found) {
        missing += "; " + to_line(found.error());
      }
      continue;
    }
    recognizers.push_back(moonshine_of(*found, profile));
    if (profile == Profile::full) voice = std::move(*found);
  }
  if (wanted == Profile::automatic && recognizers.empty() && missing.empty()) {
    missing = "; better ones: hermes-gadget speech install";
  }
  recognizers.push_back(pocketsphinx_engine());

  Speech speech;
  auto engine = std::make_shared<FirstThatLoads>(std::move(recognizers), options.log);
  speech.recognizer = pooled_recognizer(engine, options.workers);
  // Loading starts now, on the pool. The lane closes at once but for the job that it has.
  options.workers->run([engine] { (void)engine->load(); });
  if (voice) {
    speech.synthesizer = hibari_synthesizer({.python = voice->manifest.python,
                                             .packages = voice->folder / "voice",
                                             .worker = std::string(embedded::worker_py()),
                                             .fallback = flite_voice(),
                                             .log = options.log},
                                            options.workers);
  } else {
    auto flite = flite_voice();
    speech.synthesizer = pooled_synthesizer(flite, options.workers);
    options.workers->run([flite] { (void)flite->load(); });
  }
  speech.description = "recognizer " + std::string(speech.recognizer->name()) + ", voice " +
                       std::string(speech.synthesizer->name()) + " (profile " +
                       std::string(name(wanted)) + missing + ")";
  return speech;
}

}  // namespace gadget::speech
