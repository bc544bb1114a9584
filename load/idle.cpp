// What a device that is connected and silent costs the hub's process.
#include "load/scenario.hpp"

namespace gadget::load {
namespace {

constexpr double kPlainGoalKb = 10;
constexpr double kTlsGoalKb = 28;

Result<void> measure(const BenchOptions& options, bool tls, Report& report) {
  const std::size_t count = count_or(options, tls ? 2'000 : 5'000);
  const std::string kind = tls ? "TLS" : "plain";
  progress("idle", std::to_string(count) + " devices, " + kind);
  Loop loop;
  Tally tally;
  HubSetup setup;
  setup.tls = tls;
  auto hub = hub_for(options, count + 1, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  // The first one pays for what is made once.
  CountedDevice first(loop, count, tally);
  first.begin((*hub)->endpoint());
  loop.run(5 * kSecond, [&] { return tally.online == 1; });
  const Memory before = (*hub)->process().memory();
  auto devices = make_devices<CountedDevice>(count, 0, loop, tally);
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally, tls ? 16 : 64); !open) {
    return open;
  }
  loop.run_for(time_or(options, 1));
  const Memory after = (*hub)->process().memory();
  const auto each = static_cast<double>(count);
  report.at_most("memory of an idle device, " + kind,
                 static_cast<double>(after.pss_kb - before.pss_kb) / each, "KB",
                 tls ? kTlsGoalKb : kPlainGoalKb);
  report.add("the hub without devices, " + kind, static_cast<double>(before.rss_kb) / 1024, "MB");
  check_hub(**hub, report);
  return {};
}

}  // namespace

Result<Report> run_idle(const BenchOptions& options) {
  Report report("idle");
  for (const bool tls : {false, true}) {
    if (auto done = measure(options, tls, report); !done) {
      return tl::unexpected<Failure>(done.error());
    }
  }
  return report;
}

}  // namespace gadget::load
