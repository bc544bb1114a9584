#include "speech/second_opinion.hpp"

#include <atomic>
#include <utility>

namespace gadget::speech {
namespace {

class TwoEars final : public Utterance {
 public:
  TwoEars(std::unique_ptr<Utterance> first, std::unique_ptr<Utterance> second,
          Understood understood)
      : first_(std::move(first)), second_(std::move(second)), understood_(std::move(understood)) {}

  std::optional<std::string> feed(std::span<const std::int16_t> samples, bool spare) override {
    if (second_) second_->feed(samples, false);
    return first_->feed(samples, spare);
  }

  Result<std::string> finish(const Cancelled& cancelled) override {
    auto text = first_->finish(cancelled);
    // Silence stays silence: a grammar hears its own words in anything.
    if (!second_ || !text || text->empty() || understood_(*text)) return text;
    auto other = second_->finish(cancelled);
    if (other && !other->empty() && understood_(*other)) return other;
    return text;
  }

 private:
  std::unique_ptr<Utterance> first_, second_;
  Understood understood_;
};

class SecondOpinion final : public RecognizerEngine {
 public:
  SecondOpinion(std::shared_ptr<RecognizerEngine> first, std::shared_ptr<RecognizerEngine> second,
                Understood understood)
      : first_(std::move(first)), second_(std::move(second)), understood_(std::move(understood)) {}

  std::string_view name() const override { return first_->name(); }

  Result<void> load() override {
    auto loaded = first_->load();
    has_second_.store(second_->load().has_value());
    return loaded;
  }

  Result<std::unique_ptr<Utterance>> open() override {
    auto first = first_->open();
    if (!first || !has_second_.load()) return first;
    auto second = second_->open();
    return std::make_unique<TwoEars>(std::move(*first), second ? std::move(*second) : nullptr,
                                     understood_);
  }

 private:
  const std::shared_ptr<RecognizerEngine> first_, second_;
  const Understood understood_;
  std::atomic<bool> has_second_{false};
};

}  // namespace

std::shared_ptr<RecognizerEngine> with_second_opinion(std::shared_ptr<RecognizerEngine> first,
                                                      std::shared_ptr<RecognizerEngine> second,
                                                      Understood understood) {
  return std::make_shared<SecondOpinion>(std::move(first), std::move(second),
                                         std::move(understood));
}

}  // namespace gadget::speech
