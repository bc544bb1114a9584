// Typed messages that the echo agent answers, each device's next as soon as the last has ended.
#include "load/scenario.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 200;
constexpr double kRateGoal = 30'000;
constexpr double kWorstGoalMs = 15;

}  // namespace

Result<Report> run_turns(const BenchOptions& options) {
  Report report("turns");
  Loop loop;
  Tally tally;
  Times times;
  const std::size_t count = count_or(options, kDevices);
  auto hub = hub_for(options, count);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  auto devices = make_devices<TurningDevice>(count, 0, loop, tally, times);
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally); !open) {
    return tl::unexpected<Failure>(open.error());
  }
  progress("turns", std::to_string(count) + " devices");
  for (auto& device : devices) device->turn();
  loop.run_for(time_or(options, 5) / 5);
  times.clear();
  CpuMeter meter((*hub)->process());
  const Micros begin = Loop::now_us();
  loop.run_for(time_or(options, 5));
  const double seconds = static_cast<double>(Loop::now_us() - begin) / kSecond;
  const std::string many = std::to_string(count) + " devices";
  report.at_least("echo turns, " + many, static_cast<double>(times.count()) / seconds, "/s",
                  kRateGoal);
  report.add("median of a turn, " + many, times.percentile_ms(50), "ms");
  report.at_most("99th percentile of a turn, " + many, times.percentile_ms(99), "ms", kWorstGoalMs);
  report.add("processor time of the hub for a turn",
             meter.micros_each(static_cast<double>(times.count())), "us");
  report.add("of its core the hub used", meter.percent(), "%");
  if (tally.lost > 0) report.fault(std::to_string(tally.lost) + " devices were lost");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
