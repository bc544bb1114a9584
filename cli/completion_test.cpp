// Completion and the manual know every command and every option, and make nothing up.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_test_support.hpp"
#include "hub/config/config.hpp"

namespace gadget::testing {
namespace {

using cli::CommandInfo;
using cli::OptionInfo;

CommandInfo table() {
  cli::CommandLine line("A hub.", "1.0");
  cli::add_all_commands(line);
  return line.table();
}

using Visit = std::function<void(const CommandInfo&, const std::vector<std::string>& words)>;
void walk(const CommandInfo& command, std::vector<std::string> words, const Visit& visit) {
  visit(command, words);
  for (const CommandInfo& below : command.subs) {
    std::vector<std::string> its = words;
    its.push_back(below.name);
    walk(below, its, visit);
  }
}

std::vector<std::string> nobody(const std::string&) { return {}; }

// The candidates, without what they are.
std::vector<std::string> candidates(const CommandInfo& root, std::vector<std::string> words,
                                    const cli::DeviceNames& devices = nobody) {
  auto lines = cli::completions(root, words, devices);
  for (std::string& line : lines) line = line.substr(0, line.find('\t'));
  return lines;
}
bool has(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

TEST(Completion, KnowsEveryCommandAndOption) {
  const CommandInfo root = table();
  std::size_t commands = 0;
  walk(root, {}, [&](const CommandInfo& command, std::vector<std::string> words) {
    ++commands;
    words.emplace_back();
    const auto below = candidates(root, words);
    for (const CommandInfo& sub : command.subs) EXPECT_TRUE(has(below, sub.name)) << sub.name;
    words.back() = "--";
    const auto options = candidates(root, words);
    for (const OptionInfo& option : command.options) {
      if (!option.is_word) {
        EXPECT_TRUE(has(options, option.names.front())) << option.names.front();
      }
    }
  });
  EXPECT_GT(commands, 30U);
}

// What --help prints is what the table has: a command's options, each with its value.
TEST(Completion, TheTableIsWhatHelpSays) {
  const CommandInfo root = table();
  walk(root, {}, [&](const CommandInfo& command, std::vector<std::string> words) {
    if (words.size() > 1 && words[0] == "speech") return;  // two of a kind are enough
    words.insert(words.begin(), kProgram);
    words.emplace_back("--help");
    const std::string help = run(words).out;
    for (const OptionInfo& option : command.options) {
      const std::string head = option.names.front();
      EXPECT_TRUE(contains(help, head)) << words[1] << " " << head;
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  --")) continue;
      const std::string name = line.substr(2, line.find_first_of(" ,", 2) - 2);
      EXPECT_TRUE(std::any_of(command.options.begin(), command.options.end(),
                              [&](const OptionInfo& one) { return one.names.front() == name; }))
          << words[1] << " " << name;
    }
  });
}

TEST(Completion, ValuesAreCompletedToo) {
  const CommandInfo root = table();
  std::string asked = "nobody";
  const cli::DeviceNames devices = [&](const std::string& state) {
    asked = state;
    return std::vector<std::string>{"kitchen", "living room", "hg-0123456789abcdef"};
  };
  EXPECT_EQ(candidates(root, {"say", "kit"}, devices), std::vector<std::string>{"kitchen"});
  EXPECT_EQ(candidates(root, {"say", ""}, devices).size(), 3U);
  EXPECT_TRUE(candidates(root, {"say", "kitchen", ""}, devices).empty());
  EXPECT_EQ(candidates(root, {"say", "--state", "/x", "--json", "l"}, devices),
            std::vector<std::string>{"living room"});
  EXPECT_EQ(asked, "/x");
  EXPECT_EQ(candidates(root, {"logs", "--device", "h"}, devices),
            std::vector<std::string>{"hg-0123456789abcdef"});
  EXPECT_EQ(candidates(root, {"logs", "--level", "w"}), std::vector<std::string>{"warning"});
  EXPECT_EQ(candidates(root, {"backup", "x"}), std::vector<std::string>{":files"});
  EXPECT_EQ(candidates(root, {"info", "--state", ""}), std::vector<std::string>{":folders"});
  EXPECT_EQ(candidates(root, {"completion", ""}).size(), 3U);
  EXPECT_EQ(candidates(root, {"pair"}), std::vector<std::string>{"pairing"});
  EXPECT_TRUE(candidates(root, {"bogus", "x", ""}).empty());
  EXPECT_FALSE(candidates(root, {}).empty());
  EXPECT_FALSE(has(candidates(root, {""}), "complete"));
}

TEST_F(Daemon, CompletionAsksTheHubAndDoesWithoutOne) {
  start();
  EXPECT_EQ(run({kProgram, "complete", "--", "say", "--state", state(), ""}).code, 0);
  const Ran ran = run({kProgram, "complete", "--", "pairing", "a"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("approve\t")) << ran.out;
  EXPECT_EQ(run({kProgram, "complete", "--", "say", "--state", "/nowhere", ""}).out, "");
  EXPECT_EQ(run({kProgram, "completion", "tcsh"}).code, 2);
}

// Bash itself, with the script that we print.
TEST_F(Daemon, BashCompletes) {
  const std::string bin = fs::path(kProgram).parent_path().string();
  const auto complete = [&](const std::string& words, int at) {
    const std::string script = "PATH=" + bin +
                               ":$PATH; source <(hermes-gadget completion bash); COMP_WORDS=(" +
                               words + "); COMP_CWORD=" + std::to_string(at) +
                               "; _hermes_gadget; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return run({"/bin/bash", "-c", script}).out;
  };
  EXPECT_EQ(complete("hermes-gadget pairing app", 2), "approve\n");
  EXPECT_EQ(complete("hermes-gadget devices --wa", 2), "--watch\n");
  std::ofstream(folder_ / "some file.bin") << "x";
  EXPECT_EQ(complete("hermes-gadget backup " + (folder_ / "some").string(), 2),
            (folder_ / "some file.bin").string() + "\n");
}

TEST(Manual, HasEveryCommandAndOption) {
  const CommandInfo root = table();
  const std::string page = cli::manual_page(root, "1.0");
  walk(root, {}, [&](const CommandInfo& command, const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    if (command.runs && !words.empty()) {
      EXPECT_TRUE(contains(page, ".SS " + cli::manual_text(line) + "\n")) << line;
    }
    for (const OptionInfo& option : command.options) {
      EXPECT_TRUE(contains(page, cli::manual_text(option.names.front()))) << option.names.front();
    }
  });
  for (const char* code : {".B 0", ".B 1", ".B 2", ".B 3", ".B 4"}) {
    EXPECT_TRUE(contains(page, std::string(code) + "\n"));
  }
}

TEST(Manual, NothingInATextIsARequest) {
  EXPECT_EQ(cli::manual_text(".so /etc/passwd\n'x \\n"), "\\&.so /etc/passwd\n\\&\\(aqx \\en");
  EXPECT_EQ(cli::manual_text("--set a~b"), "\\-\\-set a\\(tib");
}

TEST_F(Daemon, ManReadsItWithoutAWarning) {
  if (!fs::exists("/usr/bin/man")) GTEST_SKIP() << "there is no man here";
  for (const char* section : {"1", "5"}) {
    const std::string file = (folder_ / "page").string();
    std::ofstream(file) << run({kProgram, "man", section}).out;
    const Ran ran = run({"/usr/bin/man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file},
                        {{"LC_ALL", "C.UTF-8"}, {"MANWIDTH", "80"}, {"MANROFFSEQ", ""}});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "") << section;
  }
  EXPECT_EQ(run({kProgram, "man", "3"}).code, 2);
}

TEST(Manual, HasEverySetting) {
  const std::string page = hub::config_manual("1.0");
  const std::string json = hub::to_json(hub::Config{});
  std::size_t keys = 0;
  for (auto at = json.find("\":"); at != std::string::npos; at = json.find("\":", at + 1)) {
    const auto begin = json.rfind('"', at - 1) + 1;
    EXPECT_TRUE(contains(page, "\\fB" + json.substr(begin, at - begin) + "\\fR\n"));
    ++keys;
  }
  EXPECT_GT(keys, 20U);
}

}  // namespace
}  // namespace gadget::testing
