// owner_options.hpp - what the owner's commands have in common: --state, --json, a device, how an
// answer is printed.
#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"
#include "cli/owner_client.hpp"
#include "hub/owner/json_text.hpp"

namespace gadget::cli {

struct DeviceArgs : OwnerArgs {
  std::string device;
};

void add_owner_options(Command& command, OwnerArgs& args);
void add_device_options(Command& command, DeviceArgs& args);  // DEVICE first, then the others

using hub::json_text;

// A failure as its line, an answer as JSON or by `print`. Returns the exit code.
int print_answer(const OwnerArgs& owner, const Result<Answer>& answer,
                 const std::function<void(const boost::json::object&)>& print);

}  // namespace gadget::cli
