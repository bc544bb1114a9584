// `info`, `devices`, `pairing`, `forget`, `rename`: who is there, and who may.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

std::string sensors_of(const json::object& device) {
  std::string all;
  const json::value* sensors = device.if_contains("sensors");
  if (sensors == nullptr || !sensors->is_object()) return all;
  for (const auto& [name, value] : sensors->get_object()) {
    all += (all.empty() ? "" : " ") + std::string(name) + "=" +
           (value.is_string() ? std::string(value.get_string()) : json_text(value));
  }
  return all;
}

int print_info(const OwnerArgs& owner) {
  return print_answer(owner, get(owner, "/v1/info"), [](const json::object& info) {
    const auto line = [](const char* head, const std::string& text) {
      std::printf("%-12s %s\n", head, printable(text).c_str());
    };
    line("device URL", text_of(info, "url"));
    if (const auto pin = text_of(info, "pin"); !pin.empty()) line("pin", pin);
    line("agent", text_of(info, "agent"));
    line("speech", text_of(info, "speech"));
    line("devices", std::to_string(number_of(info, "devices")) + " enrolled, " +
                        std::to_string(number_of(info, "online")) + " online, " +
                        std::to_string(number_of(info, "pending")) + " waiting for approval");
    line("state", text_of(info, "state"));
    line("version", text_of(info, "version"));
  });
}

int print_devices(const OwnerArgs& owner) {
  auto answer = get(owner, "/v1/devices");
  if (!answer) return complain(answer.error());
  const auto rows = rows_of(answer->object, "devices");
  if (owner.json) {
    // The interface is a list of objects, whatever else the API may add around it.
    std::printf("%s\n", json_text(answer->object.at("devices")).c_str());
    return kDone;
  }
  if (rows.empty()) {
    std::puts(
        "No device has enrolled yet. Start one with the URL that `hermes-gadget info` shows.");
    return kDone;
  }
  Table table({"ID", "NAME", "BOARD", "FIRMWARE", "PAIRED", "ONLINE", "KEY", "SENSORS"});
  for (const json::object& device : rows) {
    table.row({text_of(device, "id"), text_of(device, "name"), text_of(device, "board"),
               text_of(device, "firmware"), yes_or_no(flag_of(device, "paired")),
               yes_or_no(flag_of(device, "online")),
               flag_of(device, "enrolled_in_clear") ? "enrolled in clear" : "enrolled over TLS",
               sensors_of(device)});
  }
  table.print();
  return kDone;
}

int print_pending(const OwnerArgs& owner) {
  auto answer = get(owner, "/v1/pairing");
  if (!answer) return complain(answer.error());
  if (owner.json) {
    std::printf("%s\n", json_text(answer->object.at("pending")).c_str());
    return kDone;
  }
  const auto rows = rows_of(answer->object, "pending");
  if (rows.empty()) {
    std::puts("No device waits for approval.");
    return kDone;
  }
  Table table({"ID", "CODE", "ADDRESS", "FIRST CONTACT", "CONNECTED"});
  for (const json::object& device : rows) {
    table.row({text_of(device, "id"), text_of(device, "code"), text_of(device, "address"),
               text_of(device, "first_contact"), yes_or_no(flag_of(device, "connected"))});
  }
  table.print();
  return kDone;
}

// `approve gadget CODE`, as Hermes has it; `approve CODE` is understood too.
int approve(const OwnerArgs& owner, const std::vector<std::string>& words) {
  if (words.size() > 2 || (words.size() == 2 && words[0] != "gadget")) {
    complain("pairing approve takes: gadget CODE-OR-ID",
             "such as: hermes-gadget pairing approve gadget ABCD2345");
    return kWrongUsage;
  }
  return print_answer(owner, post(owner, "/v1/pairing/approve", {{"code_or_id", words.back()}}),
                      [](const json::object& done) {
                        std::printf("%s is approved.\n", text_of(done, "device").c_str());
                      });
}

void add_pairing(Command& root) {
  Command pairing = root.sub("pairing", "Say which devices may talk");
  auto list = std::make_shared<OwnerArgs>();
  Command list_command = pairing.sub("list", "Show the devices that wait for your approval");
  add_owner_options(list_command, *list);
  list_command.runs([list] { return print_pending(*list); });

  struct Approve : OwnerArgs {
    std::vector<std::string> words;
  };
  auto approve_args = std::make_shared<Approve>();
  Command approve_command =
      pairing.sub("approve", "Approve a device by the code or the id on its screen");
  approve_command.words(
      "gadget CODE-OR-ID", approve_args->words,
      "the word `gadget`, then the code (8 letters and digits) or the id (hg-...)");
  add_owner_options(approve_command, *approve_args);
  approve_command.more(
      "An id that has never come is approved for when it does.\n"
      "\n"
      "  hermes-gadget pairing approve gadget ABCD2345");
  approve_command.runs([approve_args] { return approve(*approve_args, approve_args->words); });

  auto revoke = std::make_shared<DeviceArgs>();
  Command revoke_command =
      pairing.sub("revoke", "Take a device's approval back; it stays enrolled");
  add_device_options(revoke_command, *revoke);
  revoke_command.runs([revoke] {
    return print_answer(*revoke, post(*revoke, "/v1/pairing/revoke", {{"device", revoke->device}}),
                        [](const json::object& done) {
                          std::printf("%s may not talk any more.\n",
                                      text_of(done, "device").c_str());
                        });
  });

  auto drop = std::make_shared<OwnerArgs>();
  Command drop_command = pairing.sub("drop", "Drop all devices that wait; their codes are void");
  add_owner_options(drop_command, *drop);
  drop_command.runs([drop] {
    return print_answer(*drop, post(*drop, "/v1/pairing/drop", {}), [](const json::object& done) {
      std::printf("%lld dropped.\n", static_cast<long long>(number_of(done, "dropped")));
    });
  });
}

}  // namespace

void add_owner_commands(Command& root) {
  auto info = std::make_shared<OwnerArgs>();
  Command info_command = root.sub("info", "Show the running hub: the device URL, speech, devices");
  add_owner_options(info_command, *info);
  info_command.runs([info] { return print_info(*info); });

  auto devices = std::make_shared<OwnerArgs>();
  Command devices_command = root.sub("devices", "List the devices that have enrolled");
  add_owner_options(devices_command, *devices);
  devices_command.runs([devices] { return print_devices(*devices); });

  add_pairing(root);

  auto forget = std::make_shared<DeviceArgs>();
  Command forget_command =
      root.sub("forget", "Forget a device: key, approval, questions and lists");
  add_device_options(forget_command, *forget);
  forget_command.runs([forget] {
    return print_answer(*forget, post(*forget, "/v1/forget", {{"device", forget->device}}),
                        [](const json::object& done) {
                          std::printf(
                              "%s is forgotten. When it connects again, it asks its person before "
                              "it gives its key\n"
                              "to a hub that does not know it.\n",
                              text_of(done, "device").c_str());
                        });
  });

  struct Rename : DeviceArgs {
    std::string name;
  };
  auto rename = std::make_shared<Rename>();
  Command rename_command = root.sub("rename", "Give a device another name");
  add_device_options(rename_command, *rename);
  rename_command.word("NAME", rename->name, "the new name, at most 64 characters");
  rename_command.runs([rename] {
    return print_answer(
        *rename, post(*rename, "/v1/rename", {{"device", rename->device}, {"name", rename->name}}),
        [rename](const json::object& done) {
          std::printf("%s is called %s.\n", text_of(done, "device").c_str(),
                      printable(rename->name).c_str());
        });
  });
}

}  // namespace gadget::cli
