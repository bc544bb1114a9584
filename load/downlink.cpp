// Devices that hear speech without a pause: 24 kHz from the voice, resampled, paced, written.
#include <algorithm>

#include "load/listening.hpp"

namespace gadget::load {
namespace {

constexpr double kDevicesGoal = 2'000;
constexpr std::size_t kFirst = 1'000;
constexpr std::size_t kStep = 500;
constexpr std::size_t kMost = 5'000;
constexpr double kFullPercent = 96;
constexpr double kSentenceSeconds = 3.7;

struct Step {
  std::uint64_t underruns = 0, frames = 0;
  double cpu = 0;
  bool generator_late = false;
};

}  // namespace

Result<Report> run_downlink(const BenchOptions& options) {
  Report report("downlink");
  const std::size_t first = count_or(options, kFirst);
  const std::size_t most = count_or(options, kMost);
  HubSetup setup;
  setup.spoken_seconds = kSentenceSeconds;
  auto hub = hub_for(options, most, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  CpuMeter meter((*hub)->process());
  std::vector<std::unique_ptr<ListeningDevice>> devices;
  std::size_t best = 0;
  bool generator = false;
  for (std::size_t count = first; count <= most; count += kStep) {
    progress("downlink", readable(static_cast<double>(count)) + " devices");
    // One a millisecond: a sentence's first half second is made and sent at once, and so that not
    // all sentences end together.
    Micros next = Loop::now_us();
    const bool all = loop.run(60 * kSecond, [&] {
      if (devices.size() < count && tally.opening < 16 && Loop::now_us() >= next) {
        next += 2 * kMilli;
        devices.push_back(std::make_unique<ListeningDevice>(loop, devices.size(), tally));
        devices.back()->begin((*hub)->endpoint(), source_of(devices.size(), 64));
      }
      return tally.failed > 0 || (devices.size() == count && tally.opening == 0);
    });
    if (!all || tally.failed > 0) return fail(FailureCode::unavailable, "a device was not let in");
    const bool all_hear = loop.run(10 * kSecond, [&] {
      return std::all_of(devices.begin(), devices.end(),
                         [](const auto& device) { return device->heard(); });
    });
    if (!all_hear) break;  // far beyond what the core carries
    loop.run_for(time_or(options, 3) / 2);
    for (auto& device : devices) device->forget_counts();
    (void)meter.percent();
    (void)loop.worst_turn_us();
    loop.run_for(time_or(options, 3));
    Step step;
    for (auto& device : devices) {
      step.underruns += device->underruns();
      step.frames += device->frames();
    }
    const double each = meter.micros_each(static_cast<double>(step.frames));
    step.cpu = meter.percent();
    step.generator_late = loop.worst_turn_us() > 100 * kMilli;
    const std::string which = readable(static_cast<double>(count)) + " devices: ";
    report.add(which + "of its core the hub used", step.cpu, "%");
    report.add(which + "processor time for a frame", each, "us");
    report.add(which + "underruns of " + readable(static_cast<double>(step.frames)) + " frames",
               static_cast<double>(step.underruns), "");
    generator = step.generator_late && step.cpu < kFullPercent;
    if (step.frames == 0) report.fault("no audio came");
    if (step.underruns > 0) break;
    best = count;
    if (step.cpu > kFullPercent) break;
  }
  report.at_least(std::string("hear 24 kHz speech without an underrun") +
                      (generator ? " (the generator's limit)" : ""),
                  static_cast<double>(best), "devices", kDevicesGoal);
  report.add("memory of the hub then",
             static_cast<double>((*hub)->process().memory().rss_kb) / 1024, "MB");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
