// command_table.hpp - all commands as data: from it come the completion of shells and the manual
// page, so that they say what --help says.
//
// Plain values; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gadget::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "--state", "-h"; of a word its one name: "DEVICE"
  std::string value;               // "DIR"; empty: a flag
  std::string about;
  bool is_word = false;   // positional
  bool is_needed = true;  // of a word
};

struct CommandInfo {
  std::string name;
  std::string about;
  std::string more;  // what --help shows under the options
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> subs;
  bool runs = false;  // by itself, without a command below it

  [[nodiscard]] const CommandInfo* sub(const std::string& name) const;
};

// The names of devices, asked of the hub that `state` and the environment name; empty: none there.
using DeviceNames = std::function<std::vector<std::string>(const std::string& state)>;

// What may stand at the place of the last of `words` (the program's name is not among them; the
// last may be empty or begun), a line each: the candidate, a tab, what it is. `:files` and
// `:folders` stand for what the shell knows itself.
[[nodiscard]] std::vector<std::string> completions(const CommandInfo& root,
                                                   const std::vector<std::string>& words,
                                                   const DeviceNames& devices);

// The script that makes a shell ask for them; empty: there is none for that shell.
[[nodiscard]] std::string completion_script(const std::string& shell);

// hermes-gadget(1), in the language of man.
[[nodiscard]] std::string manual_page(const CommandInfo& root, const std::string& version);
// `text` as man takes it: nothing in it is a request or an escape.
[[nodiscard]] std::string manual_text(const std::string& text);

}  // namespace gadget::cli
