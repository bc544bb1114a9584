#include "speech/pooled.hpp"

#include <cstdlib>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "speech/flite_voice.hpp"
#include "speech/once.hpp"
#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

using namespace std::chrono_literals;

// An engine whose answers say what it was given, and which takes a little time, as real ones do.
class CountingEngine final : public RecognizerEngine {
 public:
  std::string_view name() const override { return "counting"; }
  Result<void> load() override { return loads_; }
  Result<std::unique_ptr<Utterance>> open() override;
  Result<void> loads_;
};

class CountingUtterance final : public Utterance {
 public:
  std::optional<std::string> feed(std::span<const std::int16_t> samples, bool spare) override {
    std::this_thread::sleep_for(100us);
    samples_ += samples.size();
    if (!spare) return std::nullopt;
    return std::to_string(samples_);
  }
  Result<std::string> finish(const Cancelled&) override { return std::to_string(samples_); }

 private:
  std::size_t samples_ = 0;
};

Result<std::unique_ptr<Utterance>> CountingEngine::open() {
  return std::make_unique<CountingUtterance>();
}

struct House {
  PlainLoop loop;
  std::shared_ptr<Workers> workers =
      std::make_shared<Workers>(Workers::Options{2, loop.executor()});
  std::shared_ptr<CountingEngine> engine = std::make_shared<CountingEngine>();
  std::unique_ptr<Recognizer> recognizer = pooled_recognizer(engine, workers);
};

TEST(PooledRecognizer, EverySampleArrivesAndDoneComesOnce) {
  House house;
  int done = 0;
  std::string text;
  auto session = house.recognizer->start({.partial = {}, .done = [&](Result<std::string> result) {
                                            ++done;
                                            text = *result;
                                          }});
  const std::vector<std::int16_t> frame(641);  // an odd length: nothing may depend on it
  for (int i = 0; i < 100; ++i) session->push(frame);
  session->finish();
  session->finish();
  session->push(frame);  // ignored: the utterance is over
  ASSERT_TRUE(house.loop.run_until([&] { return done > 0; }, 10s));
  house.loop.run_until([] { return false; }, 50ms);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(text, "64100");
}

TEST(PooledRecognizer, PartialTextComesOnlyWhileThePersonSpeaks) {
  House house;
  bool done = false;
  int late = 0;
  int partials = 0;
  auto session =
      house.recognizer->start({.partial = [&](const std::string&) { done ? ++late : ++partials; },
                               .done = [&](const Result<std::string>&) { done = true; }});
  for (int i = 0; i < 20; ++i) {
    session->push(std::vector<std::int16_t>(kFeedSamples));
    house.loop.run_until([] { return false; }, 3ms);
  }
  session->finish();
  ASSERT_TRUE(house.loop.run_until([&] { return done; }, 10s));
  house.loop.run_until([] { return false; }, 20ms);
  EXPECT_GT(partials, 0);
  EXPECT_EQ(late, 0);
}

TEST(PooledRecognizer, AnEngineThatDoesNotLoadSaysSoAfterFinish) {
  House house;
  house.engine->loads_ = fail(FailureCode::unavailable, "no model");
  std::optional<Result<std::string>> done;
  auto session = house.recognizer->start(
      {.partial = {}, .done = [&](Result<std::string> result) { done = std::move(result); }});
  session->push(std::vector<std::int16_t>(kRecognizerRateHz));
  house.loop.run_until([] { return false; }, 50ms);
  EXPECT_FALSE(done) << "done came before finish()";
  session->finish();
  ASSERT_TRUE(house.loop.run_until([&] { return done.has_value(); }, 10s));
  EXPECT_EQ(done->error().text, "no model");
}

TEST(PooledRecognizer, AnUtteranceIsBounded) {
  House house;
  std::string text;
  auto session = house.recognizer->start(
      {.partial = {}, .done = [&](Result<std::string> result) { text = *result; }});
  const std::vector<std::int16_t> minute(60 * kRecognizerRateHz);
  for (int i = 0; i < 5; ++i) session->push(minute);
  session->finish();
  ASSERT_TRUE(house.loop.run_until([&] { return !text.empty(); }, 10s));
  EXPECT_EQ(text, std::to_string(kMaxUtterance.count() * kRecognizerRateHz));
}

TEST(PooledRecognizer, ASessionMayBeDestroyedInItsOwnEvent) {
  House house;
  std::unique_ptr<RecognizerSession> session;
  bool done = false;
  session = house.recognizer->start({.partial = {}, .done = [&](const Result<std::string>&) {
                                       session.reset();
                                       done = true;
                                     }});
  session->finish();
  EXPECT_TRUE(house.loop.run_until([&] { return done; }, 10s));
}

// E21, B-39: whenever a session is destroyed, no event of it comes afterwards, however much was in
// flight.
TEST(PooledProperty, B39_ACancelledSessionDeliversNothing) {
  House house;
  auto flite = pooled_synthesizer(flite_voice(), house.workers);
  const char* const seed = std::getenv("GADGET_SEED");
  std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 39U);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  std::size_t delivered = 0;
  for (int round = 0; round < 300; ++round) {
    auto alive = std::make_shared<bool>(true);
    const auto event = [alive, &delivered] {
      EXPECT_TRUE(*alive) << "an event of a cancelled session";
      ++delivered;
    };
    std::unique_ptr<RecognizerSession> listening;
    std::unique_ptr<SynthesizerSession> speaking;
    if (round % 10 == 0) {
      speaking = flite->start("Yes.", {.audio = [event](auto, auto) { event(); },
                                       .done = [event](const Result<void>&) { event(); }});
    } else {
      listening =
          house.recognizer->start({.partial = [event](const std::string&) { event(); },
                                   .done = [event](const Result<std::string>&) { event(); }});
      for (int i = below(8); i > 0; --i) {
        listening->push(std::vector<std::int16_t>(static_cast<std::size_t>(below(4000))));
        if (below(3) == 0) house.loop.run_until([] { return false; }, 1ms);
      }
      if (below(2) == 0) listening->finish();
    }
    const auto pause = std::chrono::microseconds{below(1500)};
    std::this_thread::sleep_for(pause);  // events pile up in the loop's queue
    if (below(2) == 0) house.loop.run_until([] { return false; }, 1ms);
    *alive = false;
    listening.reset();
    speaking.reset();
    house.loop.run_until([] { return false; }, 1ms);
  }
  house.loop.run_until([] { return false; }, 50ms);
  EXPECT_GT(delivered, 50U) << "the test cancels before anything can happen";
}

TEST(PooledSynthesizer, FliteSpeaks) {
  House house;
  auto flite = pooled_synthesizer(flite_voice(), house.workers);
  const auto spoken = speak_once(house.loop, *flite, "Set a timer for nine minutes.");
  ASSERT_TRUE(spoken) << to_line(spoken.error());
  EXPECT_EQ(spoken->rate_hz, 16'000U);
  const auto seconds = static_cast<double>(spoken->samples.size()) / spoken->rate_hz;
  EXPECT_GT(seconds, 1.2);
  EXPECT_LT(seconds, 4.0);
  EXPECT_GT(*std::max_element(spoken->samples.begin(), spoken->samples.end()), 3'000);
}

TEST(PooledSynthesizer, TextWithoutWordsIsSpokenAsNothing) {
  House house;
  auto flite = pooled_synthesizer(flite_voice(), house.workers);
  for (const auto* text : {"", " ", "...", "\n"}) {
    const auto spoken = speak_once(house.loop, *flite, text);
    ASSERT_TRUE(spoken) << "\"" << text << "\": " << to_line(spoken.error());
    EXPECT_LT(spoken->samples.size(), 16'000U);
  }
}

TEST(PooledSynthesizer, TextIsBounded) {
  House house;
  auto flite = pooled_synthesizer(flite_voice(), house.workers);
  const auto spoken = speak_once(house.loop, *flite, std::string(kMaxSpokenBytes + 1, 'a'));
  ASSERT_FALSE(spoken);
  EXPECT_EQ(spoken.error().code, FailureCode::invalid_argument);
}

}  // namespace
}  // namespace gadget::speech
