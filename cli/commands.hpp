// commands.hpp - the groups of commands, each in a file of its own; main.cpp puts them together.
#pragma once

#include "cli/command.hpp"

namespace gadget::cli {

void add_all_commands(CommandLine& line);

void add_hub_command(Command& root);            // hub, config
void add_owner_commands(Command& root);         // info, pairing, forget, rename, timezone
void add_devices_command(Command& root);        // devices
void add_history_commands(Command& root);       // turns, logs
void add_backup_commands(Command& root);        // backup, restore
void add_conversation_commands(Command& root);  // say, show, ask, action
void add_image_command(Command& root);          // image
void add_update_command(Command& root);         // update
void add_speech_commands(Command& root);        // speech install, speech check
void add_licences_command(Command& root);       // licenses
void add_sim_command(Command& root);            // sim
void add_replay_command(Command& root);         // replay
void add_conformance_command(Command& root);    // conformance
void add_bench_command(Command& root);          // bench
// completion, man; `line` outlives the run
void add_completion_commands(Command& root, const CommandLine& line);

}  // namespace gadget::cli
