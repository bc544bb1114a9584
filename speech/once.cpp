#include "speech/once.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace gadget::speech {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFrame{40};
constexpr std::size_t kFrameSamples = kRecognizerRateHz * 40 / 1000;

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

}  // namespace

struct PlainLoop::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job> jobs;
  bool ended = false;
};

PlainLoop::PlainLoop() : state_(std::make_shared<State>()) {}

PlainLoop::~PlainLoop() {
  std::deque<Job> dropped;
  const std::lock_guard lock(state_->mutex);
  state_->ended = true;
  dropped.swap(state_->jobs);
}

Executor PlainLoop::executor() const {
  return [state = state_](Job job) {
    const std::lock_guard lock(state->mutex);
    if (state->ended) return;
    state->jobs.push_back(std::move(job));
    state->wake.notify_one();
  };
}

bool PlainLoop::run_until(const std::function<bool()>& done, std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (!done()) {
    Job job;
    {
      std::unique_lock lock(state_->mutex);
      if (!state_->wake.wait_until(lock, deadline, [this] { return !state_->jobs.empty(); })) {
        return false;
      }
      job = std::move(state_->jobs.front());
      state_->jobs.pop_front();
    }
    job();
  }
  return true;
}

Result<Spoken> speak_once(PlainLoop& loop, Synthesizer& voice, const std::string& text,
                          std::chrono::milliseconds time) {
  Spoken spoken;
  std::optional<Result<void>> done;
  const auto start = Clock::now();
  const auto session = voice.start(
      text, {.audio =
                 [&](std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
                   if (spoken.samples.empty()) spoken.first_audio = since(start);
                   spoken.rate_hz = rate_hz;
                   spoken.samples.insert(spoken.samples.end(), samples.begin(), samples.end());
                 },
             .done = [&](Result<void> result) { done = std::move(result); }});
  if (!loop.run_until([&] { return done.has_value(); }, time)) {
    return fail(FailureCode::timeout, "the voice " + std::string(voice.name()) + " did not answer");
  }
  spoken.total = since(start);
  if (!*done) return tl::unexpected<Failure>(std::move(done->error()));
  return spoken;
}

Result<Heard> recognize_once(PlainLoop& loop, Recognizer& recognizer,
                             std::span<const std::int16_t> samples, Pace pace,
                             std::chrono::milliseconds time) {
  Heard heard;
  std::optional<Result<std::string>> done;
  const auto session = recognizer.start(
      {.partial = [&](std::string text) { heard.partials.push_back(std::move(text)); },
       .done = [&](Result<std::string> text) { done = std::move(text); }});
  auto next = Clock::now();
  while (!samples.empty()) {
    const auto frame = samples.first(std::min(samples.size(), kFrameSamples));
    session->push(frame);
    samples = samples.subspan(frame.size());
    if (pace == Pace::real_time) {
      next += kFrame;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
      loop.run_until([] { return false; }, std::max(left, std::chrono::milliseconds{0}));
    }
  }
  const auto finished = Clock::now();
  session->finish();
  if (!loop.run_until([&] { return done.has_value(); }, time)) {
    return fail(FailureCode::timeout,
                "the recognizer " + std::string(recognizer.name()) + " did not answer");
  }
  heard.after_finish = since(finished);
  if (!*done) return tl::unexpected<Failure>(std::move(done->error()));
  heard.text = std::move(**done);
  return heard;
}

}  // namespace gadget::speech
