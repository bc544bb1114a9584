// `bench`: the load generator.
#include <cstdio>
#include <filesystem>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "load/bare.hpp"
#include "load/scenario.hpp"

namespace gadget::cli {
namespace {

struct BenchArgs {
  std::vector<std::string> names;
  double devices = 0, seconds = 0, minutes = 0, enrolled = 100'000;
  bool json = false;
};

int wrong_scenario(const std::string& name) {
  std::string known = "all";
  for (const load::Scenario& one : load::scenarios()) known += ", " + std::string(one.name);
  complain("there is no scenario \"" + name + "\"", "they are: " + known);
  return kWrongUsage;
}

// The scenarios that are meant; nothing: one of the names is none.
std::vector<const load::Scenario*> chosen(const std::vector<std::string>& names,
                                          std::string& unknown) {
  std::vector<const load::Scenario*> list;
  for (const std::string& name : names) {
    const std::size_t before = list.size();
    for (const load::Scenario& one : load::scenarios()) {
      if (name == one.name || (name == "all" && one.in_all)) list.push_back(&one);
    }
    if (list.size() == before) unknown = name;
  }
  return list;
}

int run(const BenchArgs& args) {
  if (args.names.size() == 1 && args.names.front() == "bare-server") return load::run_bare_server();
  std::string unknown;
  const auto list = chosen(args.names, unknown);
  if (!unknown.empty()) return wrong_scenario(unknown);
  load::end_processes_with_us();
  load::BenchOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe");
  options.devices = static_cast<std::size_t>(std::max(0.0, args.devices));
  options.seconds = std::max(args.seconds, args.minutes * 60);
  options.enrolled = static_cast<std::size_t>(std::max(1.0, args.enrolled));
  options.cores = load::take_cores();
  if (!options.cores.apart()) {
    load::progress("bench",
                   "one core only: hub and load share it, which is not what the goals mean");
  }
  load::Report all("bench");
  for (const load::Scenario* one : list) {
    load::progress(one->name, std::string(one->about));
    auto report = one->run(options);
    if (report) {
      all.append(*report);
    } else {
      load::Report failed{std::string(one->name)};
      failed.fault(to_line(report.error()));
      all.append(failed);
    }
  }
  std::fputs(args.json ? (all.json() + "\n").c_str() : all.table().c_str(), stdout);
  return all.faults().empty() ? kDone : kDidNotWork;
}

std::string list_of_scenarios() {
  std::string text = "Scenarios:\n";
  for (const load::Scenario& one : load::scenarios()) {
    std::string name(one.name);
    name.resize(12, ' ');
    text += "  " + name + std::string(one.about) + "\n";
  }
  return text;
}

}  // namespace

void add_bench_command(Command& root) {
  auto args = std::make_shared<BenchArgs>();
  Command command =
      root.sub("bench", "Measure the hub: thousands of devices that speak the real protocol");
  command.words("SCENARIO", args->names, "one or more of those below, or all");
  command.option("--devices", args->devices, "N", "how many; default: as many as the goal names");
  command.option("--seconds", args->seconds, "S", "how long each part is measured");
  command.option("--minutes", args->minutes, "M", "the same, for soak; default 1");
  command.option("--enrolled", args->enrolled, "N",
                 "with handshakes: the larger number of enrolled devices; default 100000");
  command.flag("--json", args->json, "the table as JSON");
  command.more(
      list_of_scenarios() +
      "\n"
      "Each starts a hub of its own (this program, with --agent echo, in a temporary folder, on\n"
      "127.0.0.1) on one core and loads it from another. `handshakes` and `uplink` compare it "
      "with\n"
      "a server of Boost.Beast that does nothing else, in the same run. In `downlink` and "
      "`cancel`\n"
      "a recording of 24 kHz takes the place of a voice: what is measured is resampling, pacing "
      "and\n"
      "writing, not synthesis. Exit code 1: a scenario did not work. A missed goal is none of "
      "that.\n"
      "\n"
      "  hermes-gadget bench all\n"
      "  hermes-gadget bench turns --devices 50 --seconds 2 --json\n"
      "  hermes-gadget bench soak --minutes 60 --devices 1000");
  command.runs([args] { return run(*args); });
}

}  // namespace gadget::cli
