// Well-behaved devices have turns; then a hostile client joins in. What it does must not show in
// their times.
#include <algorithm>

#include "load/nonsense.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 100;
constexpr Micros kPause = 20 * kMilli;
// By how much the 99th percentile may move; the hub's core has more to do, so not by nothing.
constexpr double kMovesMs = 5;

}  // namespace

Result<Report> run_hostile(const BenchOptions& options) {
  Report report("hostile");
  const std::size_t count = count_or(options, kDevices);
  HubSetup setup;
  setup.enrolled = count + 32;          // the mad ones too
  setup.settings = {"heartbeat_s=20"};  // limits as they are by default
  setup.spoken_seconds = 2;
  auto hub = hub_for(options, count + 512, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  Times times;
  auto devices = make_devices<TurningDevice>(count, 0, loop, tally, times, kPause);
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally); !open) {
    return tl::unexpected<Failure>(open.error());
  }
  for (auto& device : devices) device->turn();
  progress("hostile", std::to_string(count) + " devices alone");
  loop.run_for(kSecond / 2);
  times.clear();
  CpuMeter meter((*hub)->process());
  loop.run_for(time_or(options, 4));
  const double alone_cpu = meter.percent();
  const Times alone = times;
  progress("hostile", "with a hostile client");
  Hostile hostile(loop, (*hub)->endpoint(), count);
  loop.every_ms([&](Micros) { hostile.act(); });
  times.clear();
  (void)meter.percent();
  (void)loop.worst_turn_us();
  loop.run_for(2 * time_or(options, 4));
  const double cpu = meter.percent();
  const Times beside = times;
  loop.every_ms({});
  hostile.stop();
  // Nothing is left behind: everybody still has turns.
  times.clear();
  loop.run_for(kSecond);
  report.add("turns alone", static_cast<double>(alone.count()), "");
  report.add("turns beside a hostile client", static_cast<double>(beside.count()), "");
  report.add("99th percentile alone", alone.percentile_ms(99), "ms");
  report.add("99th percentile beside a hostile client", beside.percentile_ms(99), "ms");
  report.at_most("by how much it moved",
                 std::max(0.0, beside.percentile_ms(99) - alone.percentile_ms(99)), "ms", kMovesMs);
  report.add("worst turn alone", alone.worst_ms(), "ms");
  report.add("worst turn beside a hostile client", beside.worst_ms(), "ms");
  report.add("of its core the hub used alone", alone_cpu, "%");
  report.add("of its core the hub used beside it", cpu, "%");
  report.add("hostile connections", static_cast<double>(hostile.begun()), "");
  for (const auto& [what, often] : hostile.ends()) {
    progress("hostile", readable(static_cast<double>(often)) + " ended with " + what);
  }
  if (tally.lost > 0) report.fault(std::to_string(tally.lost) + " well-behaved devices were lost");
  if (times.count() < count) report.fault("not all devices have turns afterwards");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
