"""Compares sherpa_api.hpp with the C header of the installed library: every size and offset that we rely on.

usage: check_layout.py INCLUDE_FOLDER SOURCE_FOLDER [COMPILER]      (an engine test runs it)
"""
import os
import subprocess
import sys
import tempfile

# ours, theirs, {our field: their field}
STRUCTS = [
    ("MoonshineConfig", "SherpaOnnxOfflineMoonshineModelConfig",
     {f: f for f in ("preprocessor", "encoder", "uncached_decoder", "cached_decoder", "merged_decoder")}),
    ("OfflineModelConfig", "SherpaOnnxOfflineModelConfig",
     {f: f for f in ("tokens", "num_threads", "debug", "provider", "model_type", "modeling_unit", "bpe_vocab",
                     "telespeech_ctc", "sense_voice", "moonshine")} | {"other_models_2": "fire_red_asr"}),
    ("OfflineRecognizerConfig", "SherpaOnnxOfflineRecognizerConfig",
     {f: f for f in ("model_config", "lm_config", "decoding_method", "max_active_paths", "hotwords_file",
                     "hotwords_score", "rule_fsts", "rule_fars", "blank_penalty")}
     | {"sample_rate": "feat_config.sample_rate", "feature_dim": "feat_config.feature_dim",
        "homophone_replacer": "hr", "ctc_fst_decoder": "ctc_fst_decoder_config"}),
    ("SileroVadConfig", "SherpaOnnxSileroVadModelConfig",
     {f: f for f in ("model", "threshold", "min_silence_duration", "min_speech_duration", "window_size",
                     "max_speech_duration")}),
    ("VadConfig", "SherpaOnnxVadModelConfig",
     {f: f for f in ("silero_vad", "sample_rate", "num_threads", "provider", "debug", "ten_vad")}),
]
FUNCTIONS = ["GetVersionStr", "CreateOfflineRecognizer", "DestroyOfflineRecognizer", "CreateOfflineStream",
             "DestroyOfflineStream", "AcceptWaveformOffline", "DecodeOfflineStream", "GetOfflineStreamResult",
             "DestroyOfflineRecognizerResult", "CreateVoiceActivityDetector", "DestroyVoiceActivityDetector",
             "VoiceActivityDetectorAcceptWaveform", "VoiceActivityDetectorDetected", "VoiceActivityDetectorEmpty",
             "VoiceActivityDetectorPop", "VoiceActivityDetectorReset"]


def program():
    lines = ["#include <cstddef>", '#include "c-api.h"', '#include "speech/sherpa_api.hpp"',
             "namespace ours = gadget::speech::sherpa;",
             # How many parameters a function takes, whatever its pointers point to.
             "template <class> struct Count; template <class R, class... A> struct Count<R (*)(A...)>"
             " { static constexpr int value = sizeof...(A); };",
             'static_assert(offsetof(SherpaOnnxOfflineRecognizerResult, text) == 0, "result text");']
    for mine, theirs, fields in STRUCTS:
        lines.append(f'static_assert(sizeof(ours::{mine}) == sizeof({theirs}), "{mine}");')
        for a, b in fields.items():
            lines.append(f'static_assert(offsetof(ours::{mine}, {a}) == offsetof({theirs}, {b}), "{mine}.{a}");')
    for name in FUNCTIONS:
        lines.append(f'static_assert(Count<decltype(ours::Functions::{name})>::value == '
                     f'Count<decltype(&SherpaOnnx{name})>::value, "{name}");')
    return "\n".join(lines) + "\n"


def main(include, source, compiler="c++"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layout.cpp")
        with open(path, "w", encoding="ascii") as file:
            file.write(program())
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", "-I", include, "-I",
                               source, path], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
