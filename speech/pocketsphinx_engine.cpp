#include "speech/pocketsphinx_engine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <utility>

#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <sphinxbase/fsg_model.h>
#include <sphinxbase/jsgf.h>

#include "speech/embedded.hpp"
#include "speech/recognizer.hpp"

namespace gadget::speech {
namespace {

constexpr char kModelFolder[] = GADGET_POCKETSPHINX_MODEL;  // where Debian's pocketsphinx-en-us is
constexpr char kGrammar[] = "requests";
constexpr char kGeneral[] = "general";

// The decoder takes a hundredth of a second of sound at a time; half a second is where we look for
// a cancel.
constexpr std::size_t kSlice = kRecognizerRateHz / 2;
// Less sound than this is no word.
constexpr std::size_t kShortest = kRecognizerRateHz / 10;
// The decoder wants silence around speech, which holding a button cuts off.
constexpr std::size_t kPad = kRecognizerRateHz / 5;

// Scores per frame (the decoder's logarithm) say how well the sound fits. Measured with three
// voices: requests of the grammar -11 to -31 in the clean two, -24 to -47 in espeak-ng's; other
// sentences -38 to -57 in the grammar and, where the general model understood them, -26 to -44
// there.
constexpr int kSure = -36;    // the grammar's word is taken at once from here on
constexpr int kLikely = -45;  // from here on, when it fits better than the general model by
constexpr int kMargin = 6;
constexpr int kGeneralGate = -46;
// The general model takes any noise for one short word.
constexpr std::size_t kGeneralMinWords = 2;
// Speech rises and falls; a hum, a tone or a fan does not. dB between loud and soft frames of 20
// ms.
constexpr float kLeastDynamics = 8.0F;
constexpr std::size_t kEnergyFrame = kRecognizerRateHz / 50;

struct Hypothesis {
  std::string text;
  int score_per_frame = 0;
};

std::size_t words(const std::string& text) {
  return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
}

// How far apart loud and soft moments are, in dB; of the signal's slope, so that hum counts less.
float dynamics(std::span<const std::int16_t> samples) {
  std::vector<float> levels;
  for (std::size_t at = 0; at + kEnergyFrame <= samples.size(); at += kEnergyFrame) {
    double power = 1;  // never log 0
    for (std::size_t i = at + 1; i < at + kEnergyFrame; ++i) {
      const double slope = samples[i] - samples[i - 1];
      power += slope * slope;
    }
    levels.push_back(static_cast<float>(10 * std::log10(power)));
  }
  if (levels.empty()) return 0;
  std::sort(levels.begin(), levels.end());
  return levels[levels.size() * 19 / 20] - levels[levels.size() / 10];
}

class PocketSphinx final : public RecognizerEngine,
                           public std::enable_shared_from_this<PocketSphinx> {
 public:
  ~PocketSphinx() override {
    if (decoder_ != nullptr) ps_free(decoder_);
    if (config_ != nullptr) cmd_ln_free_r(config_);
  }
  explicit PocketSphinx(Vocabulary vocabulary) : vocabulary_(vocabulary) {}
  PocketSphinx(const PocketSphinx&) = delete;
  PocketSphinx& operator=(const PocketSphinx&) = delete;

  std::string_view name() const override { return "pocketsphinx"; }

  Result<void> load() override {
    const std::lock_guard lock(mutex_);
    if (decoder_ != nullptr) return {};
    err_set_logfp(nullptr);  // it would fill stderr; what matters comes back as values
    const std::filesystem::path folder = kModelFolder;
    std::error_code error;
    if (!std::filesystem::is_directory(folder / "en-us", error)) {
      return fail(FailureCode::unavailable, (folder / "en-us").string() + " is missing",
                  "apt install pocketsphinx-en-us");
    }
    const auto acoustic = (folder / "en-us").string();
    const auto dictionary = (folder / "cmudict-en-us.dict").string();
    const auto general = (folder / "en-us.lm.bin").string();
    config_ = cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", acoustic.c_str(), "-dict",
                          dictionary.c_str(), "-remove_silence", "no", "-cmn", "batch", nullptr);
    decoder_ = config_ != nullptr ? ps_init(config_) : nullptr;
    if (decoder_ == nullptr || !set_grammar() ||
        (vocabulary_ == Vocabulary::general &&
         ps_set_lm_file(decoder_, kGeneral, general.c_str()) != 0)) {
      if (decoder_ != nullptr) ps_free(decoder_);
      decoder_ = nullptr;
      return fail(FailureCode::corrupt, "the model in " + folder.string() + " cannot be loaded",
                  "apt install --reinstall pocketsphinx-en-us");
    }
    return {};
  }

  Result<std::unique_ptr<Utterance>> open() override;

  // REQUIRES: decoder_. By hand, for ps_set_jsgf_string() loses the parsed grammar.
  bool set_grammar() {
    const std::string text(embedded::requests_jsgf());
    jsgf_t* const grammar = jsgf_parse_string(text.c_str(), nullptr);
    if (grammar == nullptr) return false;
    bool set = false;
    if (jsgf_rule_t* const rule = jsgf_get_public_rule(grammar); rule != nullptr) {
      const double language_weight = cmd_ln_float_r(config_, "-lw");
      fsg_model_t* const fsg = jsgf_build_fsg(grammar, rule, ps_get_logmath(decoder_),
                                              static_cast<float>(language_weight));
      set = fsg != nullptr && ps_set_fsg(decoder_, kGrammar, fsg) == 0;
      if (fsg != nullptr) fsg_model_free(fsg);
    }
    jsgf_grammar_free(grammar);
    return set;
  }

  Result<std::string> recognize(std::span<const std::int16_t> samples, const Cancelled& cancelled) {
    const std::lock_guard lock(mutex_);
    const auto fits = search(kGrammar, samples, cancelled);
    if (fits && fits->score_per_frame >= kSure) return fits->text;
    if (vocabulary_ == Vocabulary::requests) return std::string{};
    const auto said = search(kGeneral, samples, cancelled);
    if (fits && fits->score_per_frame >= kLikely &&
        (!said || fits->score_per_frame >= said->score_per_frame + kMargin)) {
      return fits->text;
    }
    const bool good =
        said && said->score_per_frame >= kGeneralGate && words(said->text) >= kGeneralMinWords;
    return good ? said->text : std::string{};
  }

 private:
  // REQUIRES: mutex_ held. Nothing when cancelled or nothing fits.
  std::optional<Hypothesis> search(const char* which, std::span<const std::int16_t> samples,
                                   const Cancelled& cancelled) {
    if (ps_set_search(decoder_, which) != 0 || ps_start_utt(decoder_) != 0) return std::nullopt;
    bool gone = false;
    // The grammar sees the utterance as a whole, so that the sound is normalised by its own mean
    // and no result depends on who spoke before; the slow general search begins with that mean, and
    // stops when nobody waits any more.
    if (which == kGrammar) {
      ps_process_raw(decoder_, samples.data(), samples.size(), FALSE, TRUE);
      samples = {};
    }
    while (!samples.empty() && !gone) {
      const auto slice = samples.first(std::min(samples.size(), kSlice));
      ps_process_raw(decoder_, slice.data(), slice.size(), FALSE, FALSE);
      samples = samples.subspan(slice.size());
      gone = cancelled.load(std::memory_order_relaxed);
    }
    ps_end_utt(decoder_);
    std::int32_t score = 0;
    const char* const text = gone ? nullptr : ps_get_hyp(decoder_, &score);
    if (text == nullptr || *text == '\0') return std::nullopt;
    const int frames = std::max(1, ps_get_n_frames(decoder_));
    return Hypothesis{text, score / frames};
  }

  const Vocabulary vocabulary_;
  std::mutex mutex_;
  cmd_ln_t* config_ = nullptr;
  ps_decoder_t* decoder_ = nullptr;
};

class PocketSphinxUtterance final : public Utterance {
 public:
  explicit PocketSphinxUtterance(std::shared_ptr<PocketSphinx> engine)
      : engine_(std::move(engine)), audio_(kPad) {}
  std::optional<std::string> feed(std::span<const std::int16_t> samples, bool /*spare*/) override {
    audio_.insert(audio_.end(), samples.begin(), samples.end());
    return std::nullopt;
  }
  Result<std::string> finish(const Cancelled& cancelled) override {
    const auto said = std::span(audio_).subspan(kPad);
    if (said.size() < kShortest || dynamics(said) < kLeastDynamics) return std::string{};
    audio_.insert(audio_.end(), kPad, 0);
    return engine_->recognize(audio_, cancelled);
  }

 private:
  const std::shared_ptr<PocketSphinx> engine_;
  std::vector<std::int16_t> audio_;  // bounded by kMaxUtterance, by who feeds us
};

Result<std::unique_ptr<Utterance>> PocketSphinx::open() {
  return std::make_unique<PocketSphinxUtterance>(shared_from_this());
}

}  // namespace

std::shared_ptr<RecognizerEngine> pocketsphinx_engine(Vocabulary vocabulary) {
  return std::make_shared<PocketSphinx>(vocabulary);
}

}  // namespace gadget::speech
