#include "speech/flite_voice.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

extern "C" {
#include <flite/flite.h>
// The voice's own header is not packaged; this is its documented entry.
cst_voice* register_cmu_us_slt(const char* folder);
}

namespace gadget::speech {
namespace {

// Audio is handed on in pieces of a quarter second, so that cancelling is quick and no event is
// large.
constexpr std::size_t kPieceSamples = 4'000;

class FliteVoice final : public VoiceEngine {
 public:
  std::string_view name() const override { return "flite"; }

  Result<void> load() override {
    const std::lock_guard lock(mutex());
    return load_locked();
  }

  Result<void> speak(const std::string& text, const Sink& sink,
                     const Cancelled& cancelled) override {
    std::vector<std::int16_t> samples;
    std::uint32_t rate_hz = 0;
    {
      const std::lock_guard lock(mutex());
      if (auto loaded = load_locked(); !loaded) return loaded;
      if (cancelled.load(std::memory_order_relaxed)) return {};
      cst_wave* const wave = flite_text_to_wave(text.c_str(), voice());
      if (wave == nullptr) {
        return fail(FailureCode::unavailable, "the voice flite could not speak the text");
      }
      samples.assign(wave->samples, wave->samples + wave->num_samples);
      rate_hz = static_cast<std::uint32_t>(wave->sample_rate);
      delete_wave(wave);
    }
    for (std::size_t at = 0; at < samples.size(); at += kPieceSamples) {
      if (cancelled.load(std::memory_order_relaxed)) return {};
      const auto end = std::min(samples.size(), at + kPieceSamples);
      sink({samples.begin() + static_cast<std::ptrdiff_t>(at),
            samples.begin() + static_cast<std::ptrdiff_t>(end)},
           rate_hz);
    }
    return {};
  }

 private:
  // One for the process: Flite's registry of voices is global.
  static std::mutex& mutex() {
    static std::mutex it;
    return it;
  }
  static cst_voice*& voice() {
    static cst_voice* it = nullptr;
    return it;
  }
  static Result<void> load_locked() {
    if (voice() == nullptr) {
      flite_init();
      voice() = register_cmu_us_slt(nullptr);
    }
    if (voice() != nullptr) return {};
    return fail(FailureCode::unavailable, "the voice flite cannot be loaded");
  }
};

}  // namespace

std::shared_ptr<VoiceEngine> flite_voice() { return std::make_shared<FliteVoice>(); }

}  // namespace gadget::speech
