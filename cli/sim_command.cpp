// `sim`: a virtual gadget, the device core itself on this machine.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "ports/desktop/profile.hpp"
#include "ports/desktop/replay.hpp"
#include "ports/desktop/sim.hpp"

namespace gadget::cli {
namespace {

// What stands in files, as the command line gives it.
struct SimArgs {
  ports::desktop::SimOptions options;
  std::string state, script, ca_file, timeline, record;
  bool headless = false;
};

int run(const SimArgs& args) {
  ports::desktop::SimOptions options = args.options;
  options.state = args.state;
  options.script = args.script;
  options.ca_file = args.ca_file;
  options.timeline = args.timeline;
  options.record = args.record;
  // By hand: in a window. What a script or a pipe says goes without, unless asked for.
  const bool by_hand = options.script.empty() && !options.steps && isatty(STDIN_FILENO) != 0;
  options.window = !args.headless && (options.window || by_hand);
  if (options.profile == "list") {
    std::fputs(ports::desktop::profile_table().c_str(), stdout);
    return kDone;
  }
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

struct ReplayArgs {
  ports::desktop::ReplayOptions options;
  std::string file;
  double until_s = -1;
  bool trace = false;
};

int play(const ReplayArgs& args) {
  auto options = args.options;
  if (args.until_s >= 0) options.until_s = args.until_s;
  if (args.trace) {
    options.trace = [](std::string_view line) {
      std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    };
  }
  const auto end = ports::desktop::replay_file(args.file, options);
  if (!end) {
    complain(end.error());
    return end.error().code == FailureCode::invalid_argument ? kWrongUsage
                                                             : exit_code(end.error().code);
  }
  if (!end->same) {
    std::printf("%s differs: %s\n", args.file.c_str(), end->difference.c_str());
    if (end->version != GADGET_VERSION) {
      std::printf("it was recorded by version %s, this is %s\n", end->version.c_str(),
                  GADGET_VERSION);
    }
    return kDidNotWork;
  }
  std::printf("the same: %zu calls in %.1f s, %zu messages sent, %zu pictures\n", end->calls,
              end->seconds, end->messages, end->pictures);
  if (options.heap_check && end->allocations > 0) {
    std::printf("the core took memory %llu times\n",
                static_cast<unsigned long long>(end->allocations));
    return kDidNotWork;
  }
  return kDone;
}

}  // namespace

void add_replay_command(Command& root) {
  auto args = std::make_shared<ReplayArgs>();
  Command replay = root.sub("replay", "Play a record of `sim --record` again and compare");
  replay.word("FILE", args->file, "the record");
  replay.option("--screenshot", args->options.screenshot, "FILE.png",
                "write the last picture there");
  replay.option("--until", args->until_s, "SECONDS", "stop there, counted from the beginning");
  replay.flag("--trace", args->trace, "print every line of the record as it is played");
  replay.flag("--heap-check", args->options.heap_check,
              "fail when the device core took memory from the heap");
  replay.more(
      "The device core of this program is told all that the recorded one was told, and must send "
      "the\nsame bytes and show the same pictures. Exit codes: 0 it did, 1 it did not (printed: "
      "where first),\n2 that is no record.");
  replay.runs([args] { return play(*args); });
}

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
             "which board it plays: " + profile_names() + "; list: a table of them");
  sim.option("--token", args->options.token, "TOKEN",
             "the hub's access token; better in GADGET_ACCESS_TOKEN");
  sim.option("--ca", args->ca_file, "FILE", "certificates (PEM) to trust for wss://");
  sim.option("--pin", args->options.pin, "HEX", "SHA-256 of the hub's public key; see info");
  sim.option("--timeline", args->timeline, "FILE", "write what happened there, as JSON lines");
  sim.option("--voice", args->options.voice, "NAME",
             "who speaks the step `say`: rms (default), slt, awb, kal or espeak");
  sim.option("--record", args->record, "FILE",
             "write all that the core is told, for `hermes-gadget replay` and for bug reports: it "
             "holds what is said and shown, but no key and no token");
  sim.flag("--heap-check", args->options.heap_check,
           "fail when the device core took memory from the heap");
  sim.hidden_flag("--no-clock", args->options.no_clock);
  sim.flag("--headless", args->headless, "no window and no sound, only files and the terminal");
  sim.flag("--window", args->options.window,
           "a window also with a script, or when nobody types at a terminal");
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
