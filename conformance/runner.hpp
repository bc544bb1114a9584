// runner.hpp - finds scenarios, plays each against a fresh bench, and reports: `hermes-gadget
// conformance`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gadget::conformance {

struct RunOptions {
  std::vector<std::filesystem::path> paths;  // files, or folders searched for *.scn
  std::filesystem::path program;             // the hermes-gadget whose hub or sim is under test
  std::vector<std::string> settings;         // KEY=VALUE, of every hub under test
  bool verbose = false;                      // every exchange, not only of what failed
  bool list = false;                         // only say what there is
};

// Prints a line a scenario and `N passed, N failed, N skipped`. Exit code: 0 all passed or skipped,
// 1 something failed, 2 a scenario could not be read or has a line that cannot match, or there was
// none.
[[nodiscard]] int run_conformance(const RunOptions& options);

}  // namespace gadget::conformance
