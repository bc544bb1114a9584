#include "speech/sherpa.hpp"

#include <cstring>
#include <utility>

#include <dlfcn.h>

namespace gadget::speech {
namespace {

constexpr char kInstallHint[] = "run hermes-gadget speech install";
// The detector keeps the segment that it is in; beyond this it says so on stderr and grows.
constexpr float kDetectorMemorySeconds = 22.0F;

Result<void> must_exist(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) return {};
  return fail(FailureCode::unavailable, path.string() + " is missing", kInstallHint);
}

template <class Function>
bool bind(void* library, const char* name, Function& function) {
  // dlsym gives a data pointer; POSIX says that it may be used as a function pointer.
  void* const symbol = dlsym(library, name);
  static_assert(sizeof symbol == sizeof function);
  std::memcpy(&function, &symbol, sizeof function);
  return symbol != nullptr;
}

}  // namespace

Result<std::shared_ptr<const SherpaLibrary>> SherpaLibrary::load(
    const std::filesystem::path& folder) {
  const auto path = folder / "libsherpa-onnx-c-api.so";
  if (auto found = must_exist(path); !found) {
    return tl::unexpected<Failure>(std::move(found.error()));
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return fail(FailureCode::unavailable,
                "cannot load " + path.string() + ": " + (why != nullptr ? why : "unknown reason"),
                kInstallHint);
  }
  auto self = std::make_shared<SherpaLibrary>();
  auto& f = self->functions_;
  bool complete = true;
#define GADGET_BIND(name) complete = bind(library, "SherpaOnnx" #name, f.name) && complete
  GADGET_BIND(GetVersionStr);
  GADGET_BIND(CreateOfflineRecognizer);
  GADGET_BIND(DestroyOfflineRecognizer);
  GADGET_BIND(CreateOfflineStream);
  GADGET_BIND(DestroyOfflineStream);
  GADGET_BIND(AcceptWaveformOffline);
  GADGET_BIND(DecodeOfflineStream);
  GADGET_BIND(GetOfflineStreamResult);
  GADGET_BIND(DestroyOfflineRecognizerResult);
  GADGET_BIND(CreateVoiceActivityDetector);
  GADGET_BIND(DestroyVoiceActivityDetector);
  GADGET_BIND(VoiceActivityDetectorAcceptWaveform);
  GADGET_BIND(VoiceActivityDetectorDetected);
  GADGET_BIND(VoiceActivityDetectorEmpty);
  GADGET_BIND(VoiceActivityDetectorPop);
  GADGET_BIND(VoiceActivityDetectorReset);
#undef GADGET_BIND
  // The structs of sherpa_api.hpp fit one version only: with another one every call would be a
  // gamble.
  const std::string version = f.GetVersionStr != nullptr ? f.GetVersionStr() : "unknown";
  if (!complete || version != sherpa::kVersion) {
    return fail(FailureCode::unavailable,
                path.string() + " is version " + version + ", wanted " + sherpa::kVersion,
                kInstallHint);
  }
  return self;
}

Result<std::unique_ptr<SherpaRecognizer>> SherpaRecognizer::create(
    std::shared_ptr<const SherpaLibrary> library, const MoonshineFiles& files) {
  for (const auto& path : {files.encoder, files.decoder, files.tokens}) {
    if (auto found = must_exist(path); !found) {
      return tl::unexpected<Failure>(std::move(found.error()));
    }
  }
  sherpa::OfflineRecognizerConfig config{};
  config.sample_rate = 16'000;
  config.feature_dim = 80;
  auto& model = config.model_config;
  model.moonshine.encoder = files.encoder.c_str();
  model.moonshine.merged_decoder = files.decoder.c_str();
  model.tokens = files.tokens.c_str();
  model.num_threads = 1;  // the pool's workers are the parallelism
  model.provider = "cpu";
  config.decoding_method = "greedy_search";
  const auto* recognizer = library->call().CreateOfflineRecognizer(&config);
  if (recognizer == nullptr) {
    return fail(FailureCode::corrupt,
                "the speech model in " + files.encoder.parent_path().string() + " cannot be loaded",
                kInstallHint);
  }
  return std::unique_ptr<SherpaRecognizer>(new SherpaRecognizer(std::move(library), recognizer));
}

SherpaRecognizer::~SherpaRecognizer() { library_->call().DestroyOfflineRecognizer(recognizer_); }

std::string SherpaRecognizer::decode(std::span<const float> samples) const {
  const auto& call = library_->call();
  const auto* stream = call.CreateOfflineStream(recognizer_);
  call.AcceptWaveformOffline(stream, 16'000, samples.data(),
                             static_cast<std::int32_t>(samples.size()));
  call.DecodeOfflineStream(recognizer_, stream);
  std::string text;
  if (const auto* result = call.GetOfflineStreamResult(stream); result != nullptr) {
    if (result->text != nullptr) text = result->text;
    call.DestroyOfflineRecognizerResult(result);
  }
  call.DestroyOfflineStream(stream);
  constexpr char kSpaces[] = " \t\r\n";
  const auto first = text.find_first_not_of(kSpaces);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

Result<std::unique_ptr<SherpaDetector>> SherpaDetector::create(
    std::shared_ptr<const SherpaLibrary> library, const std::filesystem::path& model,
    const DetectorSettings& settings) {
  if (auto found = must_exist(model); !found) {
    return tl::unexpected<Failure>(std::move(found.error()));
  }
  sherpa::VadConfig config{};
  config.silero_vad.model = model.c_str();
  config.silero_vad.threshold = settings.threshold;
  config.silero_vad.min_silence_duration = settings.min_silence_seconds;
  config.silero_vad.min_speech_duration = settings.min_speech_seconds;
  config.silero_vad.window_size = static_cast<std::int32_t>(kWindow);
  config.silero_vad.max_speech_duration = 20.0F;
  config.sample_rate = 16'000;
  config.num_threads = 1;
  config.provider = "cpu";
  const auto* detector =
      library->call().CreateVoiceActivityDetector(&config, kDetectorMemorySeconds);
  if (detector == nullptr) {
    return fail(FailureCode::corrupt, model.string() + " cannot be loaded", kInstallHint);
  }
  return std::unique_ptr<SherpaDetector>(new SherpaDetector(std::move(library), detector));
}

SherpaDetector::~SherpaDetector() { library_->call().DestroyVoiceActivityDetector(detector_); }

bool SherpaDetector::speech(std::span<const float> window) {
  const auto& call = library_->call();
  call.VoiceActivityDetectorAcceptWaveform(detector_, window.data(),
                                           static_cast<std::int32_t>(window.size()));
  while (call.VoiceActivityDetectorEmpty(detector_) == 0) call.VoiceActivityDetectorPop(detector_);
  return call.VoiceActivityDetectorDetected(detector_) != 0;
}

void SherpaDetector::reset() { library_->call().VoiceActivityDetectorReset(detector_); }

}  // namespace gadget::speech
