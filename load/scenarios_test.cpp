// The load generator itself must not rot: each scenario runs for a moment, and finds no fault.
#include <gtest/gtest.h>

#include "load/scenario.hpp"

namespace gadget::load {
namespace {

double value_of(const Report& report, std::string_view what) {
  for (const Row& row : report.rows()) {
    if (row.what == what) return row.value;
  }
  ADD_FAILURE() << "no row \"" << what << "\"";
  return -1;
}

Report run(std::string_view name, std::size_t devices, double seconds) {
  BenchOptions options;
  options.program = GADGET_PROGRAM;
  options.devices = devices;
  options.seconds = seconds;
  options.enrolled = 500;
  options.cores = take_cores();
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name != name) continue;
    auto report = scenario.run(options);
    if (!report) {
      ADD_FAILURE() << to_line(report.error());
      return Report(std::string(name));
    }
    EXPECT_TRUE(report->faults().empty()) << report->table();
    EXPECT_FALSE(report->rows().empty());
    return *report;
  }
  ADD_FAILURE() << "no scenario " << name;
  return Report(std::string(name));
}

TEST(Scenarios, Idle) { (void)run("idle", 20, 0.1); }

TEST(Scenarios, Handshakes) { EXPECT_GT(value_of(run("handshakes", 0, 0.2), "TLS handshakes"), 0); }

TEST(Scenarios, Reconnect) { EXPECT_EQ(value_of(run("reconnect", 100, 0.1), "refused"), 0); }

TEST(Scenarios, Uplink) {
  EXPECT_GT(value_of(run("uplink", 10, 0.3), "hub, of its core at 10 devices"), 0);
}

TEST(Scenarios, Downlink) {
  EXPECT_EQ(value_of(run("downlink", 10, 1), "memory of the hub then") > 0, true);
}

TEST(Scenarios, Turns) { EXPECT_GT(value_of(run("turns", 5, 0.5), "echo turns, 5 devices"), 0); }

TEST(Scenarios, Utterances) { (void)run("utterances", 20, 0.1); }

TEST(Scenarios, Cancel) { EXPECT_GT(value_of(run("cancel", 20, 1), "cancels, 20 streams"), 0); }

TEST(Scenarios, Firmware) {
  EXPECT_GT(value_of(run("firmware", 10, 0.1), "to 10 devices at once"), 0);
}

// Issue 5, bad input: what a hostile client does is no business of the others. The bound is one
// that a sanitizer on a busy machine keeps; `hermes-gadget bench hostile` has the figure.
TEST(Scenarios, E1_AHostileClientDoesNotShowInTheTimesOfOthers) {
  const Report report = run("hostile", 20, 2);
  EXPECT_GT(value_of(report, "hostile connections"), 50);
  EXPECT_LT(value_of(report, "by how much it moved"), 400);
}

TEST(Scenarios, SoakFor20Seconds) {
  const Report report = run("soak", 60, 20);
  EXPECT_GT(value_of(report, "turns of a device that is left alone"), 100);
}

}  // namespace
}  // namespace gadget::load
