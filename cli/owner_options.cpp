#include "cli/owner_options.hpp"

#include <cstdio>

#include "cli/print.hpp"

namespace gadget::cli {

void add_owner_options(Command& command, OwnerArgs& args) {
  command.option(
      "--state", args.state, "DIR",
      "state folder of the hub to talk to; default ~/.local/state/hermes-gadget, or where no "
      "hub of yours is, /var/lib/hermes-gadget");
  command.option("--hub-url", args.hub_url, "URL",
                 "the hub's owner API over TCP, such as http://127.0.0.1:8780; its token is in "
                 "GADGET_OWNER_TOKEN or in the state folder");
  command.flag("--json", args.json, "print JSON");
}

void add_device_options(Command& command, DeviceArgs& args) {
  command.word("DEVICE", args.device, "its id (hg-...), or its name when only one has it");
  add_owner_options(command, args);
}

int print_answer(const OwnerArgs& owner, const Result<Answer>& answer,
                 const std::function<void(const boost::json::object&)>& print) {
  if (!answer) return complain(answer.error());
  if (owner.json) {
    std::fputs(answer->text.c_str(), stdout);
  } else {
    print(answer->object);
  }
  return kDone;
}

}  // namespace gadget::cli
