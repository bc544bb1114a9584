// Every command, in the order of --help.
#include "cli/commands.hpp"

namespace gadget::cli {

void add_all_commands(CommandLine& line) {
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
  add_devices_command(root);
  add_history_commands(root);
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
  add_completion_commands(root, line);
}

}  // namespace gadget::cli
