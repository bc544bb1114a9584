#include <algorithm>

#include "cli/command_table.hpp"

namespace gadget::cli {
namespace {

using Lines = std::vector<std::string>;

bool begins(const std::string& text, const std::string& with) { return text.starts_with(with); }

void add(Lines& lines, const std::string& candidate, const std::string& about) {
  lines.push_back(candidate + "\t" + about);
}

const OptionInfo* option_named(const CommandInfo& command, const std::string& name) {
  for (const OptionInfo& option : command.options) {
    const auto& names = option.names;
    if (!option.is_word && std::find(names.begin(), names.end(), name) != names.end()) {
      return &option;
    }
  }
  return nullptr;
}

// What stands where a value is wanted.
void add_values(Lines& lines, const std::string& kind, const std::string& state,
                const DeviceNames& devices) {
  if (kind == "DEVICE") {
    for (const std::string& name : devices(state)) add(lines, name, "device");
  } else if (kind == "DIR") {
    lines.emplace_back(":folders");
  } else if (kind.starts_with("FILE")) {
    lines.emplace_back(":files");
  } else if (kind == "LEVEL") {
    for (const char* level : {"debug", "info", "warning", "error"}) add(lines, level, "");
  } else if (kind == "SHELL") {
    for (const char* shell : {"bash", "zsh", "fish"}) add(lines, shell, "");
  }
}

}  // namespace

const CommandInfo* CommandInfo::sub(const std::string& its_name) const {
  const auto at = std::find_if(subs.begin(), subs.end(),
                               [&](const CommandInfo& one) { return one.name == its_name; });
  return at == subs.end() ? nullptr : &*at;
}

std::vector<std::string> completions(const CommandInfo& root, const std::vector<std::string>& words,
                                     const DeviceNames& devices) {
  const CommandInfo* command = &root;
  const OptionInfo* open = nullptr;  // an option whose value comes next
  std::string state;
  std::size_t taken = 0;  // words that were positional
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (open != nullptr) {
      if (open->names.front() == "--state") state = word;
      open = nullptr;
    } else if (begins(word, "-")) {
      open = option_named(*command, word);
      if (open != nullptr && open->value.empty()) open = nullptr;
    } else if (const CommandInfo* below = taken == 0 ? command->sub(word) : nullptr) {
      command = below;
    } else {
      ++taken;
    }
  }
  const std::string begun = words.empty() ? std::string() : words.back();
  Lines lines;
  if (open != nullptr) {
    add_values(lines, open->value, state, devices);
  } else if (begins(begun, "-")) {
    for (const OptionInfo& option : command->options) {
      if (!option.is_word) add(lines, option.names.front(), option.about);
    }
  } else {
    for (const CommandInfo& below : command->subs) {
      if (taken == 0) add(lines, below.name, below.about);
    }
    std::size_t place = 0;
    for (const OptionInfo& option : command->options) {
      if (!option.is_word || place++ != taken) continue;
      add_values(lines, option.names.front(), state, devices);
    }
  }
  std::erase_if(
      lines, [&](const std::string& line) { return !begins(line, ":") && !begins(line, begun); });
  return lines;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") {
    return R"bash(# bash completion of hermes-gadget: source <(hermes-gadget completion bash)
_hermes_gadget() {
  local line cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur") ;;
      :folders) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur") ;;
      *) COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hermes_gadget hermes-gadget
)bash";
  }
  if (shell == "zsh") {
    return R"zsh(#compdef hermes-gadget
# zsh completion of hermes-gadget: hermes-gadget completion zsh > a folder of $fpath/_hermes-gadget
_hermes_gadget() {
  local line
  local -a found
  for line in "${(@f)$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#found )) && _describe -t values value found
}
if [ "$funcstack[1]" = "_hermes-gadget" ]; then _hermes_gadget "$@"; else compdef _hermes_gadget hermes-gadget; fi
)zsh";
  }
  if (shell == "fish") {
    return R"fish(# fish completion of hermes-gadget: hermes-gadget completion fish | source
function __hermes_gadget
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':folders'
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c hermes-gadget -f -a '(__hermes_gadget)'
)fish";
  }
  return {};
}

}  // namespace gadget::cli
