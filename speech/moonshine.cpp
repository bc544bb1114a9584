#include "speech/moonshine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "speech/framing.hpp"
#include "speech/segmenter.hpp"

namespace gadget::speech {
namespace {

using Clock = std::chrono::steady_clock;

constexpr float kFullScale = 32768.0F;
// Partial text: not on less than this much new audio, and not where one decode would hold a worker
// for long (a piece of 8 s takes a third of a second on one old core).
constexpr std::size_t kPartialStep = samples_of_ms(500);
constexpr std::size_t kMaxPartial = samples_of_ms(8'000);
// Partial decodes take at most a quarter of a worker's time.
constexpr int kPartialShare = 4;

// An utterance this short in which the detector heard nobody is looked at again.
constexpr std::size_t kSecondLookMax = samples_of_ms(3'000);
constexpr std::size_t kSecondLookMin = samples_of_ms(100);
// ... unless it is quieter than this (-54 dB of full scale): then there is nothing but the
// microphone's noise.
constexpr float kSecondLookPeak = 0.002F;
constexpr float kSecondLookLevel = 0.5F;  // made as loud as this
constexpr std::size_t kSecondLookPad = samples_of_ms(500);
constexpr DetectorSettings kSecondLook{
    .threshold = 0.35F, .min_silence_seconds = 0.1F, .min_speech_seconds = 0.1F};
// Decoding again, framed otherwise, where the first gave nothing sensible: of pieces up to this.
constexpr std::size_t kSecondAttemptMax = samples_of_ms(4'000);
// Detectors of utterances that have ended wait here for the next one: making one takes longer than
// an utterance's frame.
constexpr std::size_t kSpareDetectors = 4;

class MoonshineEngine;

std::vector<float> to_floats(std::span<const std::int16_t> samples, float gain = 1.0F) {
  std::vector<float> out(samples.size());
  std::transform(samples.begin(), samples.end(), out.begin(),
                 [gain](std::int16_t s) { return static_cast<float>(s) * gain / kFullScale; });
  return out;
}

class MoonshineUtterance final : public Utterance {
 public:
  MoonshineUtterance(std::shared_ptr<MoonshineEngine> engine,
                     std::unique_ptr<SherpaDetector> detector)
      : engine_(std::move(engine)), detector_(std::move(detector)) {}
  ~MoonshineUtterance() override;
  MoonshineUtterance(const MoonshineUtterance&) = delete;
  MoonshineUtterance& operator=(const MoonshineUtterance&) = delete;

  std::optional<std::string> feed(std::span<const std::int16_t> samples, bool spare) override;
  Result<std::string> finish(const Cancelled& cancelled) override;

 private:
  std::string decode(const Piece& piece);
  std::optional<std::string> partial();
  Result<std::string> second_look();
  [[nodiscard]] std::string with(const std::string& last) const;

  std::shared_ptr<MoonshineEngine> engine_;
  std::unique_ptr<SherpaDetector> detector_;
  Segmenter segmenter_;
  std::vector<std::int16_t> audio_;  // bounded by kMaxUtterance, by who feeds us
  std::size_t looked_at_ = 0;        // by the detector
  std::string text_;                 // of the pieces that are complete
  bool heard_ = false;
  Piece ahead_;  // decoded before its end was known
  std::string ahead_text_;
  std::size_t partial_at_ = 0;
  Clock::time_point partial_not_before_{};
};

class MoonshineEngine final : public RecognizerEngine,
                              public std::enable_shared_from_this<MoonshineEngine> {
 public:
  explicit MoonshineEngine(MoonshineOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return options_.name; }

  Result<void> load() override {
    const std::lock_guard lock(mutex_);
    if (!tried_) {
      tried_ = true;
      loaded_ = load_once();
    }
    return loaded_;
  }

  Result<std::unique_ptr<Utterance>> open() override {
    auto detector = take_detector();
    if (!detector) return tl::unexpected<Failure>(std::move(detector.error()));
    return std::make_unique<MoonshineUtterance>(shared_from_this(), std::move(*detector));
  }

  Result<std::unique_ptr<SherpaDetector>> take_detector() {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        auto detector = std::move(spare_.back());
        spare_.pop_back();
        return detector;
      }
    }
    return SherpaDetector::create(library_, options_.detector, DetectorSettings{});
  }

  void give_back(std::unique_ptr<SherpaDetector> detector) {
    detector->reset();
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kSpareDetectors) spare_.push_back(std::move(detector));
  }

  Result<std::unique_ptr<SherpaDetector>> sensitive_detector() const {
    return SherpaDetector::create(library_, options_.detector, kSecondLook);
  }

  std::string decode(std::span<const std::int16_t> piece, bool has_lead) const {
    auto text = recognizer_->decode(frame_piece(piece, has_lead, Attempt::first));
    if (!looks_invented(text) || piece.size() > kSecondAttemptMax) return text;
    text = recognizer_->decode(frame_piece(piece, has_lead, Attempt::second));
    return looks_invented(text) ? std::string{} : text;
  }

 private:
  Result<void> load_once() {
    auto library = SherpaLibrary::load(options_.libraries);
    if (!library) return tl::unexpected<Failure>(std::move(library.error()));
    library_ = std::move(*library);
    auto detector = SherpaDetector::create(library_, options_.detector, DetectorSettings{});
    if (!detector) return tl::unexpected<Failure>(std::move(detector.error()));
    spare_.push_back(std::move(*detector));
    auto recognizer = SherpaRecognizer::create(library_, options_.model);
    if (!recognizer) return tl::unexpected<Failure>(std::move(recognizer.error()));
    recognizer_ = std::move(*recognizer);
    // The first decode is slow (memory is planned and touched); the first person should not pay for
    // it.
    const std::vector<float> second(kRecognizerRateHz, 0.0F);
    (void)recognizer_->decode(second);
    return {};
  }

  const MoonshineOptions options_;
  std::mutex mutex_;
  bool tried_ = false;
  Result<void> loaded_;
  std::shared_ptr<const SherpaLibrary> library_;
  std::unique_ptr<SherpaRecognizer> recognizer_;
  std::vector<std::unique_ptr<SherpaDetector>> spare_;
};

MoonshineUtterance::~MoonshineUtterance() { engine_->give_back(std::move(detector_)); }

std::string MoonshineUtterance::decode(const Piece& piece) {
  if (piece.same_speech(ahead_)) return ahead_text_;
  const auto samples = std::span(audio_).subspan(piece.begin, piece.end - piece.begin);
  return engine_->decode(samples, piece.begin > 0);
}

std::string MoonshineUtterance::with(const std::string& last) const {
  if (text_.empty()) return last;
  return last.empty() ? text_ : text_ + " " + last;
}

std::optional<std::string> MoonshineUtterance::feed(std::span<const std::int16_t> samples,
                                                    bool spare) {
  audio_.insert(audio_.end(), samples.begin(), samples.end());
  bool completed = false;
  while (looked_at_ + SherpaDetector::kWindow <= audio_.size()) {
    const auto window = to_floats(std::span(audio_).subspan(looked_at_, SherpaDetector::kWindow));
    looked_at_ += SherpaDetector::kWindow;
    float level = 0;
    for (const float sample : window) level += std::abs(sample);
    const bool speech = detector_->speech(window);
    heard_ = heard_ || speech;
    if (const auto piece = segmenter_.window(looked_at_, speech, level)) {
      text_ = with(decode(*piece));
      completed = true;
    }
  }
  if (completed) return text_;
  return spare ? partial() : std::nullopt;
}

std::optional<std::string> MoonshineUtterance::partial() {
  const auto piece = segmenter_.open(looked_at_);
  if (!piece) return std::nullopt;
  // At a pause the speech may be complete: what is decoded now need not be decoded at the end.
  const bool pause = !segmenter_.speaking() && !piece->same_speech(ahead_);
  const auto now = Clock::now();
  const bool due = looked_at_ >= partial_at_ + kPartialStep && now >= partial_not_before_ &&
                   piece->end - piece->begin <= kMaxPartial && segmenter_.speaking();
  if (!pause && !due) return std::nullopt;
  ahead_text_ = decode(*piece);
  ahead_ = *piece;
  partial_at_ = looked_at_;
  const auto after = Clock::now();
  partial_not_before_ = after + (after - now) * (kPartialShare - 1);
  return with(ahead_text_);
}

Result<std::string> MoonshineUtterance::finish(const Cancelled& cancelled) {
  if (cancelled.load(std::memory_order_relaxed)) return std::string{};
  if (!heard_) return second_look();
  if (const auto piece = segmenter_.finish(audio_.size())) text_ = with(decode(*piece));
  return text_;
}

Result<std::string> MoonshineUtterance::second_look() {
  if (audio_.size() < kSecondLookMin || audio_.size() > kSecondLookMax) return std::string{};
  float peak = 0;
  for (const auto s : audio_) peak = std::max(peak, std::abs(static_cast<float>(s)) / kFullScale);
  if (peak < kSecondLookPeak) return std::string{};
  const float gain = std::clamp(kSecondLookLevel / peak, 1.0F, kMostGain);
  auto louder = to_floats(audio_, gain);
  louder.insert(louder.begin(), kSecondLookPad, 0.0F);
  louder.insert(louder.end(), kSecondLookPad, 0.0F);
  auto detector = engine_->sensitive_detector();
  if (!detector) return tl::unexpected<Failure>(std::move(detector.error()));
  bool heard = false;
  for (std::size_t at = 0; at + SherpaDetector::kWindow <= louder.size() && !heard;
       at += SherpaDetector::kWindow) {
    heard = (*detector)->speech(std::span(louder).subspan(at, SherpaDetector::kWindow));
  }
  return heard ? engine_->decode(audio_, false) : std::string{};
}

}  // namespace

std::shared_ptr<RecognizerEngine> moonshine_engine(MoonshineOptions options) {
  return std::make_shared<MoonshineEngine>(std::move(options));
}

}  // namespace gadget::speech
