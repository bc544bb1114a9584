// hermes-gadget: one binary, a command for everything.
#include <csignal>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"

int main(int argc, char** argv) {
  using namespace gadget::cli;
  // A reader that goes away (`hermes-gadget devices | head -1`) is no error of ours to die of.
  std::signal(SIGPIPE, SIG_IGN);
  CommandLine line("A hub that lets small devices talk to an agent, and the tools around it.",
                   GADGET_VERSION);
  Command root = line.root();
  root.more(
      "First steps:\n"
      "  hermes-gadget hub                    start a hub on this machine\n"
      "  hermes-gadget info                   the URL that devices connect to\n"
      "  hermes-gadget pairing list           which devices wait for your approval\n"
      "\n"
      "Exit codes: 0 done, 1 it did not work, 2 wrong usage, 3 no hub there, 4 refused by the "
      "hub.");
  add_hub_command(root);
  add_owner_commands(root);
  add_conversation_commands(root);
  add_backup_commands(root);
  add_image_command(root);
  add_update_command(root);
  add_sim_command(root);
  add_replay_command(root);
  add_speech_commands(root);
  add_licences_command(root);
  add_conformance_command(root);
  add_bench_command(root);
  const int code = line.run(argc, argv);
  if (std::fflush(stdout) != 0 && code == kDone) {
    complain("cannot write the output");
    return kDidNotWork;
  }
  return code;
}
