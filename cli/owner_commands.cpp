// `info`, `pairing`, `forget`, `rename`, `timezone`: who is there, and who may.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

int print_info(const OwnerArgs& owner) {
  return print_answer(owner, get(owner, "/v1/info"), [](const json::object& info) {
    const auto line = [](const char* head, const std::string& text) {
      if (!text.empty()) std::printf("%-12s %s\n", head, printable(text).c_str());
    };
    line("device URL", text_of(info, "url"));
    line("pin", text_of(info, "pin"));
    line("owner API", text_of(info, "owner_url"));
    line("agent", text_of(info, "agent"));
    line("speech", text_of(info, "speech"));
    line("devices", std::to_string(number_of(info, "devices")) + " enrolled, " +
                        std::to_string(number_of(info, "online")) + " online, " +
                        std::to_string(number_of(info, "pending")) + " waiting for approval");
    line("state", text_of(info, "state"));
    line("version", text_of(info, "version"));
  });
}

std::string told(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr     ? std::string()
         : value->is_string() ? std::string(value->get_string())
                              : json_text(*value);
}

void print_details(const json::object& device) {
  const auto line = [](const char* head, const std::string& text) {
    if (!text.empty()) std::printf("%-14s %s\n", head, printable(text).c_str());
  };
  line("id", text_of(device, "id"));
  line("name", text_of(device, "name"));
  line("board", text_of(device, "board"));
  line("firmware", text_of(device, "firmware"));
  line("online", yes_or_no(flag_of(device, "online")));
  line("paired", yes_or_no(flag_of(device, "paired")));
  line("key", flag_of(device, "enrolled_in_clear") ? "enrolled in clear" : "enrolled over TLS");
  line("address", text_of(device, "address"));
  line("first contact", text_of(device, "first_contact"));
  line("last contact", text_of(device, "last_contact"));
  line("time zone", text_of(device, "timezone"));
  line("events", std::to_string(number_of(device, "events")) + " since the hub was started");
  Table sensors({"SENSOR", "VALUE", "WHEN"});
  const json::object& times = device.at("sensor_times").as_object();
  for (const auto& [name, value] : device.at("sensors").as_object()) {
    sensors.row({name, value.is_string() ? std::string(value.get_string()) : json_text(value),
                 text_of(times, name)});
  }
  Table events({"EVENT", "DATA", "WHEN", "TOLD TO THE AGENT"});
  for (const json::object& event : rows_of(device, "recent_events")) {
    events.row({text_of(event, "name"), told(event, "data"), text_of(event, "time"),
                yes_or_no(flag_of(event, "reached_agent"))});
  }
  Table actions({"ACTION", "WHAT IT DOES"});
  for (const json::object& action : rows_of(device, "actions")) {
    actions.row({text_of(action, "name"), text_of(action, "description")});
  }
  for (const Table* table : {&sensors, &events, &actions}) {
    if (table->empty()) continue;
    std::puts("");
    table->print();
  }
}

int print_device(const DeviceArgs& args) {
  return print_answer(args, get(args, "/v1/device?device=" + percent_encoded(args.device)),
                      print_details);
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

void add_rename(Command& root) {
  struct Rename : DeviceArgs {
    std::string name;
  };
  auto rename = std::make_shared<Rename>();
  Command command = root.sub("rename", "Give a device another name");
  add_device_options(command, *rename);
  command.word("NAME", rename->name, "the new name, at most 64 characters");
  command.runs([rename] {
    return print_answer(
        *rename, post(*rename, "/v1/rename", {{"device", rename->device}, {"name", rename->name}}),
        [rename](const json::object& done) {
          std::printf("%s is called %s.\n", text_of(done, "device").c_str(),
                      printable(rename->name).c_str());
        });
  });
}

void add_timezone(Command& root) {
  struct Zone : DeviceArgs {
    std::string name;
  };
  auto zone = std::make_shared<Zone>();
  Command command = root.sub("timezone", "Say in which time zone a device is");
  add_device_options(command, *zone);
  command.word("ZONE", zone->name, "such as Europe/Berlin; `hub`: the hub's own again");
  command.more(
      "Alarms and the time that is told count by it at once; a device's own clock when it next\n"
      "connects. `info DEVICE` shows it.\n"
      "\n"
      "  hermes-gadget timezone kitchen Asia/Tokyo");
  command.runs([zone] {
    const std::string name = zone->name == "hub" ? std::string() : zone->name;
    return print_answer(
        *zone, post(*zone, "/v1/timezone", {{"device", zone->device}, {"timezone", name}}),
        [&name](const json::object& done) {
          std::printf("%s is in %s.\n", text_of(done, "device").c_str(),
                      name.empty() ? "the hub's time zone" : printable(name).c_str());
        });
  });
}

}  // namespace

void add_owner_commands(Command& root) {
  auto info = std::make_shared<DeviceArgs>();
  Command info_command =
      root.sub("info", "Show the running hub, or all that it knows of one device");
  info_command.optional_word("DEVICE", info->device,
                             "its id (hg-...), or its name when only one has it; without: the hub");
  add_owner_options(info_command, *info);
  info_command.runs(
      [info] { return info->device.empty() ? print_info(*info) : print_device(*info); });

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

  add_rename(root);
  add_timezone(root);
}

}  // namespace gadget::cli
