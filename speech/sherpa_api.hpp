// sherpa_api.hpp - the few structs and functions of sherpa-onnx's C interface that we use, as
// version 2.0.1 lays them out.
//
// The library is loaded at run time, so that everything builds without it. Its structs change
// between versions: they are declared here for exactly the pinned one, and SherpaLibrary refuses
// any other. `speech/check_layout.py` (run by the engine tests) compares every size and offset
// below with the header of the installed wheel.
//
// Parts that we leave zero are declared as so many pointers.
#pragma once

#include <cstdint>

namespace gadget::speech::sherpa {

inline constexpr char kVersion[] = "2.0.1";

struct MoonshineConfig {
  const char* preprocessor;
  const char* encoder;
  const char* uncached_decoder;
  const char* cached_decoder;
  const char* merged_decoder;
};

struct OfflineModelConfig {
  const void* other_models_1[12];  // transducer, paraformer, nemo_ctc, whisper, tdnn
  const char* tokens;
  std::int32_t num_threads;
  std::int32_t debug;
  const char* provider;
  const char* model_type;
  const char* modeling_unit;
  const char* bpe_vocab;
  const char* telespeech_ctc;
  const void* sense_voice[3];
  MoonshineConfig moonshine;
  const void* other_models_2[36];  // fire_red_asr ... cohere_transcribe
};

struct OfflineRecognizerConfig {
  std::int32_t sample_rate;  // feat_config
  std::int32_t feature_dim;
  OfflineModelConfig model_config;
  const void* lm_config[2];
  const char* decoding_method;
  std::int32_t max_active_paths;
  const char* hotwords_file;
  float hotwords_score;
  const char* rule_fsts;
  const char* rule_fars;
  float blank_penalty;
  const void* homophone_replacer[3];
  const void* ctc_fst_decoder[2];
};

struct OfflineRecognizerResult {
  const char* text;  // the first of many fields; the only one we read
};

struct SileroVadConfig {
  const char* model;
  float threshold;
  float min_silence_duration;
  float min_speech_duration;
  std::int32_t window_size;
  float max_speech_duration;
};

struct VadConfig {
  SileroVadConfig silero_vad;
  std::int32_t sample_rate;
  std::int32_t num_threads;
  const char* provider;
  std::int32_t debug;
  SileroVadConfig ten_vad;
};

struct OfflineRecognizer;
struct OfflineStream;
struct VoiceActivityDetector;

// The functions, by the names that the library exports.
struct Functions {
  const char* (*GetVersionStr)();
  const OfflineRecognizer* (*CreateOfflineRecognizer)(const OfflineRecognizerConfig*);
  void (*DestroyOfflineRecognizer)(const OfflineRecognizer*);
  const OfflineStream* (*CreateOfflineStream)(const OfflineRecognizer*);
  void (*DestroyOfflineStream)(const OfflineStream*);
  void (*AcceptWaveformOffline)(const OfflineStream*, std::int32_t rate, const float*,
                                std::int32_t);
  void (*DecodeOfflineStream)(const OfflineRecognizer*, const OfflineStream*);
  const OfflineRecognizerResult* (*GetOfflineStreamResult)(const OfflineStream*);
  void (*DestroyOfflineRecognizerResult)(const OfflineRecognizerResult*);
  const VoiceActivityDetector* (*CreateVoiceActivityDetector)(const VadConfig*, float seconds);
  void (*DestroyVoiceActivityDetector)(const VoiceActivityDetector*);
  void (*VoiceActivityDetectorAcceptWaveform)(const VoiceActivityDetector*, const float*,
                                              std::int32_t);
  std::int32_t (*VoiceActivityDetectorDetected)(const VoiceActivityDetector*);
  std::int32_t (*VoiceActivityDetectorEmpty)(const VoiceActivityDetector*);
  void (*VoiceActivityDetectorPop)(const VoiceActivityDetector*);
  void (*VoiceActivityDetectorReset)(const VoiceActivityDetector*);
};

}  // namespace gadget::speech::sherpa
