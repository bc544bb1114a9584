// daemon_test_support.hpp - a real hub on a folder of its own, for tests of the program.
#pragma once

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "cli/process_test_support.hpp"

namespace gadget::testing {

namespace fs = std::filesystem;

inline const char* const kProgram = GADGET_PROGRAM;

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Daemon : public ::testing::Test {
 protected:
  Daemon() {
    std::string pattern = (fs::temp_directory_path() / "gadget-daemon-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    ::setenv("XDG_STATE_HOME", (folder_ / "default-state").c_str(), 1);
  }
  ~Daemon() override {
    hub_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string state() const { return (folder_ / "state").string(); }

  static std::vector<std::string> hub_words(std::vector<std::string> further) {
    std::vector<std::string> words{kProgram, "hub", "--agent", "echo", "--port", "0"};
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }
  // Starts a hub on state() and returns its URL.
  std::string start(std::vector<std::string> further = {},
                    std::map<std::string, std::string> environment = {}) {
    further.insert(further.end(), {"--state", state()});
    hub_.emplace(hub_words(std::move(further)), std::move(environment));
    const std::string line = hub_->line().value_or("");
    EXPECT_TRUE(line.starts_with("ready ws://127.0.0.1:")) << line << hub_->err_text;
    return line.substr(std::min<std::size_t>(line.size(), 6));
  }
  Ran owner(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    words.insert(words.end(), {"--state", state()});
    return run(std::move(words));
  }
  // A hub that cannot start: one line on stderr that has `expected`, nothing on stdout.
  static void refuses(std::vector<std::string> further, int code, std::string_view expected) {
    const Ran ran = run(hub_words(std::move(further)));
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("hermes-gadget: ")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(contains(ran.err, expected)) << ran.err;
    EXPECT_EQ(ran.out, "");
  }

  fs::path folder_;
  std::optional<Process> hub_;
};

}  // namespace gadget::testing
