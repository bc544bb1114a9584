// `completion`, `man`, and `complete`, which the shells' scripts call.
#include <cstdio>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/print.hpp"
#include "hub/config/config.hpp"

namespace gadget::cli {
namespace {

// What a shell shows at once; who has more devices types a letter first.
constexpr const char* kNamesAsked = "/v1/devices?limit=200";

std::vector<std::string> device_names(const std::string& state) {
  OwnerArgs owner;
  owner.state = state;
  std::vector<std::string> names;
  const auto page = get(owner, kNamesAsked);
  if (!page) return names;
  for (const auto& device : rows_of(page->object, "devices")) {
    const std::string name = text_of(device, "name");
    // What a device is called must not be a command of the shell: its id stands for such a name.
    const bool is_plain = !name.empty() && printable(name) == name &&
                          name.find_first_of("\"'`$\\!;&|<>(){}[]*?#~:") == std::string::npos;
    names.push_back(is_plain ? name : text_of(device, "id"));
  }
  return names;
}

int print_script(const std::string& shell) {
  const std::string script = completion_script(shell);
  if (script.empty()) {
    complain("there is no completion for " + shell, "for bash, zsh and fish there is");
    return kWrongUsage;
  }
  std::fputs(script.c_str(), stdout);
  return kDone;
}

int print_manual(const CommandLine& line, const std::string& section) {
  if (section == "5") {
    std::fputs(hub::config_manual(GADGET_VERSION).c_str(), stdout);
    return kDone;
  }
  if (!section.empty() && section != "1") {
    complain("there is no section " + section, "1 is the commands, 5 the settings");
    return kWrongUsage;
  }
  std::fputs(manual_page(line.table(), GADGET_VERSION).c_str(), stdout);
  return kDone;
}

}  // namespace

void add_completion_commands(Command& root, const CommandLine& line) {
  struct Args {
    std::string one;
    std::vector<std::string> words;
  };
  auto shell = std::make_shared<Args>();
  Command completion =
      root.sub("completion", "Print what lets a shell complete commands and names");
  completion.word("SHELL", shell->one, "bash, zsh or fish");
  completion.more(
      "  source <(hermes-gadget completion bash)                       in ~/.bashrc\n"
      "  hermes-gadget completion zsh > ~/.zfunc/_hermes-gadget         a folder of $fpath\n"
      "  hermes-gadget completion fish > ~/.config/fish/completions/hermes-gadget.fish");
  completion.runs([shell] { return print_script(shell->one); });

  auto section = std::make_shared<Args>();
  Command man = root.sub("man", "Print a manual page, for man");
  man.optional_word("SECTION", section->one, "1: the commands (default); 5: the settings");
  man.more("  hermes-gadget man | man -l -");
  man.runs([section, &line] { return print_manual(line, section->one); });

  auto begun = std::make_shared<Args>();
  Command complete = root.hidden_sub("complete");
  complete.any_words(begun->words);
  complete.runs([begun, &line] {
    for (const std::string& one : completions(line.table(), begun->words, device_names)) {
      std::printf("%s\n", one.c_str());
    }
    return kDone;
  });
}

}  // namespace gadget::cli
