// `conformance`: plays wire tests against this program's own hub.
#include <filesystem>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "conformance/runner.hpp"

namespace gadget::cli {
namespace {

struct ConformanceArgs {
  std::vector<std::string> paths, settings;
  std::string program;
  bool verbose = false, list = false;
};

int run(const ConformanceArgs& args) {
  conformance::RunOptions options;
  options.paths.assign(args.paths.begin(), args.paths.end());
  options.settings = args.settings;
  options.verbose = args.verbose;
  options.list = args.list;
  options.program = args.program;
  if (options.program.empty()) {
    std::error_code error;
    options.program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
      complain("cannot find this program's own file", "name it with --program");
      return kDidNotWork;
    }
  }
  return conformance::run_conformance(options);
}

}  // namespace

void add_conformance_command(Command& root) {
  auto args = std::make_shared<ConformanceArgs>();
  Command command =
      root.sub("conformance", "Play wire tests (scenarios) against an implementation");
  command.words("PATH", args->paths, "scenarios, or folders that are searched for *.scn");
  command.option("--program", args->program, "FILE",
                 "the hermes-gadget whose hub is under test; default this one");
  command.repeated("--set", args->settings, "KEY=VALUE",
                   "a setting of every hub under test, may be repeated; such as hub_loops=4");
  command.flag("--verbose", args->verbose, "show every exchange, not only of what failed");
  command.flag("--list", args->list, "only say what there is");
  command.more("  hermes-gadget conformance conformance/scenarios");
  command.runs([args] { return run(*args); });
}

}  // namespace gadget::cli
