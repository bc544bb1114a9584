// Handshakes of known devices in a closed loop, beside bare WebSocket upgrades. The servers take
// turns in short rounds, so that a machine whose speed drifts drifts for all of them.
#include <algorithm>

#include "load/scenario.hpp"

namespace gadget::load {
namespace {

// Devices that connect in turn. As many are enrolled where the table says "1": one device alone
// would replace its own connections (E12).
constexpr std::size_t kKnown = 32;
constexpr int kRounds = 4;
constexpr double kShareGoal = 0.7;
constexpr double kPlainGoal = 1'800;
constexpr double kTlsGoal = 700;

// Connects, and when it is where it wants to be, again.
class Knocker : public Device {
 public:
  Knocker(Loop& loop, std::size_t index, bool upgrade_only)
      : Device(loop, index), upgrade_only_(upgrade_only) {}
  void start(const Endpoint& endpoint) {
    endpoint_ = &endpoint;
    running_ = true;
    open(endpoint);
  }
  void stop() {
    running_ = false;
    drop();
  }
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

 protected:
  void on_open() override {
    if (upgrade_only_) return again();
    Device::on_open();
  }
  void on_welcome() override { again(); }
  void on_end(std::uint16_t, std::string_view, HttpStatus) override {
    ++failed_;
    loop().after(10 * kMilli, [this] {
      if (running_) open(*endpoint_);
    });
  }

 private:
  void again() {
    ++done_;
    drop();
    if (running_) open(*endpoint_);
  }
  const Endpoint* endpoint_ = nullptr;
  bool upgrade_only_;
  bool running_ = false;
  std::uint64_t done_ = 0, failed_ = 0;
};

struct Runner {
  std::string name;
  Endpoint endpoint;
  std::vector<std::unique_ptr<Knocker>> knockers;
  const Process* process = nullptr;
  std::vector<double> rates;
  double cpu_s = 0;
  std::uint64_t counted = 0;

  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t sum = 0;
    for (const auto& one : knockers) sum += one->done();
    return sum;
  }
  [[nodiscard]] double micros_each() const {
    return counted == 0 ? 0 : cpu_s * kSecond / static_cast<double>(counted);
  }
  [[nodiscard]] double rate() const {
    auto sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[sorted.size() / 2] + sorted[(sorted.size() - 1) / 2]) / 2;
  }
};

void round(Loop& loop, Runner& runner, Micros time) {
  for (auto& one : runner.knockers) one->start(runner.endpoint);
  loop.run_for(time / 10);  // the first ones all begin at once
  const std::uint64_t before = runner.done();
  const double cpu_before = runner.process->cpu_seconds();
  const Micros begin = Loop::now_us();
  loop.run_for(time);
  runner.cpu_s += runner.process->cpu_seconds() - cpu_before;
  runner.counted += runner.done() - before;
  const auto count = static_cast<double>(runner.done() - before);
  runner.rates.push_back(count * kSecond / static_cast<double>(Loop::now_us() - begin));
  for (auto& one : runner.knockers) one->stop();
  loop.run_for(20 * kMilli);
}

}  // namespace

Result<Report> run_handshakes(const BenchOptions& options) {
  Report report("handshakes");
  Loop loop;
  if (auto allowed = allow_sockets(4 * kKnown); !allowed) {
    return tl::unexpected<Failure>(allowed.error());
  }
  std::vector<Runner> runners;
  const auto add = [&](std::string name, const Endpoint& endpoint, const Process& process,
                       bool upgrade_only) {
    runners.push_back({std::move(name), endpoint, {}, &process, {}, 0, 0});
    for (std::size_t i = 0; i < kKnown; ++i) {
      runners.back().knockers.push_back(std::make_unique<Knocker>(loop, i, upgrade_only));
    }
  };
  auto bare = Process::start({options.program, "bench", "bare-server"}, "/dev/null", options.cores);
  if (!bare) return tl::unexpected<Failure>(bare.error());
  add("bare upgrades", {.port = (*bare)->port(), .path = "/", .tls = nullptr}, **bare, true);
  std::vector<std::unique_ptr<HubUnderTest>> hubs;
  for (const auto& [enrolled, tls] :
       {std::pair<std::size_t, bool>{1, false}, {options.enrolled, false}, {1, true}}) {
    progress("handshakes", "a hub with " + readable(static_cast<double>(enrolled)) + " enrolled" +
                               (tls ? ", TLS" : ""));
    HubSetup setup;
    setup.tls = tls;
    setup.enrolled = enrolled;
    auto hub = hub_for(options, kKnown, setup);
    if (!hub) return tl::unexpected<Failure>(hub.error());
    add((tls ? "TLS handshakes"
             : "plain handshakes, " + readable(static_cast<double>(enrolled)) + " enrolled"),
        (*hub)->endpoint(), (*hub)->process(), false);
    hubs.push_back(std::move(*hub));
  }
  for (int i = 0; i < kRounds; ++i) {
    for (Runner& runner : runners) round(loop, runner, time_or(options, 1.5));
  }
  const double upgrades = runners[0].rate();
  const double few = runners[1].rate();
  const double many = runners[2].rate();
  report.add(runners[0].name, upgrades, "/s");
  report.at_least(runners[1].name, few, "/s", kPlainGoal);
  report.at_least(runners[2].name, many, "/s", kPlainGoal);
  report.at_least("share of the bare upgrade", few / upgrades, "", kShareGoal);
  report.at_least("many enrolled against one", many / few, "", 0.9);
  report.at_least(runners[3].name, runners[3].rate(), "/s", kTlsGoal);
  for (const Runner& runner : runners) {
    report.add("processor time: " + runner.name, runner.micros_each(), "us");
  }
  for (auto& hub : hubs) check_hub(*hub, report);
  return report;
}

}  // namespace gadget::load
