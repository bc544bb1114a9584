#include "speech/hibari.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "speech/loudness.hpp"
#include "speech/pooled.hpp"
#include "speech/worker_process.hpp"
#include "speech/wyoming.hpp"

namespace gadget::speech {
namespace {

using Clock = std::chrono::steady_clock;

// A worker that complains at length is cut short in the log.
constexpr std::size_t kMaxLogLine = 300;

struct Sentence {
  std::string text;
  std::shared_ptr<SynthesizerDelivery> delivery;
  std::shared_ptr<Lane> lane;  // for the fallback voice
  Clock::time_point asked;
  bool heard = false;  // some of it was delivered

  [[nodiscard]] bool cancelled() const {
    return delivery->cancelled().load(std::memory_order_relaxed);
  }
};

// One connection to the worker and what it is for.
struct Exchange {
  enum class Kind { hello, health, sentence };
  Kind kind;
  Descriptor connection;
  std::string out;  // not written yet
  WyomingReader in{};
  Clock::time_point deadline;
  std::shared_ptr<Sentence> sentence;
};

// The thread that owns the worker. Everything below `run` is that thread's, the queue apart.
class VoiceThread {
 public:
  VoiceThread(HibariOptions options, std::shared_ptr<Workers> workers)
      : options_(std::move(options)),
        workers_(std::move(workers)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { run(); }) {}

  ~VoiceThread() {
    ending_.store(true);
    wake();
    thread_.join();
  }
  VoiceThread(const VoiceThread&) = delete;
  VoiceThread& operator=(const VoiceThread&) = delete;

  std::shared_ptr<Sentence> say(std::string text, SynthesizerEvents events) {
    auto sentence = std::make_shared<Sentence>();
    sentence->text = std::move(text);
    sentence->delivery =
        std::make_shared<SynthesizerDelivery>(workers_->executor(), std::move(events));
    sentence->lane = workers_->open_lane();
    sentence->asked = Clock::now();
    if (sentence->text.size() > kMaxSpokenBytes) {
      sentence->delivery->post([](SynthesizerEvents& to) {
        if (to.done) to.done(too_long());
      });
      return sentence;
    }
    bool full = false;
    {
      const std::lock_guard lock(mutex_);
      full = waiting_.size() >= kMaxWaiting;
      if (!full) waiting_.push_back(sentence);
    }
    if (full) {
      give_up(*sentence, "too many sentences wait");
    } else {
      wake();
    }
    return sentence;
  }

  void wake() const {
    const std::uint64_t one = 1;
    (void)!write(wake_.get(), &one, sizeof one);
  }

  int pid() const { return pid_.load(); }

 private:
  enum class Phase { backoff, starting, ready };

  void run() {
    while (!ending_.load()) {
      const auto now = Clock::now();
      drop_cancelled();
      if (phase_ == Phase::backoff && now >= start_at_) start();
      if (phase_ != Phase::ready) send_to_fallback(now);
      if (phase_ == Phase::ready && !exchange_) next_exchange(now);
      if (exchange_ && now >= exchange_->deadline) {
        worker_failed("it did not answer in time", false);
        continue;
      }
      wait();
    }
    worker_.end();
    pid_.store(0);
  }

  // Until something happens: a wake-up, bytes, or the next deadline.
  void wait() {
    std::array<pollfd, 3> fds{{{wake_.get(), POLLIN, 0},
                               {phase_ != Phase::backoff ? worker_.output() : -1, POLLIN, 0},
                               {-1, 0, 0}}};
    if (exchange_) {
      const short events = exchange_->out.empty() ? POLLIN : POLLIN | POLLOUT;
      fds[2] = {exchange_->connection.get(), events, 0};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_deadline() - Clock::now());
    const auto timeout = std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000);
    if (poll(fds.data(), fds.size(), static_cast<int>(timeout)) <= 0) return;
    if (fds[0].revents != 0) {
      std::uint64_t count = 0;
      (void)!read(wake_.get(), &count, sizeof count);
    }
    if (fds[2].revents != 0) on_connection();
    if (fds[1].revents != 0 && phase_ != Phase::backoff) on_output();
  }

  Clock::time_point next_deadline() {
    auto next = Clock::time_point::max();
    if (phase_ == Phase::backoff) next = start_at_;
    if (exchange_) next = std::min(next, exchange_->deadline);
    if (phase_ == Phase::ready && !exchange_) next = last_good_ + kHealthCheck;
    if (phase_ == Phase::starting) {
      const std::lock_guard lock(mutex_);
      for (const auto& sentence : waiting_) next = std::min(next, sentence->asked + kPatience);
    }
    return std::min(next, Clock::now() + std::chrono::seconds{60});
  }

  void start() {
    phase_ = Phase::starting;
    started_at_ = Clock::now();
    auto worker = WorkerProcess::start(options_.python, options_.packages, options_.worker);
    if (!worker) return worker_failed(worker.error().text, false);
    worker_ = std::move(*worker);
    pid_.store(static_cast<int>(worker_.pid()));
    // It answers as soon as its model is loaded.
    open_exchange(Exchange::Kind::hello, encode_wyoming("describe"), kStartTimeout, nullptr);
  }

  void open_exchange(Exchange::Kind kind, std::string out, std::chrono::seconds time,
                     std::shared_ptr<Sentence> sentence) {
    auto connection = worker_.connect();
    exchange_.emplace(Exchange{.kind = kind,
                               .connection = connection ? std::move(*connection) : Descriptor{},
                               .out = std::move(out),
                               .deadline = Clock::now() + time,
                               .sentence = std::move(sentence)});
    if (!connection) return worker_failed(connection.error().text, true);
    flush();
  }

  void next_exchange(Clock::time_point now) {
    std::shared_ptr<Sentence> sentence;
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty()) {
        sentence = std::move(waiting_.front());
        waiting_.pop_front();
      }
    }
    if (sentence != nullptr) {
      auto request = encode_wyoming("synthesize", wyoming_text(sentence->text));
      open_exchange(Exchange::Kind::sentence, std::move(request), kSilence, std::move(sentence));
    } else if (now >= last_good_ + kHealthCheck) {
      open_exchange(Exchange::Kind::health, encode_wyoming("ping"), kSilence, nullptr);
    }
  }

  void flush() {
    auto& out = exchange_->out;
    while (!out.empty()) {
      const auto sent = send(exchange_->connection.get(), out.data(), out.size(), MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        return worker_failed("it closed its connection", true);
      }
      out.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void on_connection() {
    flush();
    if (!exchange_) return;
    std::array<char, 32 * 1024> bytes;
    const auto got = recv(exchange_->connection.get(), bytes.data(), bytes.size(), 0);
    if (got < 0) {
      if (errno != EAGAIN && errno != EINTR) worker_failed("its connection broke", true);
      return;
    }
    if (got == 0) return worker_failed("it closed its connection", true);
    exchange_->in.push({bytes.data(), static_cast<std::size_t>(got)});
    while (exchange_) {
      auto event = exchange_->in.next();
      if (!event) return worker_failed(event.error().text, false);
      if (!*event) return;
      on_event(**event);
    }
  }

  void on_event(WyomingEvent& event) {
    if (exchange_->kind != Exchange::Kind::sentence) {
      if (event.type != "info" && event.type != "pong") return;
      if (exchange_->kind == Exchange::Kind::hello) log("voice=hibari event=ready");
      phase_ = Phase::ready;
      return finished_exchange();
    }
    auto& sentence = *exchange_->sentence;
    exchange_->deadline = Clock::now() + kSilence;
    if (event.type == "audio-chunk") {
      const auto form = wyoming_audio(event);
      if (!form || form->width != 2 || form->channels != 1) {
        return worker_failed("it sent audio that is not 16-bit mono", false);
      }
      std::vector<std::int16_t> samples(event.payload.size() / 2);
      std::memcpy(samples.data(), event.payload.data(), samples.size() * 2);
      raise(samples);
      sentence.heard = true;
      sentence.delivery->post(
          [samples = std::move(samples), rate = form->rate_hz](SynthesizerEvents& events) mutable {
            if (events.audio) events.audio(std::move(samples), rate);
          });
    } else if (event.type == "audio-stop") {
      sentence.delivery->post([](SynthesizerEvents& events) {
        if (events.done) events.done({});
      });
      finished_exchange();
    } else if (event.type == "error") {
      log("voice=hibari event=cannot_say reason=\"" + wyoming_error(event) + "\"");
      give_up(sentence, wyoming_error(event));
      finished_exchange();
    }
  }

  void finished_exchange() {
    last_good_ = Clock::now();
    exchange_.reset();
  }

  // What the worker writes on its standard error; its end is the worker's end.
  void on_output() {
    std::array<char, 2048> bytes;
    const auto got = read(worker_.output(), bytes.data(), bytes.size());
    if (got > 0) {
      std::string line(bytes.data(), std::min(static_cast<std::size_t>(got), kMaxLogLine));
      std::replace(line.begin(), line.end(), '\n', ' ');
      return log("voice=hibari event=says text=\"" + line + "\"");
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    worker_failed("it ended", true);
  }

  void worker_failed(const std::string& reason, bool died) {
    const auto now = Clock::now();
    const std::string how = worker_.end(died);
    pid_.store(0);
    if (now - started_at_ >= kBackoffForgotten) backoff_ = kFirstBackoff;
    log("voice=hibari event=worker_failed reason=\"" + reason + "\" ended=\"" + how +
        "\" again_in_s=" + std::to_string(backoff_.count()));
    phase_ = Phase::backoff;
    start_at_ = now + backoff_;
    backoff_ = std::min(backoff_ * 2, kLongestBackoff);
    const auto exchange = std::exchange(exchange_, std::nullopt);
    if (exchange && exchange->sentence != nullptr) give_up(*exchange->sentence, reason);
  }

  // While there is no worker: those that cannot wait are spoken otherwise.
  void send_to_fallback(Clock::time_point now) {
    std::deque<std::shared_ptr<Sentence>> late;
    {
      const std::lock_guard lock(mutex_);
      const auto keep = [&](const auto& sentence) {
        return phase_ == Phase::starting && now < sentence->asked + kPatience;
      };
      const auto first_late = std::stable_partition(waiting_.begin(), waiting_.end(), keep);
      std::move(first_late, waiting_.end(), std::back_inserter(late));
      waiting_.erase(first_late, waiting_.end());
    }
    for (const auto& sentence : late) give_up(*sentence, "the voice is not ready");
  }

  void give_up(Sentence& sentence, const std::string& reason) {
    if (!sentence.heard && options_.fallback != nullptr) {
      sentence.lane->post([fallback = options_.fallback, text = sentence.text,
                           delivery = sentence.delivery] { speak(*fallback, text, delivery); });
      return;
    }
    sentence.delivery->post([reason](SynthesizerEvents& events) {
      if (events.done) {
        events.done(fail(FailureCode::unavailable, "the voice failed: " + reason));
      }
    });
  }

  void drop_cancelled() {
    if (exchange_ && exchange_->sentence != nullptr && exchange_->sentence->cancelled()) {
      exchange_.reset();  // closing the connection tells the worker
      last_good_ = Clock::now();
    }
    std::deque<std::shared_ptr<Sentence>> gone;  // freed outside the lock
    const std::lock_guard lock(mutex_);
    const auto first_gone =
        std::stable_partition(waiting_.begin(), waiting_.end(),
                              [](const auto& sentence) { return !sentence->cancelled(); });
    std::move(first_gone, waiting_.end(), std::back_inserter(gone));
    waiting_.erase(first_gone, waiting_.end());
  }

  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  const HibariOptions options_;
  const std::shared_ptr<Workers> workers_;
  const Descriptor wake_;
  std::atomic<bool> ending_{false};
  std::atomic<int> pid_{0};

  std::mutex mutex_;
  std::deque<std::shared_ptr<Sentence>> waiting_;  // at most kMaxWaiting; beyond: fallback

  Phase phase_ = Phase::backoff;
  WorkerProcess worker_;
  std::optional<Exchange> exchange_;
  Clock::time_point start_at_{};
  Clock::time_point started_at_{};
  Clock::time_point last_good_{};
  std::chrono::seconds backoff_ = kFirstBackoff;

  std::thread thread_;  // last: it uses all of the above
};

class HibariSession final : public SynthesizerSession {
 public:
  HibariSession(std::shared_ptr<VoiceThread> voice, std::shared_ptr<Sentence> sentence)
      : voice_(std::move(voice)), sentence_(std::move(sentence)) {}
  ~HibariSession() override {
    sentence_->delivery->cancel();
    sentence_->lane->close();
    voice_->wake();
  }
  HibariSession(const HibariSession&) = delete;
  HibariSession& operator=(const HibariSession&) = delete;

 private:
  const std::shared_ptr<VoiceThread> voice_;
  const std::shared_ptr<Sentence> sentence_;
};

class Hibari final : public HibariSynthesizer {
 public:
  Hibari(HibariOptions options, std::shared_ptr<Workers> workers)
      : voice_(std::make_shared<VoiceThread>(std::move(options), std::move(workers))) {}
  std::string_view name() const override { return "hibari"; }
  int worker_pid() const override { return voice_->pid(); }
  std::unique_ptr<SynthesizerSession> start(std::string text, SynthesizerEvents events) override {
    return std::make_unique<HibariSession>(voice_, voice_->say(std::move(text), std::move(events)));
  }

 private:
  const std::shared_ptr<VoiceThread> voice_;
};

}  // namespace

std::unique_ptr<HibariSynthesizer> hibari_synthesizer(HibariOptions options,
                                                      std::shared_ptr<Workers> workers) {
  return std::make_unique<Hibari>(std::move(options), std::move(workers));
}

}  // namespace gadget::speech
