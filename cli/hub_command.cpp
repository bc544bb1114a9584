// `hub` and `config`: the daemon and its settings.
#include <cstdio>

#include "cli/agents.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "hub/config/config.hpp"
#include "hub/server/daemon.hpp"
#include "hub/server/settings.hpp"
#include "media/wav.hpp"

namespace gadget::cli {
namespace {

struct ConfigArgs {
  std::string file;
  std::vector<std::string> set;
};

struct HubArgs : ConfigArgs {
  std::string host, port, path, state, agent, recorded_voice;
  bool test_clock = false;
};

void add_config_options(Command& command, ConfigArgs& args) {
  command.option("--config", args.file, "FILE",
                 "settings (TOML); default: ~/.config/hermes-gadget/hub.toml, if it is there");
  command.repeated("--set", args.set, "KEY=VALUE",
                   "one setting, may be repeated; see: hermes-gadget config");
}

Result<hub::ConfigSources> sources_of(const ConfigArgs& args) {
  hub::ConfigSources sources;
  sources.file = args.file;
  for (const std::string& text : args.set) {
    auto setting = hub::parse_setting(text);
    if (!setting) return tl::unexpected(std::move(setting.error()));
    sources.set.push_back(std::move(*setting));
  }
  return sources;
}

Result<hub::Config> config_of(const HubArgs& args) {
  auto sources = sources_of(args);
  if (!sources) return tl::unexpected(std::move(sources.error()));
  const std::pair<const char*, const std::string&> options[] = {{"host", args.host},
                                                                {"port", args.port},
                                                                {"path", args.path},
                                                                {"state", args.state},
                                                                {"agent", args.agent}};
  for (const auto& [key, value] : options) {
    if (!value.empty()) sources->direct.push_back({key, value});
  }
  return hub::load_config(*sources);
}

int run_hub(const HubArgs& args) {
  auto config = config_of(args);
  if (!config) return complain(config.error());
  hub::DaemonOptions options;
  options.version = GADGET_VERSION;
  options.test_clock = args.test_clock;
  options.make_agent = agent_named(config->agent);
  if (args.recorded_voice.empty()) {
    options.open_speech = speech_of(*config);
  } else {
    auto recording = media::read_wav(args.recorded_voice);
    if (!recording) return complain(recording.error());
    options.open_speech = recorded_speech(std::move(*recording));
  }
  options.config = std::move(*config);
  options.reload = [args] { return config_of(args); };
  options.ready = [](const std::string& url) {
    std::printf("ready %s\n", url.c_str());
    std::fflush(stdout);
  };
  const auto ran = hub::run_daemon(std::move(options));
  return ran ? kDone : complain(ran.error());
}

int print_config(const ConfigArgs& args, bool json, bool markdown) {
  if (markdown) {
    std::fputs(hub::config_guide().c_str(), stdout);
    return kDone;
  }
  const auto config = sources_of(args).and_then(hub::load_config);
  if (!config) return complain(config.error());
  std::fputs((json ? hub::to_json(*config) + "\n" : hub::to_toml(*config)).c_str(), stdout);
  return kDone;
}

int check_config(const ConfigArgs& args, bool json) {
  const auto config = sources_of(args).and_then(hub::load_config).and_then(hub::checked);
  if (!config) return complain(config.error());
  std::fputs(json ? "{\"good\":true}\n" : "the settings are good\n", stdout);
  return kDone;
}

}  // namespace

void add_hub_command(Command& root) {
  auto args = std::make_shared<HubArgs>();
  Command hub = root.sub("hub", "Start the hub: devices connect to it, the agent answers them");
  hub.option(
      "--host", args->host, "HOST",
      "address to listen on; default 127.0.0.1 (this machine only), 0.0.0.0 is all networks");
  hub.option("--port", args->port, "PORT", "TCP port; default 8765, 0 picks a free one");
  hub.option("--path", args->path, "PATH", "path of the device URL; default /gadget");
  hub.option("--state", args->state, "DIR",
             "folder of keys, approvals and lists; default ~/.local/state/hermes-gadget");
  hub.option("--agent", args->agent, "NAME", "who answers: builtin (default), hermes or echo");
  add_config_options(hub, *args);
  hub.hidden_flag("--test-clock", args->test_clock);
  hub.hidden_option("--recorded-voice", args->recorded_voice);
  hub.more(
      "It prints `ready ws://HOST:PORT/PATH` when devices can connect, logs to the standard error\n"
      "stream, and ends on Ctrl-C or SIGTERM. GADGET_ACCESS_TOKEN holds a word that every device\n"
      "must send.\n"
      "\n"
      "  hermes-gadget hub --host 0.0.0.0 --set heartbeat_s=30");
  hub.runs([args] { return run_hub(*args); });

  struct PrintArgs : ConfigArgs {
    bool json = false, markdown = false;
  };
  auto print = std::make_shared<PrintArgs>();
  Command config = root.sub("config", "Show every setting, its meaning and the value in force");
  add_config_options(config, *print);
  config.flag("--json", print->json, "keys and values as JSON");
  config.hidden_flag("--markdown", print->markdown);
  config.more(
      "The output is a valid configuration file:\n"
      "  hermes-gadget config > ~/.config/hermes-gadget/hub.toml");
  auto check = std::make_shared<PrintArgs>();
  Command checks = config.sub("check", "Try the settings without starting a hub");
  add_config_options(checks, *check);
  checks.flag("--json", check->json, "print JSON");
  checks.runs([check] { return check_config(*check, check->json); });
  config.runs([print] { return print_config(*print, print->json, print->markdown); });
}

}  // namespace gadget::cli
