#include "load/hub.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hub/store/store.hpp"
#include "load/certificate.hpp"
#include "load/device.hpp"
#include "media/wav.hpp"

namespace gadget::load {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kStartWait{30'000};
constexpr milliseconds kStopWait{10'000};
constexpr milliseconds kCommandWait{60'000};
constexpr std::size_t kOtherFiles = 64;  // descriptors that are no sockets
constexpr std::uint32_t kVoiceRateHz = 24'000;

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

Result<void> enrol(const fs::path& state, std::size_t count) {
  auto store = hub::Store::open(state / "hub.db");
  if (!store) return tl::unexpected<Failure>(store.error());
  return (*store)->transaction([&]() -> Result<void> {
    for (std::size_t i = 0; i < count; ++i) {
      hub::DeviceRecord record;
      record.key = key_of(i);
      record.id = protocol::device_id(record.key);
      record.approved = true;
      record.name = "load-" + std::to_string(i);
      record.board = "bench";
      record.firmware = "1.0.0";
      record.address = "127.0.0.1";
      if (auto enrolled = (*store)->enrol(record); !enrolled) return enrolled;
    }
    return {};
  });
}

// Something as loud and as full of frequencies as speech; what it says does not matter to a
// resampler.
Result<void> write_recording(const fs::path& file, double seconds) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<double> noise(-1, 1);
  std::vector<std::int16_t> samples(static_cast<std::size_t>(seconds * kVoiceRateHz));
  constexpr double kTau = 6.283185307179586;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / kVoiceRateHz;
    const double voice = std::sin(kTau * 140 * t) + 0.5 * std::sin(kTau * 1'120 * t) +
                         0.2 * std::sin(kTau * 3'400 * t) + 0.1 * noise(random);
    samples[i] = static_cast<std::int16_t>(6'000 * voice * std::abs(std::sin(kTau * 1.5 * t)));
  }
  return media::write_wav(file, samples, kVoiceRateHz);
}

// Those that run now, for the signal handler: nothing else can end them when we are ended.
std::array<std::atomic<pid_t>, 16> running{};

void end_all(int signal) {
  for (const auto& one : running) {
    if (const pid_t pid = one.load(); pid > 0) ::kill(pid, SIGKILL);
  }
  std::signal(signal, SIG_DFL);
  (void)::raise(signal);
}

}  // namespace

void end_processes_with_us() {
  std::signal(SIGINT, end_all);
  std::signal(SIGTERM, end_all);
}

Process::Process(conformance::Child child) : child_(std::move(child)) {
  for (auto& one : running) {
    pid_t none = 0;
    if (one.compare_exchange_strong(none, pid())) return;
  }
}

Process::~Process() {
  for (auto& one : running) {
    pid_t mine = pid();
    if (one.compare_exchange_strong(mine, 0)) return;
  }
}

Cores take_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> mine;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &set)) mine.push_back(core);
    }
  }
  if (mine.empty()) return {};
  const Cores cores{mine.back(), mine.size() > 1 ? mine[mine.size() - 2] : mine.back()};
  pin(cores.load);
  return cores;
}

Result<void> allow_sockets(std::size_t sockets) {
  const rlim_t wanted = sockets + kOtherFiles;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return fail(FailureCode::io, "no limit of files");
  if (limit.rlim_cur >= wanted) return {};
  rlimit raised = limit;
  raised.rlim_cur = wanted;
  raised.rlim_max = std::max(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return {};
  return fail(FailureCode::unavailable,
              "this needs " + std::to_string(wanted) + " open files, and the limit is " +
                  std::to_string(limit.rlim_max),
              "raise it (ulimit -Hn " + std::to_string(wanted) + " as root), or give --devices");
}

Memory memory_of(pid_t pid) {
  Memory memory;
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kb = 0;
    words >> name >> kb;
    if (name == "Rss:") memory.rss_kb = kb;
    if (name == "Pss:") memory.pss_kb = kb;
  }
  return memory;
}

double cpu_seconds_of(pid_t pid) {
  // All threads: each has its own nanoseconds.
  double seconds = 0;
  std::error_code error;
  for (const auto& thread :
       fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(thread.path() / "schedstat");
    double nanoseconds = 0;
    file >> nanoseconds;
    seconds += nanoseconds / 1e9;
  }
  return seconds;
}

Result<std::unique_ptr<Process>> Process::start(const std::vector<std::string>& arguments,
                                                const fs::path& log, const Cores& cores) {
  pin(cores.hub);  // it inherits this, with all its threads
  auto child = conformance::Child::start(arguments, log);
  pin(cores.load);
  if (!child) return tl::unexpected<Failure>(child.error());
  const auto ready = child->line(kStartWait);
  constexpr std::string_view kReady = "ready ws";
  if (!ready || !ready->starts_with(kReady)) {
    std::ifstream file(log);
    std::string last;
    for (std::string line; std::getline(file, line);) last = line;
    return fail(FailureCode::unavailable, "the hub under test did not start: " + last);
  }
  std::unique_ptr<Process> process(new Process(std::move(*child)));
  process->port_ = static_cast<std::uint16_t>(std::atoi(ready->c_str() + ready->rfind(':') + 1));
  return process;
}

bool Process::alive() const {
  std::ifstream file("/proc/" + std::to_string(pid()) + "/stat");
  std::string text;
  std::getline(file, text);
  return !text.empty() && text.find(") Z") == std::string::npos;
}

Result<std::unique_ptr<HubUnderTest>> HubUnderTest::start(const HubSetup& setup,
                                                          const Cores& cores) {
  std::unique_ptr<HubUnderTest> hub(new HubUnderTest);
  std::string folder = (fs::temp_directory_path() / "hermes-gadget-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return fail(FailureCode::io, "no temporary folder");
  hub->folder_ = folder;
  hub->state_ = hub->folder_ / "state";
  hub->program_ = setup.program;
  fs::create_directories(hub->state_);
  if (auto done = enrol(hub->state_, setup.enrolled); !done) {
    return tl::unexpected<Failure>(done.error());
  }
  std::vector<std::string> arguments{setup.program, "hub",
                                     "--host",      "127.0.0.1",
                                     "--port",      "0",
                                     "--state",     hub->state_,
                                     "--agent",     "echo",
                                     "--config",    "/dev/null",
                                     "--set",       "speech_profile=minimal"};
  for (const std::string& setting : setup.settings) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  if (setup.spoken_seconds > 0) {
    const fs::path recording = hub->folder_ / "voice.wav";
    if (auto done = write_recording(recording, setup.spoken_seconds); !done) {
      return tl::unexpected<Failure>(done.error());
    }
    arguments.insert(arguments.end(), {"--recorded-voice", recording});
  }
  if (setup.tls) {
    const fs::path cert = hub->folder_ / "cert.pem";
    const fs::path key = hub->folder_ / "key.pem";
    if (auto made = write_certificate(cert, key); !made) {
      return tl::unexpected<Failure>(made.error());
    }
    arguments.insert(arguments.end(),
                     {"--set", "tls_cert=" + cert.string(), "--set", "tls_key=" + key.string()});
    hub->tls_ = std::make_unique<ClientTls>();
  }
  auto process = Process::start(arguments, hub->folder_ / "log", cores);
  if (!process) return tl::unexpected<Failure>(process.error());
  hub->process_ = std::move(*process);
  hub->endpoint_ = {.port = hub->process_->port(), .path = "/gadget", .tls = hub->tls_.get()};
  return hub;
}

HubUnderTest::~HubUnderTest() {
  process_.reset();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

int HubUnderTest::owner(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program_);
  arguments.insert(arguments.end(), {"--state", state_});
  auto child = conformance::Child::start(arguments, folder_ / "owner.log");
  if (!child) return -1;
  while (child->line(kCommandWait)) {
  }
  return child->stop(0, kStopWait);
}

std::vector<std::string> HubUnderTest::errors() const {
  std::vector<std::string> found;
  std::ifstream file(folder_ / "log");
  for (std::string line; std::getline(file, line);) {
    if (line.find(" level=error ") != std::string::npos) found.push_back(line);
  }
  return found;
}

}  // namespace gadget::load
