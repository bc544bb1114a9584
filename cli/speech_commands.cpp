// `speech install|check`: the engines that hear and speak without a network.
#include <cstdio>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "speech/check.hpp"
#include "speech/installer.hpp"

namespace gadget::cli {
namespace {

struct SpeechArgs {
  std::string profile;
  std::string python = "python3";
  bool json = false;
};

std::filesystem::path speech_folder() { return files::default_cache_folder() / "speech"; }

int install(const SpeechArgs& args) {
  const auto profile = speech::parse_profile(args.profile.empty() ? "full" : args.profile);
  if (!profile) return complain(profile.error());
  const speech::InstallPlan plan = speech::plan_of(*profile);
  std::FILE* const progress = args.json ? stderr : stdout;
  if (plan.keep_mb > 0) {
    std::fprintf(progress, "Profile %s: up to %llu MB to fetch, %llu MB to keep in %s.\n",
                 std::string(speech::name(*profile)).c_str(),
                 static_cast<unsigned long long>(plan.fetch_mb),
                 static_cast<unsigned long long>(plan.keep_mb), speech_folder().c_str());
  }
  speech::InstallOptions options;
  options.profile = *profile;
  options.folder = speech_folder();
  options.python = args.python;
  const auto done = speech::install(options, [&](const speech::InstallProgress& step) {
    std::fprintf(progress, "[%d/%d] %s\n", step.step, step.steps, printable(step.text).c_str());
    std::fflush(progress);
  });
  if (!done) return complain(done.error());
  if (args.json) {
    std::printf("{\"already\":%s,\"bytes\":%llu}\n", done->already ? "true" : "false",
                static_cast<unsigned long long>(done->bytes));
  } else if (done->already) {
    std::puts("It is all there already.");
  } else {
    std::printf("Installed: %llu MB.\n", static_cast<unsigned long long>(done->bytes / 1'000'000));
  }
  return kDone;
}

int check(const SpeechArgs& args) {
  const auto profile = speech::parse_profile(args.profile.empty() ? "auto" : args.profile);
  if (!profile) return complain(profile.error());
  const auto checked = speech::check({.profile = *profile, .folder = speech_folder()});
  std::printf("%s\n", (args.json ? speech::to_json(checked) : speech::to_text(checked)).c_str());
  return checked.good ? kDone : kDidNotWork;
}

}  // namespace

void add_speech_commands(Command& root) {
  Command speech = root.sub("speech", "Install and check the engines that hear and speak");
  auto installed = std::make_shared<SpeechArgs>();
  Command install_command =
      speech.sub("install", "Fetch the engines of a profile, check them, make them ready");
  install_command.option("--profile", installed->profile, "NAME",
                         "full (default: best recognizer, natural voice) or small");
  install_command.option("--python", installed->python, "PROGRAM",
                         "the Python whose pip fetches them; default python3");
  install_command.flag("--json", installed->json, "print JSON; progress goes to stderr");
  install_command.more(
      "Packages come from PyPI, each pinned by its hash, and end up in\n"
      "~/.cache/hermes-gadget/speech. Interrupted, it goes on where it stopped.");
  install_command.runs([installed] { return install(*installed); });

  auto checked = std::make_shared<SpeechArgs>();
  Command check_command =
      speech.sub("check", "Say what works, with a sentence that is spoken and understood");
  check_command.option("--profile", checked->profile, "NAME",
                       "auto (default: the best that is installed), full, small or minimal");
  check_command.flag("--json", checked->json, "print JSON");
  check_command.runs([checked] { return check(*checked); });
}

}  // namespace gadget::cli
