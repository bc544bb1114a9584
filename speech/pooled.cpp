#include "speech/pooled.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gadget::speech {
namespace {

constexpr std::size_t kMaxUtteranceSamples =
    static_cast<std::size_t>(kMaxUtterance.count()) * kRecognizerRateHz;

using RecognizerDelivery = Delivery<RecognizerEvents>;

// One utterance on its way through the pool. Shared by the session and by the job that works on it.
class Listening : public std::enable_shared_from_this<Listening> {
 public:
  Listening(std::shared_ptr<RecognizerEngine> engine, std::unique_ptr<Lane> lane,
            RecognizerEvents events)
      : engine_(std::move(engine)),
        lane_(std::move(lane)),
        delivery_(std::make_shared<RecognizerDelivery>(lane_->executor(), std::move(events))) {}

  void push(std::span<const std::int16_t> samples) {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    const std::size_t room = kMaxUtteranceSamples - taken_;
    samples = samples.first(std::min(samples.size(), room));
    taken_ += samples.size();
    incoming_.insert(incoming_.end(), samples.begin(), samples.end());
    if (incoming_.size() >= kFeedSamples) schedule();
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    schedule();
  }

  void cancel() {
    delivery_->cancel();
    lane_->close();
  }

 private:
  // REQUIRES: mutex_ held.
  void schedule() {
    if (scheduled_) return;
    scheduled_ = lane_->post([self = shared_from_this()] { self->work(); });
  }

  void work() {
    std::vector<std::int16_t> samples;
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      samples.swap(incoming_);
      last = finished_;
    }
    if (!delivery_->cancelled().load(std::memory_order_relaxed)) step(samples, last);
    const std::lock_guard lock(mutex_);
    scheduled_ = false;
    if (!last && (finished_ || incoming_.size() >= kFeedSamples)) schedule();
  }

  void step(std::span<const std::int16_t> samples, bool last) {
    if (utterance_ == nullptr && !failure_) open();
    if (utterance_ != nullptr) {
      const bool spare = !last && lane_->capacity_to_spare();
      auto partial = utterance_->feed(samples, spare);
      if (partial && !last) {
        delivery_->post([text = std::move(*partial)](RecognizerEvents& events) mutable {
          if (events.partial) events.partial(std::move(text));
        });
      }
    }
    if (!last) return;
    // An engine that does not work is reported now: `done` comes after finish(), never before.
    Result<std::string> text = failure_ ? tl::unexpected<Failure>(std::move(*failure_))
                                        : utterance_->finish(delivery_->cancelled());
    utterance_.reset();
    delivery_->post([text = std::move(text)](RecognizerEvents& events) mutable {
      if (events.done) events.done(std::move(text));
    });
  }

  void open() {
    auto opened = engine_->load().and_then([this] { return engine_->open(); });
    if (opened) {
      utterance_ = std::move(*opened);
    } else {
      failure_ = std::move(opened.error());
    }
  }

  const std::shared_ptr<RecognizerEngine> engine_;
  const std::unique_ptr<Lane> lane_;
  const std::shared_ptr<RecognizerDelivery> delivery_;

  std::mutex mutex_;
  std::vector<std::int16_t> incoming_;  // at most kMaxUtteranceSamples over the whole utterance
  std::size_t taken_ = 0;
  bool finished_ = false;
  bool scheduled_ = false;

  // The worker's side: one job of the lane at a time.
  std::unique_ptr<Utterance> utterance_;
  std::optional<Failure> failure_;
};

class ListeningSession final : public RecognizerSession {
 public:
  explicit ListeningSession(std::shared_ptr<Listening> listening)
      : listening_(std::move(listening)) {}
  ~ListeningSession() override { listening_->cancel(); }
  ListeningSession(const ListeningSession&) = delete;
  ListeningSession& operator=(const ListeningSession&) = delete;
  void push(std::span<const std::int16_t> samples) override { listening_->push(samples); }
  void finish() override { listening_->finish(); }

 private:
  const std::shared_ptr<Listening> listening_;
};

class PooledRecognizer final : public Recognizer {
 public:
  PooledRecognizer(std::shared_ptr<RecognizerEngine> engine, std::shared_ptr<Workers> workers)
      : engine_(std::move(engine)), workers_(std::move(workers)) {}
  std::string_view name() const override { return engine_->name(); }
  std::unique_ptr<RecognizerSession> start(RecognizerEvents events) override {
    return std::make_unique<ListeningSession>(
        std::make_shared<Listening>(engine_, workers_->open_lane(), std::move(events)));
  }

 private:
  const std::shared_ptr<RecognizerEngine> engine_;
  const std::shared_ptr<Workers> workers_;
};

class SpeakingSession final : public SynthesizerSession {
 public:
  SpeakingSession(std::unique_ptr<Lane> lane, std::shared_ptr<SynthesizerDelivery> delivery)
      : lane_(std::move(lane)), delivery_(std::move(delivery)) {}
  ~SpeakingSession() override {
    delivery_->cancel();
    lane_->close();
  }
  SpeakingSession(const SpeakingSession&) = delete;
  SpeakingSession& operator=(const SpeakingSession&) = delete;

 private:
  const std::unique_ptr<Lane> lane_;
  const std::shared_ptr<SynthesizerDelivery> delivery_;
};

class PooledSynthesizer final : public Synthesizer {
 public:
  PooledSynthesizer(std::shared_ptr<VoiceEngine> engine, std::shared_ptr<Workers> workers)
      : engine_(std::move(engine)), workers_(std::move(workers)) {}
  std::string_view name() const override { return engine_->name(); }
  std::unique_ptr<SynthesizerSession> start(std::string text, SynthesizerEvents events) override {
    auto delivery = std::make_shared<SynthesizerDelivery>(workers_->executor(), std::move(events));
    auto lane = workers_->open_lane();
    lane->post(
        [engine = engine_, text = std::move(text), delivery] { speak(*engine, text, delivery); });
    return std::make_unique<SpeakingSession>(std::move(lane), std::move(delivery));
  }

 private:
  const std::shared_ptr<VoiceEngine> engine_;
  const std::shared_ptr<Workers> workers_;
};

}  // namespace

Result<void> too_long() {
  return fail(FailureCode::invalid_argument, "the text is too long to be spoken in one piece",
              "send it sentence by sentence");
}

void speak(VoiceEngine& engine, const std::string& text,
           const std::shared_ptr<SynthesizerDelivery>& delivery) {
  if (delivery->cancelled().load(std::memory_order_relaxed)) return;
  const auto sink = [&delivery](std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
    delivery->post([samples = std::move(samples), rate_hz](SynthesizerEvents& events) mutable {
      if (events.audio) events.audio(std::move(samples), rate_hz);
    });
  };
  auto spoken = text.size() > kMaxSpokenBytes ? too_long() : engine.load().and_then([&] {
    return engine.speak(text, sink, delivery->cancelled());
  });
  delivery->post([spoken = std::move(spoken)](SynthesizerEvents& events) mutable {
    if (events.done) events.done(std::move(spoken));
  });
}

std::unique_ptr<Recognizer> pooled_recognizer(std::shared_ptr<RecognizerEngine> engine,
                                              std::shared_ptr<Workers> workers) {
  return std::make_unique<PooledRecognizer>(std::move(engine), std::move(workers));
}

std::unique_ptr<Synthesizer> pooled_synthesizer(std::shared_ptr<VoiceEngine> engine,
                                                std::shared_ptr<Workers> workers) {
  return std::make_unique<PooledSynthesizer>(std::move(engine), std::move(workers));
}

}  // namespace gadget::speech
