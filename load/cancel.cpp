// Devices that listen, and say at random moments that it is enough.
#include <algorithm>
#include <random>

#include "load/listening.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 1'000;
constexpr double kGoalMs = 10;
constexpr double kSentenceSeconds = 20;
constexpr double kCancelsASecond = 100;

}  // namespace

Result<Report> run_cancel(const BenchOptions& options) {
  Report report("cancel");
  const std::size_t count = count_or(options, kDevices);
  HubSetup setup;
  setup.spoken_seconds = kSentenceSeconds;
  auto hub = hub_for(options, count, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  Times last_frames, aborts;
  auto devices = make_devices<ListeningDevice>(count, 0, loop, tally);
  for (auto& device : devices) device->collect(&last_frames, &aborts);
  progress("cancel", readable(static_cast<double>(count)) + " devices listen");
  std::size_t next = 0;
  Micros due = Loop::now_us();
  const bool all = loop.run(60 * kSecond, [&] {
    if (next < count && tally.opening < 16 && Loop::now_us() >= due) {
      devices[next]->begin((*hub)->endpoint(), source_of(next, 64));
      ++next;
      due += 2 * kMilli;
    }
    return next == count && std::all_of(devices.begin(), devices.end(),
                                        [](const auto& device) { return device->hears(); });
  });
  if (!all) return fail(FailureCode::timeout, "not all devices heard something within 60 s");
  std::minstd_rand random(1);
  std::uniform_int_distribution<std::size_t> any(0, count - 1);
  constexpr auto kPause = static_cast<Micros>(kSecond / kCancelsASecond);
  due = Loop::now_us();
  CpuMeter meter((*hub)->process());
  loop.run(time_or(options, 6), [&] {
    if (Loop::now_us() >= due) {
      due += kPause;
      ListeningDevice& device = *devices[any(random)];
      if (device.hears()) device.cancel_now();
    }
    return false;
  });
  loop.every_ms([](Micros) {});
  loop.run_for(kSecond / 4);
  const std::string at = ", " + readable(static_cast<double>(count)) + " streams";
  if (last_frames.count() == 0) report.fault("no cancel was answered");
  report.add("cancels" + at, static_cast<double>(last_frames.count()), "");
  report.add("cancel to the last frame, median" + at, last_frames.percentile_ms(50), "ms");
  report.at_most("cancel to the last frame, 99th percentile" + at, last_frames.percentile_ms(99),
                 "ms", kGoalMs);
  report.add("cancel to audio.abort, 99th percentile" + at, aborts.percentile_ms(99), "ms");
  report.add("of its core the hub used", meter.percent(), "%");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
