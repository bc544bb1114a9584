#include "cli/command.hpp"

#include <CLI/CLI.hpp>

#include "cli/print.hpp"

namespace gadget::cli {
namespace {

// Where the error of a parse belongs: "pairing approve".
std::string words_so_far(const CLI::App& app) {
  std::string words;
  for (const CLI::App* at = &app;;) {
    const auto chosen = at->get_subcommands();
    if (chosen.empty()) return words;
    at = chosen.front();
    words += " " + at->get_name();
  }
}

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  info.is_word = option.get_positional();
  info.is_needed = option.get_required();
  info.about = option.get_description();
  if (info.is_word) {
    info.names.push_back(option.get_name(true));
    return info;
  }
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  if (option.get_items_expected_max() > 0) info.value = option.get_type_name();
  return info;
}

CommandInfo info_of(const CLI::App& app) {
  CommandInfo info;
  info.name = app.get_name();
  info.about = app.get_description();
  info.more = app.get_footer();
  info.runs = app.get_require_subcommand_min() == 0;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) info.options.push_back(info_of(*option));
  }
  for (const CLI::App* below : app.get_subcommands({})) {
    if (!below->get_group().empty()) info.subs.push_back(info_of(*below));
  }
  return info;
}

// CLI11's sentences may have several lines and no common form.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace

Command Command::sub(const std::string& name, const std::string& about) {
  app_->require_subcommand(1);  // unless it runs by itself: see runs()
  CLI::App* below = app_->add_subcommand(name, about);
  below->set_help_flag("--help,-h", "show this text");
  return {below, exit_code_};
}

Command Command::hidden_sub(const std::string& name) {
  Command below = sub(name, "");
  below.app_->group("");
  return below;
}

Command& Command::any_words(std::vector<std::string>& into) {
  app_->add_option("WORDS", into);
  return *this;
}

Command& Command::word(const std::string& name, std::string& into, const std::string& about) {
  app_->add_option(name, into, about)->required();
  return *this;
}

Command& Command::optional_word(const std::string& name, std::string& into,
                                const std::string& about) {
  app_->add_option(name, into, about);
  return *this;
}

Command& Command::words(const std::string& name, std::vector<std::string>& into,
                        const std::string& about) {
  app_->add_option(name, into, about)->required();
  return *this;
}

Command& Command::option(const std::string& name, std::string& into, const std::string& value,
                         const std::string& about) {
  app_->add_option(name, into, about)->type_name(value)->take_last();
  return *this;
}

Command& Command::option(const std::string& name, double& into, const std::string& value,
                         const std::string& about) {
  app_->add_option(name, into, about)->type_name(value)->take_last();
  return *this;
}

Command& Command::repeated(const std::string& name, std::vector<std::string>& into,
                           const std::string& value, const std::string& about) {
  app_->add_option(name, into, about)->type_name(value)->allow_extra_args(false);
  return *this;
}

Command& Command::flag(const std::string& name, bool& into, const std::string& about) {
  app_->add_flag(name, into, about);
  return *this;
}

Command& Command::hidden_flag(const std::string& name, bool& into) {
  app_->add_flag(name, into)->group("");
  return *this;
}

Command& Command::hidden_option(const std::string& name, std::string& into) {
  app_->add_option(name, into)->group("")->take_last();
  return *this;
}

Command& Command::more(const std::string& text) {
  app_->footer(text);
  return *this;
}

void Command::runs(std::function<int()> run) {
  app_->require_subcommand(0, 1);
  app_->callback([run = std::move(run), code = exit_code_, app = app_] {
    if (app->get_subcommands().empty()) *code = run();
  });
}

CommandLine::CommandLine(const std::string& about, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, std::string(kProgramName))) {
  app_->require_subcommand(1);
  app_->set_help_flag("--help,-h", "show this text");
  app_->set_version_flag("--version", std::string(kProgramName) + " " + version,
                         "show the version");
  app_->get_formatter()->column_width(34);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return {app_.get(), &exit_code_}; }

CommandInfo CommandLine::table() const { return info_of(*app_); }

int CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help and --version
    app_->exit(wanted);
    return kDone;
  } catch (const CLI::ParseError& error) {
    complain(one_line(error.what()),
             "see: " + std::string(kProgramName) + words_so_far(*app_) + " --help");
    return kWrongUsage;
  }
  return exit_code_;
}

}  // namespace gadget::cli
