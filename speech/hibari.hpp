// hibari.hpp - the natural voice: a worker process (voice/worker.py) that we start, watch and talk
// to over Wyoming.
//
// One thread of its own owns the process and its socket. Sentences are spoken one at a time, first
// come first served (each takes 15 to 40 ms); a cancelled one closes its connection, and the worker
// stops at the next sentence.
//
//   - The worker's death is noticed at once; it is started again after 1, 2, 4 ... 30 s. A worker
//   that says nothing for
//     `kSilence` while it should is killed and counts as dead.
//   - A sentence of which nothing was heard when the worker fails is spoken by the fallback voice;
//   one that was heard in
//     part ends with a Failure. So is one that waited `kPatience` for a worker that is still
//     starting.
//   - When we end, however, so does the worker: it holds our pipe, and the kernel kills it with our
//   thread.
//   - It may open no sockets but Unix ones (seccomp).
//
// 24 kHz, raised by 7 dB (loudness.hpp). Must be destroyed before what the pool's executor posts
// to.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "speech/engine.hpp"
#include "speech/synthesizer.hpp"
#include "speech/workers.hpp"

namespace gadget::speech {

// One line for the hub's log, from any thread.
using Log = std::function<void(const std::string& line)>;

inline constexpr auto kFirstBackoff = std::chrono::seconds{1};
inline constexpr auto kLongestBackoff = std::chrono::seconds{30};
// Having worked for so long, a worker that dies is started again as if it were the first time.
inline constexpr auto kBackoffForgotten = std::chrono::seconds{60};
// The model loads in a second; a slow card on a slow machine takes several.
inline constexpr auto kStartTimeout = std::chrono::seconds{30};
inline constexpr auto kPatience = std::chrono::seconds{3};
inline constexpr auto kSilence = std::chrono::seconds{5};
inline constexpr auto kHealthCheck = std::chrono::seconds{30};
// Sentences that wait for the worker. Beyond: the fallback voice.
inline constexpr std::size_t kMaxWaiting = 64;

struct HibariOptions {
  std::string python;                     // the interpreter that the packages were made for
  std::filesystem::path packages;         // folder of hibari, wyoming, numpy, onnxruntime
  std::string worker;                     // the text of voice/worker.py
  std::shared_ptr<VoiceEngine> fallback;  // may be null: then failures are failures
  Log log;                                // may be empty
};

class HibariSynthesizer : public Synthesizer {
 public:
  // The process that speaks now, 0 when there is none. For tests and `speech check`.
  [[nodiscard]] virtual int worker_pid() const = 0;
};

[[nodiscard]] std::unique_ptr<HibariSynthesizer> hibari_synthesizer(
    HibariOptions options, std::shared_ptr<Workers> workers);

}  // namespace gadget::speech
