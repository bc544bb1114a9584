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
  add_all_commands(line);
  const int code = line.run(argc, argv);
  if (std::fflush(stdout) != 0 && code == kDone) {
    complain("cannot write the output");
    return kDidNotWork;
  }
  return code;
}
