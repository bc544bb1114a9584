// The voice worker's supervision, with real processes that behave in every bad way. They are Python
// without packages; the real worker is tested in engines_test.cpp.
#include "speech/hibari.hpp"

#include <array>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "speech/flite_voice.hpp"
#include "speech/once.hpp"
#include "speech/worker_process.hpp"

namespace gadget::speech {
namespace {

using namespace std::chrono_literals;

// What all test workers share: the framing, and a loop over connections. ACT(connection, type,
// data) answers.
constexpr char kFrame[] = R"(
import json, os, socket, sys, threading, time
def watch():
    while os.read(0, 100): pass
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
def send(c, type, data=None, payload=b''):
    d = json.dumps(data).encode() if data else b''
    c.sendall(json.dumps({'type': type, 'data_length': len(d), 'payload_length': len(payload)}).encode() + b'\n' + d + payload)
def audio(c, samples=4800):
    send(c, 'audio-chunk', {'rate': 24000, 'width': 2, 'channels': 1}, b'\x10\x01' * samples)
def serve(act):
    s = socket.socket(fileno=int(sys.argv[2]))
    while True:
        c, _ = s.accept()
        f = c.makefile('rb')
        try:
            while line := f.readline():
                h = json.loads(line)
                d = json.loads(f.read(h.get('data_length', 0)) or b'{}')
                if h['type'] == 'describe': send(c, 'info', {'tts': []})
                elif h['type'] == 'ping': send(c, 'pong')
                else: act(c, d['text'])
        except OSError: pass
)";

constexpr char kGood[] = R"(
def act(c, text):
    send(c, 'audio-start', {'rate': 24000, 'width': 2, 'channels': 1})
    for word in text.split(): audio(c)
    send(c, 'audio-stop')
serve(act)
)";

class HibariTest : public testing::Test {
 protected:
  void start(const std::string& script, bool fallback = true) {
    voice_ = hibari_synthesizer({.python = "/usr/bin/python3",
                                 .packages = "/nonexistent",
                                 .worker = kFrame + script,
                                 .fallback = fallback ? flite_voice() : nullptr,
                                 .log =
                                     [this](const std::string& line) {
                                       const std::lock_guard lock(mutex_);
                                       log_ += line + "\n";
                                     }},
                                workers_);
  }
  Result<Spoken> say(const std::string& text, std::chrono::milliseconds time = 20s) {
    return speak_once(loop_, *voice_, text, time);
  }
  bool logged(const std::string& words, std::chrono::milliseconds time = 10s) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      {
        const std::lock_guard lock(mutex_);
        if (log_.find(words) != std::string::npos) return true;
      }
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  std::mutex mutex_;
  std::string log_;
  PlainLoop loop_;
  std::shared_ptr<Workers> workers_ =
      std::make_shared<Workers>(Workers::Options{1, loop_.executor()});
  std::unique_ptr<HibariSynthesizer> voice_;
};

constexpr std::uint32_t kWorkerRate = 24'000;
constexpr std::uint32_t kFliteRate = 16'000;

TEST_F(HibariTest, AWorkerSpeaks) {
  start(kGood);
  const auto spoken = say("one two three");
  ASSERT_TRUE(spoken) << to_line(spoken.error());
  EXPECT_EQ(spoken->rate_hz, kWorkerRate);
  EXPECT_EQ(spoken->samples.size(), 3 * 4'800U);
  EXPECT_NEAR(spoken->samples[0], 0x110 * 2.24, 2) << "raised by 7 dB";
}

TEST_F(HibariTest, SentencesAreSpokenInOrder) {
  start(kGood);
  std::string order;
  std::vector<std::unique_ptr<SynthesizerSession>> sessions;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    sessions.push_back(
        voice_->start("x", {.audio = {}, .done = [&order, name](const Result<void>& r) {
                              if (r) order += name;
                            }}));
  }
  loop_.run_until([&] { return order.size() == 4; }, 20s);
  EXPECT_EQ(order, "abcd");
}

// Its death ends no turn without an answer: the sentence is spoken by the fallback, the next by a
// new worker.
TEST_F(HibariTest, AWorkerThatDiesIsReplacedAndTheSentenceIsSpokenAnyway) {
  start(R"(
def act(c, text):
    if text == 'die': os._exit(3)
    audio(c); send(c, 'audio-stop')
serve(act)
)");
  ASSERT_TRUE(say("hello"));
  const auto spoken = say("die");
  ASSERT_TRUE(spoken) << to_line(spoken.error());
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_TRUE(logged("exit code 3")) << log();
  while (voice_->worker_pid() == 0) std::this_thread::sleep_for(10ms);
  const auto again = say("hello");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->rate_hz, kWorkerRate);
}

TEST_F(HibariTest, AKilledWorkerIsReplaced) {
  start(kGood);
  ASSERT_TRUE(say("hello"));
  const int first = voice_->worker_pid();
  ASSERT_GT(first, 0);
  kill(first, SIGKILL);
  ASSERT_TRUE(logged("worker_failed"));
  const auto spoken = say("hello");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate) << "while it waits to be started again";
  while (voice_->worker_pid() == 0) std::this_thread::sleep_for(10ms);
  EXPECT_NE(voice_->worker_pid(), first);
}

TEST_F(HibariTest, DeathInTheMiddleOfASentenceIsAFailure) {
  start(R"(
def act(c, text):
    audio(c); time.sleep(0.05); os._exit(1)
serve(act)
)");
  const auto spoken = say("hello");
  ASSERT_FALSE(spoken);
  EXPECT_EQ(spoken.error().code, FailureCode::unavailable);
}

TEST_F(HibariTest, WithoutAFallbackAFailureIsAFailure) {
  start("def act(c, text): os._exit(1)\nserve(act)\n", false);
  const auto spoken = say("hello");
  ASSERT_FALSE(spoken);
  EXPECT_EQ(spoken.error().code, FailureCode::unavailable);
}

TEST_F(HibariTest, AnErrorEventGoesToTheFallbackAndTheWorkerLives) {
  start(R"(
def act(c, text):
    if text == 'bad': send(c, 'error', {'text': 'cannot say this'})
    else: audio(c); send(c, 'audio-stop')
serve(act)
)");
  ASSERT_TRUE(say("good"));
  const int pid = voice_->worker_pid();
  const auto spoken = say("bad");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_EQ(voice_->worker_pid(), pid);
}

TEST_F(HibariTest, AWorkerThatHangsIsKilled) {
  start("def act(c, text): time.sleep(60)\nserve(act)\n");
  const auto spoken = say("hello");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_GE(spoken->total, kSilence);
  EXPECT_TRUE(logged("signal 9")) << log();
}

TEST_F(HibariTest, AWorkerThatTalksNonsenseIsKilled) {
  start("def act(c, text): c.sendall(b'x' * 20000)\nserve(act)\n");
  const auto spoken = say("hello");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_TRUE(logged("header that is too long")) << log();
}

TEST_F(HibariTest, AWorkerThatNeverStartsCostsNobodyMoreThanPatience) {
  start("time.sleep(60)\n");
  const auto spoken = say("hello");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_LT(spoken->total, kPatience + 2s);
}

TEST_F(HibariTest, APythonThatIsNotThereIsSaidAndLeftForFlite) {
  voice_ = hibari_synthesizer({.python = "/nonexistent/python",
                               .packages = "/nonexistent",
                               .worker = kGood,
                               .fallback = flite_voice(),
                               .log =
                                   [this](const std::string& line) {
                                     const std::lock_guard lock(mutex_);
                                     log_ += line + "\n";
                                   }},
                              workers_);
  const auto spoken = say("hello");
  ASSERT_TRUE(spoken);
  EXPECT_EQ(spoken->rate_hz, kFliteRate);
  EXPECT_TRUE(logged("cannot run the python")) << log();
}

// The worker handles text that strangers wrote; it must not reach the network, whatever is in it.
TEST_F(HibariTest, TheWorkerHasNoNetwork) {
  start(R"(
def act(c, text):
    found = []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
        try: socket.socket(family, socket.SOCK_DGRAM); found.append('open')
        except OSError as e: found.append(e.strerror)
    socket.socket(socket.AF_UNIX)
    send(c, 'error', {'text': ','.join(found)})
serve(act)
)",
        false);
  const auto spoken = say("hello");
  ASSERT_FALSE(spoken);
  EXPECT_NE(spoken.error().text.find(
                "Permission denied,Permission denied,Permission denied,Permission denied"),
            std::string::npos)
      << spoken.error().text;
}

TEST_F(HibariTest, TheWorkerHasNoneOfOurDescriptors) {
  start(R"(
def act(c, text):
    send(c, 'error', {'text': 'fds ' + ' '.join(sorted(os.listdir('/proc/self/fd'), key=int))})
serve(act)
)",
        false);
  const auto spoken = say("hello");
  ASSERT_FALSE(spoken);
  // 0 1 2, the listener 3, the connection, and the folder being listed.
  EXPECT_NE(spoken.error().text.find("fds 0 1 2 3 4 5"), std::string::npos) << spoken.error().text;
}

TEST_F(HibariTest, TheWorkerEndsWithUs) {
  start(kGood);
  ASSERT_TRUE(say("hello"));
  const int pid = voice_->worker_pid();
  voice_.reset();
  EXPECT_EQ(kill(pid, 0), -1) << "it still runs";
}

// E21, B-39 for the worker's voice.
TEST_F(HibariTest, B39_ACancelledSentenceDeliversNothing) {
  start(R"(
def act(c, text):
    for i in range(6): audio(c, 480); time.sleep(0.001)
    send(c, 'audio-stop')
serve(act)
)");
  ASSERT_TRUE(say("hello"));
  std::mt19937 random(39);
  std::size_t delivered = 0;
  for (int round = 0; round < 200; ++round) {
    auto alive = std::make_shared<bool>(true);
    const auto event = [alive, &delivered] {
      EXPECT_TRUE(*alive);
      ++delivered;
    };
    std::vector<std::unique_ptr<SynthesizerSession>> sessions;
    for (int i = static_cast<int>(random() % 3); i >= 0; --i) {
      sessions.push_back(voice_->start("x", {.audio = [event](auto, auto) { event(); },
                                             .done = [event](const Result<void>&) { event(); }}));
    }
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 8'000});
    if (random() % 2 == 0) loop_.run_until([] { return false; }, 2ms);
    *alive = false;
    sessions.clear();
    loop_.run_until([] { return false; }, 0ms);
  }
  loop_.run_until([] { return false; }, 50ms);
  EXPECT_GT(delivered, 50U);
  const auto after = say("hello");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->rate_hz, kWorkerRate) << "it works as before";
}

// Not there, or only waiting for somebody to ask how it ended.
bool ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return true;
  return line.find(") Z ") != std::string::npos;
}

// When we are killed, so that nobody can clean up, the worker notices the end of its standard
// input.
TEST(WorkerProcess, EndsWhenItsStarterIsKilled) {
  std::array<int, 2> pipe_fds{};
  ASSERT_EQ(pipe(pipe_fds.data()), 0);
  const pid_t starter = fork();
  if (starter == 0) {
    auto process =
        WorkerProcess::start("/usr/bin/python3", "/nonexistent", std::string(kFrame) + kGood);
    const pid_t pid = process ? process->pid() : 0;
    (void)!write(pipe_fds[1], &pid, sizeof pid);
    while (true) pause();
  }
  pid_t worker = 0;
  ASSERT_EQ(read(pipe_fds[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_GT(worker, 0);
  std::this_thread::sleep_for(200ms);
  EXPECT_FALSE(ended(worker));
  kill(starter, SIGKILL);
  waitpid(starter, nullptr, 0);
  for (int i = 0; i < 500 && !ended(worker); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(ended(worker));
  if (!ended(worker)) kill(worker, SIGKILL);
}

}  // namespace
}  // namespace gadget::speech
