// command.hpp - the command line as a tree of commands, each with its words, its texts and what it
// runs.
//
// A thin face of CLI11, so that one file knows that library. What is parsed goes into variables
// that the caller keeps alive until run() returns; a shared struct captured by runs() does it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_table.hpp"

namespace CLI {
class App;
}

namespace gadget::cli {

// Exit codes of every command (design section 7); those of failures come from base/failure.hpp.
inline constexpr int kDone = 0;
inline constexpr int kDidNotWork = 1;
inline constexpr int kWrongUsage = 2;

class Command {
 public:
  // A command below this one. `about` is one sentence, without a full stop.
  Command sub(const std::string& name, const std::string& about);
  // One that --help, completion and the manual do not show.
  Command hidden_sub(const std::string& name);
  // Whatever words come, options among them behind `--`.
  Command& any_words(std::vector<std::string>& into);
  // Positional words, in order. The last may be optional, or take all that is left.
  Command& word(const std::string& name, std::string& into, const std::string& about);
  Command& optional_word(const std::string& name, std::string& into, const std::string& about);
  Command& words(const std::string& name, std::vector<std::string>& into, const std::string& about);
  // `--name VALUE`.
  Command& option(const std::string& name, std::string& into, const std::string& value,
                  const std::string& about);
  Command& option(const std::string& name, double& into, const std::string& value,
                  const std::string& about);
  Command& repeated(const std::string& name, std::vector<std::string>& into,
                    const std::string& value, const std::string& about);
  Command& flag(const std::string& name, bool& into, const std::string& about);
  // A flag that --help does not show.
  Command& hidden_flag(const std::string& name, bool& into);
  Command& hidden_option(const std::string& name, std::string& into);
  // Whole paragraphs under the options of --help: examples above all.
  Command& more(const std::string& text);
  // What the command does; its result is the exit code. A command without one needs a sub-command;
  // of one that has both, this is called last.
  void runs(std::function<int()> run);

 private:
  friend class CommandLine;
  Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}
  CLI::App* app_;
  int* exit_code_;
};

class CommandLine {
 public:
  CommandLine(const std::string& about, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] Command root();
  // All commands as data, in the order of --help.
  [[nodiscard]] CommandInfo table() const;
  // Parses and runs. Wrong usage: one line on stderr and kWrongUsage.
  [[nodiscard]] int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = kDone;
};

}  // namespace gadget::cli
