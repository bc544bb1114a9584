#include "conformance/runner.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "conformance/device_bench.hpp"
#include "conformance/hub_bench.hpp"
#include "conformance/player.hpp"
#include "conformance/scenario.hpp"

namespace gadget::conformance {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> files_in(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".scn") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string heading(const Scenario& scenario) {
  std::string ids;
  for (const std::string& id : scenario.ids) ids += id + " ";
  return ids + scenario.title;
}

// Scenarios below a folder named `device` are about devices: the runner plays the hub.
bool about_devices(const Scenario& scenario) {
  return std::find(scenario.file.begin(), scenario.file.end(), "device") != scenario.file.end();
}

Verdict play(const Scenario& scenario, const RunOptions& options) {
  const bool devices = about_devices(scenario);
  HubBench hub(options.program, options.settings);
  DeviceBench device(options.program);
  Bench& bench = devices ? static_cast<Bench&>(device) : hub;
  Verdict verdict = Player(devices ? Role::hub : Role::device, bench).play(scenario);
  const bool bad = verdict.kind == Verdict::Kind::failed || verdict.kind == Verdict::Kind::broken;
  if (bad) {
    const std::string log = bench.log_tail();
    if (!log.empty()) verdict.exchange.push_back("--- what it logged last ---\n" + log);
  }
  return verdict;
}

}  // namespace

int run_conformance(const RunOptions& options) {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  int broken = 0;
  for (const fs::path& file : files_in(options.paths)) {
    const auto scenario = read_scenario(file);
    if (!scenario) {
      std::printf("BROKEN  %s\n", scenario.error().text.c_str());
      ++broken;
      continue;
    }
    if (options.list) {
      std::printf("%s: %s\n", file.c_str(), heading(*scenario).c_str());
      continue;
    }
    const Verdict verdict = play(*scenario, options);
    const char* word = "ok";
    switch (verdict.kind) {
      case Verdict::Kind::passed: ++passed; break;
      case Verdict::Kind::skipped: ++skipped, word = "SKIPPED"; break;
      case Verdict::Kind::failed: ++failed, word = "FAILED"; break;
      case Verdict::Kind::broken: ++broken, word = "BROKEN"; break;
    }
    std::printf("%-7s %s: %s\n", word, file.c_str(), heading(*scenario).c_str());
    if (!verdict.text.empty())
      std::printf("        line %zu: %s\n", verdict.line, verdict.text.c_str());
    if (options.verbose || verdict.kind == Verdict::Kind::failed ||
        verdict.kind == Verdict::Kind::broken) {
      for (const std::string& line : verdict.exchange) std::printf("        %s\n", line.c_str());
    }
    std::fflush(stdout);
  }
  if (options.list) return broken == 0 ? 0 : 2;
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed + broken, skipped);
  if (broken > 0 || passed + failed + skipped == 0) return 2;
  return failed == 0 ? 0 : 1;
}

}  // namespace gadget::conformance
