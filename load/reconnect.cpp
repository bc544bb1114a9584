// A whole fleet comes back at once, as after a power cut, while another device goes on having
// turns.
#include <algorithm>
#include <array>
#include <random>

#include "load/scenario.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 10'000;
constexpr std::size_t kAddresses = 64;
constexpr double kAllInGoalS = 15;
constexpr double kWorstTurnGoalMs = 20;
constexpr double kBackOffGoalS = 60;
constexpr Micros kTurnPause = 2 * kMilli;

// E27: comes back after 1, 2, 4, 8, 15, 30 s, each times 0.5 to 1.
class Returning : public CountedDevice {
 public:
  using CountedDevice::CountedDevice;
  void start(const Endpoint& endpoint, std::minstd_rand& random) {
    endpoint_ = &endpoint;
    random_ = &random;
    begin(endpoint, source_of(index(), kAddresses));
  }

 protected:
  void on_offline(std::uint16_t, std::string_view, HttpStatus status) override {
    constexpr std::array<double, 6> kPauses{1, 2, 4, 8, 15, 30};
    std::uniform_real_distribution<double> share(0.5, 1.0);
    double pause_s = kPauses[std::min(tries_++, kPauses.size() - 1)] * share(*random_);
    if (status.code == 503) {
      pause_s = std::max(pause_s, std::min(60.0, static_cast<double>(status.retry_after_s)));
    }
    loop().after(static_cast<Micros>(pause_s * kSecond),
                 [this] { begin(*endpoint_, source_of(index(), kAddresses)); });
  }

 private:
  const Endpoint* endpoint_ = nullptr;
  std::minstd_rand* random_ = nullptr;
  std::size_t tries_ = 0;
};

struct Storm {
  double all_in_s = 0;
  std::size_t refused = 0;
  Times turns;
  double usual_ms = 0;  // the worst turn before the storm
};

Result<Storm> run_storm(const BenchOptions& options, HubUnderTest& hub, std::size_t count,
                        double limit_s) {
  Loop loop;
  Tally other_tally, tally;
  Storm storm;
  TurningDevice other(loop, count, other_tally, storm.turns, kTurnPause);
  other.begin(hub.endpoint());
  if (!loop.run(5 * kSecond, [&] { return other.welcomed(); })) {
    return fail(FailureCode::unavailable, "the other device was not let in");
  }
  other.turn();
  loop.run_for(time_or(options, 1));
  storm.usual_ms = storm.turns.worst_ms();
  storm.turns.clear();
  std::minstd_rand random(1);
  auto devices = make_devices<Returning>(count, 0, loop, tally);
  const Micros begin = Loop::now_us();
  std::size_t next = 0;
  // Its own turn's answer is looked for between the devices, or the generator would be measured.
  constexpr std::size_t kAtATime = 8;
  loop.run(static_cast<Micros>(limit_s * kSecond), [&] {
    for (std::size_t i = 0; i < kAtATime && next < count; ++i) {
      devices[next++]->start(hub.endpoint(), random);
    }
    return tally.online == count;
  });
  storm.all_in_s = static_cast<double>(Loop::now_us() - begin) / kSecond;
  storm.refused = tally.failed;
  if (other.asked_us() != 0) storm.turns.add(Loop::now_us() - other.asked_us());
  if (tally.online < count) {
    return fail(FailureCode::timeout, std::to_string(count - tally.online) + " of " +
                                          std::to_string(count) + " were not in after " +
                                          readable(storm.all_in_s) + " s");
  }
  return storm;
}

}  // namespace

Result<Report> run_reconnect(const BenchOptions& options) {
  Report report("reconnect");
  const std::size_t count = count_or(options, kDevices);
  const std::string all = readable(static_cast<double>(count)) + " devices";
  {
    progress("reconnect", all + ", all let in at once");
    auto hub = hub_for(options, count + 1);
    if (!hub) return tl::unexpected<Failure>(hub.error());
    const auto storm = run_storm(options, **hub, count, 120);
    if (!storm) return tl::unexpected<Failure>(storm.error());
    report.at_most(all + " are back after", storm->all_in_s, "s", kAllInGoalS);
    report.at_most("refused", static_cast<double>(storm->refused), "", 0);
    report.add("another device's worst turn before", storm->usual_ms, "ms");
    report.at_most("another device's worst turn meanwhile", storm->turns.worst_ms(), "ms",
                   kWorstTurnGoalMs);
    report.add("its 99th percentile", storm->turns.percentile_ms(99), "ms");
    check_hub(**hub, report);
  }
  progress("reconnect", all + ", default limits, back-off as devices do it");
  HubSetup setup;
  setup.settings = {"heartbeat_s=20"};
  auto hub = hub_for(options, count + 1, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  const auto storm = run_storm(options, **hub, count, 120);
  if (!storm) return tl::unexpected<Failure>(storm.error());
  report.at_most(all + " are back after, default limits", storm->all_in_s, "s", kBackOffGoalS);
  report.add("tries that failed, default limits", static_cast<double>(storm->refused), "");
  report.add("another device's worst turn, default limits", storm->turns.worst_ms(), "ms");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
