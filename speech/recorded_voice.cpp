#include "speech/recorded_voice.hpp"

#include <algorithm>

#include "speech/delivery.hpp"

namespace gadget::speech {
namespace {

// As engines give it, piece by piece: half a second each.
constexpr std::uint32_t kPiecesASecond = 2;

class Session final : public SynthesizerSession {
 public:
  explicit Session(std::shared_ptr<Delivery<SynthesizerEvents>> delivery)
      : delivery_(std::move(delivery)) {}
  ~Session() override { delivery_->cancel(); }

 private:
  std::shared_ptr<Delivery<SynthesizerEvents>> delivery_;
};

class RecordedVoice final : public Synthesizer {
 public:
  RecordedVoice(media::Recording recording, Executor executor)
      : recording_(std::make_shared<const media::Recording>(std::move(recording))),
        executor_(std::move(executor)) {}

  std::string_view name() const override { return "recorded"; }

  std::unique_ptr<SynthesizerSession> start(std::string, SynthesizerEvents events) override {
    auto delivery = std::make_shared<Delivery<SynthesizerEvents>>(executor_, std::move(events));
    give(delivery, recording_, 0);
    return std::make_unique<Session>(delivery);
  }

 private:
  // One piece, and the rest when the loop has done something else.
  static void give(const std::shared_ptr<Delivery<SynthesizerEvents>>& delivery,
                   std::shared_ptr<const media::Recording> recording, std::size_t at) {
    std::weak_ptr<Delivery<SynthesizerEvents>> weak = delivery;
    delivery->post([weak, recording = std::move(recording), at](SynthesizerEvents& events) {
      const auto& samples = recording->samples;
      if (at >= samples.size()) return events.done({});
      const auto self = weak.lock();
      const std::size_t size =
          std::min<std::size_t>(recording->rate_hz / kPiecesASecond, samples.size() - at);
      const auto* from = samples.data() + at;
      if (self) give(self, recording, at + size);
      events.audio({from, from + size}, recording->rate_hz);
    });
  }

  std::shared_ptr<const media::Recording> recording_;
  Executor executor_;
};

}  // namespace

std::unique_ptr<Synthesizer> recorded_voice(media::Recording recording, Executor executor) {
  return std::make_unique<RecordedVoice>(std::move(recording), std::move(executor));
}

}  // namespace gadget::speech
