#include "speech/installed.hpp"

#include <mutex>
#include <utility>

#include "speech/embedded.hpp"
#include "speech/moonshine.hpp"

namespace gadget::speech {
namespace {

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

}  // namespace

Result<Installed> find_installed(const std::filesystem::path& speech, Profile profile,
                                 Depth depth) {
  const auto folder = speech / name(profile);
  auto manifest = read_manifest(folder);
  const auto named = [profile](Failure failure) {
    if (profile == Profile::small) failure.hint += " --profile small";
    return tl::unexpected<Failure>(std::move(failure));
  };
  if (!manifest) return named(std::move(manifest.error()));
  if (auto sound = verify(folder, *manifest, depth); !sound) return named(std::move(sound.error()));
  return Installed{profile, folder, std::move(*manifest)};
}

std::shared_ptr<RecognizerEngine> installed_recognizer(const Installed& it) {
  const bool full = it.profile == Profile::full;
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

std::unique_ptr<Synthesizer> installed_voice(const Installed& it,
                                             std::shared_ptr<VoiceEngine> fallback, Log log,
                                             std::shared_ptr<Workers> workers) {
  if (it.profile != Profile::full) return nullptr;
  return hibari_synthesizer({.python = it.manifest.python,
                             .packages = it.folder / "voice",
                             .worker = std::string(embedded::worker_py()),
                             .fallback = std::move(fallback),
                             .log = std::move(log)},
                            std::move(workers));
}

}  // namespace gadget::speech
