// `sim`: a virtual gadget, the device core itself on this machine.
#include <cstdlib>

#include "cli/commands.hpp"
#include "ports/desktop/profile.hpp"
#include "ports/desktop/sim.hpp"

namespace gadget::cli {
namespace {

// What stands in files, as the command line gives it.
struct SimArgs {
  ports::desktop::SimOptions options;
  std::string state, script, ca_file, timeline;
};

int run(const SimArgs& args) {
  ports::desktop::SimOptions options = args.options;
  options.state = args.state;
  options.script = args.script;
  options.ca_file = args.ca_file;
  options.timeline = args.timeline;
  if (const char* token = std::getenv("GADGET_ACCESS_TOKEN");
      token != nullptr && options.token.empty()) {
    options.token = token;
  }
  return ports::desktop::run_sim(options);
}

std::string profile_names() {
  std::string names;
  for (const auto& profile : ports::desktop::profiles()) {
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  return names;
}

}  // namespace

void add_sim_command(Command& root) {
  auto args = std::make_shared<SimArgs>();
  Command sim = root.sub("sim", "Be a gadget: type or speak to a hub from this machine");
  sim.option("--url", args->options.url, "URL",
             "device URL of the hub; default ws://127.0.0.1:8765/gadget");
  sim.option("--state", args->state, "DIR",
             "folder of this gadget's key; default ~/.local/state/hermes-gadget/sim");
  sim.option("--script", args->script, "FILE",
             "do the steps of a file (-: of the standard input) and end; default: type by hand");
  sim.option("--name", args->options.name, "NAME", "what it is called; default its id");
  sim.option("--profile", args->options.profile, "NAME",
             "which board it plays: " + profile_names());
  sim.option("--token", args->options.token, "TOKEN",
             "the hub's access token; better in GADGET_ACCESS_TOKEN");
  sim.option("--ca", args->ca_file, "FILE", "certificates (PEM) to trust for wss://");
  sim.option("--pin", args->options.pin, "HEX", "SHA-256 of the hub's public key; see info");
  sim.option("--timeline", args->timeline, "FILE", "write what happened there, as JSON lines");
  sim.option("--voice", args->options.voice, "NAME",
             "who speaks the step `say`: rms (default), slt, awb, kal or espeak");
  sim.flag("--headless", args->options.headless, "no window (there is none yet)");
  sim.flag("--quiet", args->options.quiet, "print no time line");
  sim.flag("--steps", args->options.steps,
           "take the steps of a script one by one from the standard input, answer each `done N`");
  sim.more(
      "A script is one step a line: wait ready, text hello, press talk, say what time is it, "
      "drain,\n"
      "release talk, expect TEXT, screenshot FILE.png, speaker FILE.wav, sleep 2, quit, and "
      "others.\n"
      "\n"
      "  hermes-gadget sim --name kitchen\n"
      "  printf 'wait ready\\ntext hello\\nwait replying\\n' | hermes-gadget sim --script -");
  sim.runs([args] { return run(*args); });
}

}  // namespace gadget::cli
