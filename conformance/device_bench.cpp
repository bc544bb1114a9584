#include "conformance/device_bench.hpp"

#include <cstdlib>

#include "base/files.hpp"

namespace gadget::conformance {
namespace fs = std::filesystem;
using std::chrono::milliseconds;
namespace {

constexpr milliseconds kStepWait{
    90'000};  // a step has its own limit; this one is for a gadget that hangs
constexpr std::size_t kLogTailBytes = 3'000;

}  // namespace

DeviceBench::DeviceBench(fs::path program) : program_(std::move(program)) {
  std::string pattern = (fs::temp_directory_path() / "hermes-gadget-scenario-XXXXXX").string();
  if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
}

DeviceBench::~DeviceBench() {
  child_.reset();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

bool DeviceBench::has(std::string_view capability) const { return capability == "device"; }

std::string DeviceBench::log_tail() const {
  const auto log = files::read(folder_ / "log", std::size_t{16} << 20U);
  if (!log) return {};
  return log->size() > kLogTailBytes ? log->substr(log->size() - kLogTailBytes) : *log;
}

Result<void> DeviceBench::start(const std::vector<std::string>& options) {
  if (child_) return {};
  if (folder_.empty() || port_ == 0)
    return fail(FailureCode::internal, "the runner does not listen");
  std::vector<std::string> arguments{program_.string(),
                                     "sim",
                                     "--headless",
                                     "--url",
                                     "ws://127.0.0.1:" + std::to_string(port_) + "/gadget",
                                     "--state",
                                     (folder_ / "state").string(),
                                     "--steps",
                                     "--heap-check",
                                     "--quiet"};
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos)
      return fail(FailureCode::invalid_argument, "start does not know " + option);
    arguments.push_back("--" + option.substr(0, equals));
    arguments.push_back(option.substr(equals + 1));
  }
  auto child = Child::start(arguments, folder_ / "log");
  if (!child) return tl::unexpected<Failure>(child.error());
  child_.emplace(std::move(*child));
  return {};
}

Result<Endpoint> DeviceBench::endpoint() {
  if (auto started = start({}); !started) return tl::unexpected<Failure>(started.error());
  return Endpoint{};
}

Result<void> DeviceBench::act(const std::vector<std::string>& words) {
  if (words.front() == "start") return start({words.begin() + 1, words.end()});
  if (auto started = start({}); !started) return started;
  std::string step;
  for (const std::string& word : words) step += (step.empty() ? "" : " ") + word;
  if (auto written = child_->write_line(step); !written) return written;
  const std::string expected = "done " + std::to_string(++steps_);
  const auto answer = child_->line(kStepWait);
  if (answer == expected) return {};
  const int code = child_->stop(0, milliseconds{1'000});
  child_.reset();
  return fail(code == 2 ? FailureCode::invalid_argument : FailureCode::refused,
              "the gadget ended at this step: " + log_tail());
}

}  // namespace gadget::conformance
