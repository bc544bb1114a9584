// sherpa.hpp - sherpa-onnx, loaded at run time: a recognizer and a voice activity detector as
// objects with owners.
//
// Thread: SherpaLibrary and SherpaRecognizer may be shared by all workers (measured: 600 decodes
// from 4 threads, none differed); a SherpaDetector belongs to one at a time. Everything blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/failure.hpp"
#include "speech/sherpa_api.hpp"

namespace gadget::speech {

class SherpaLibrary {
 public:
  // Loads libsherpa-onnx-c-api.so and, beside it, libonnxruntime.so. Errors: `unavailable` naming
  // what is missing or the version found. The library stays in the process for good: its runtime
  // keeps threads and thread-local state.
  [[nodiscard]] static Result<std::shared_ptr<const SherpaLibrary>> load(
      const std::filesystem::path& folder);
  [[nodiscard]] const sherpa::Functions& call() const { return functions_; }

 private:
  sherpa::Functions functions_{};
};

struct MoonshineFiles {
  std::filesystem::path encoder;
  std::filesystem::path decoder;
  std::filesystem::path tokens;
};

class SherpaRecognizer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SherpaRecognizer>> create(
      std::shared_ptr<const SherpaLibrary> library, const MoonshineFiles& files);
  ~SherpaRecognizer();
  SherpaRecognizer(const SherpaRecognizer&) = delete;
  SherpaRecognizer& operator=(const SherpaRecognizer&) = delete;

  // The text of at most 20 s of samples in -1..1 at 16 kHz, without surrounding spaces.
  [[nodiscard]] std::string decode(std::span<const float> samples) const;

 private:
  SherpaRecognizer(std::shared_ptr<const SherpaLibrary> library,
                   const sherpa::OfflineRecognizer* it)
      : library_(std::move(library)), recognizer_(it) {}
  std::shared_ptr<const SherpaLibrary> library_;
  const sherpa::OfflineRecognizer* recognizer_;
};

struct DetectorSettings {
  float threshold = 0.5F;            // probability of speech
  float min_silence_seconds = 0.1F;  // pauses are judged by segmenter.hpp
  float min_speech_seconds = 0.1F;
};

class SherpaDetector {
 public:
  static constexpr std::size_t kWindow = 512;  // samples that the model looks at
  [[nodiscard]] static Result<std::unique_ptr<SherpaDetector>> create(
      std::shared_ptr<const SherpaLibrary> library, const std::filesystem::path& model,
      const DetectorSettings& settings);
  ~SherpaDetector();
  SherpaDetector(const SherpaDetector&) = delete;
  SherpaDetector& operator=(const SherpaDetector&) = delete;

  // The next window of exactly kWindow samples in -1..1: does somebody speak now?
  [[nodiscard]] bool speech(std::span<const float> window);
  // Forgets everything, for the next utterance.
  void reset();

 private:
  SherpaDetector(std::shared_ptr<const SherpaLibrary> library,
                 const sherpa::VoiceActivityDetector* it)
      : library_(std::move(library)), detector_(it) {}
  std::shared_ptr<const SherpaLibrary> library_;
  const sherpa::VoiceActivityDetector* detector_;
};

}  // namespace gadget::speech
