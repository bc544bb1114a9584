// `devices`: who has enrolled, page by page, and what changes.
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

// Rows of one request: the hub looks at no more at once.
constexpr const char* kPage = "250";
constexpr const char* kHomeAndClear = "\x1b[H\x1b[J";
constexpr const char* kClearAll = "\x1b[2J";

struct ListArgs : OwnerArgs {
  std::string text;
  bool online = false, watch = false;
};

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

Table new_table() {
  return Table({"ID", "NAME", "BOARD", "FIRMWARE", "PAIRED", "ONLINE", "KEY", "SENSORS"});
}

void add_row(Table& table, const json::object& device) {
  const bool paired = flag_of(device, "paired");
  const bool online = flag_of(device, "online");
  table.row({text_of(device, "id"), text_of(device, "name"), text_of(device, "board"),
             text_of(device, "firmware"), yes_or_no(paired), yes_or_no(online),
             flag_of(device, "enrolled_in_clear") ? "enrolled in clear" : "enrolled over TLS",
             sensors_of(device)},
            {Ink::plain, Ink::plain, Ink::plain, Ink::plain, paired ? Ink::plain : Ink::yellow,
             online ? Ink::green : Ink::dim});
}

// All pages, one after the other.
Result<void> each_page(const ListArgs& args,
                       const std::function<void(const std::vector<json::object>&)>& take) {
  std::string filter = std::string("/v1/devices?limit=") + kPage;
  if (args.online) filter += "&online=true";
  if (!args.text.empty()) filter += "&text=" + percent_encoded(args.text);
  std::string after;
  do {
    const auto page = get(args, after.empty() ? filter : filter + "&after=" + after);
    if (!page) return tl::unexpected(page.error());
    take(rows_of(page->object, "devices"));
    after = text_of(page->object, "next");
  } while (!after.empty());
  return {};
}

int list_json(const ListArgs& args) {
  std::fputs("[", stdout);
  bool first = true;
  const auto done = each_page(args, [&](const std::vector<json::object>& rows) {
    for (const json::object& row : rows) {
      std::printf("%s%s", first ? "" : ",", json_text(row).c_str());
      first = false;
    }
  });
  if (!done) return complain(done.error());
  std::fputs("]\n", stdout);
  return kDone;
}

int list(const ListArgs& args) {
  // Nothing is printed before the hub has answered: without one, there is an error line alone.
  const auto there = get(args, "/v1/devices?limit=1");
  if (!there) return complain(there.error());
  if (args.json) return list_json(args);
  Table table = new_table();
  bool any = false;
  const auto done = each_page(args, [&](const std::vector<json::object>& rows) {
    for (const json::object& row : rows) add_row(table, row);
    if (rows.empty()) return;
    any = true;
    table.print_and_go_on();
  });
  if (!done) return complain(done.error());
  if (!any) {
    std::puts(args.online || !args.text.empty()
                  ? "No device is like that."
                  : "No device has enrolled yet. Start one with the URL that `hermes-gadget info` "
                    "shows.");
  }
  return kDone;
}

// ---- Watching ----

class Watcher {
 public:
  explicit Watcher(const ListArgs& args) : args_(args), draws_(is_terminal() && !args.json) {}

  int run() {
    if (draws_) std::fputs(kClearAll, stdout);
    const auto ended = follow(args_, "/v1/devices/stream",
                              [this](const json::object& event) { return take(event); });
    if (failed_) return complain(*failed_);
    return ended ? kDone : complain(ended.error());
  }

 private:
  bool take(const json::object& event) {
    if (flag_of(event, "ready") || flag_of(event, "reset")) return read_all();
    const std::string id = text_of(event, "id");
    const bool known = devices_.contains(id);
    if (flag_of(event, "gone") || !is_wanted(event)) {
      devices_.erase(id);
      if (known) show(event);
    } else {
      devices_[id] = event;
      show(event);
    }
    return true;
  }

  bool read_all() {
    devices_.clear();
    const auto done = each_page(args_, [this](const std::vector<json::object>& rows) {
      for (const json::object& row : rows) {
        devices_[text_of(row, "id")] = row;
        if (!draws_) print_line(row);
      }
    });
    if (!done) {
      failed_ = done.error();
      return false;
    }
    if (draws_) draw();
    std::fflush(stdout);
    return true;
  }

  // What the list's filter would take.
  [[nodiscard]] bool is_wanted(const json::object& row) const {
    if (args_.online && !flag_of(row, "online")) return false;
    const auto lower = [](std::string text) {
      for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      return text;
    };
    const std::string part = lower(args_.text);
    for (const char* key : {"id", "name", "board", "firmware"}) {
      if (lower(text_of(row, key)).find(part) != std::string::npos) return true;
    }
    return false;
  }

  void show(const json::object& event) {
    if (draws_) {
      draw();
    } else {
      print_line(event);
    }
    std::fflush(stdout);
  }

  void print_line(const json::object& row) const {
    if (args_.json) {
      std::printf("%s\n", json_text(row).c_str());
      return;
    }
    const std::string id = text_of(row, "id");
    if (flag_of(row, "gone")) {
      std::printf("%s forgotten\n", id.c_str());
      return;
    }
    const std::string text = id + " " + text_of(row, "name") +
                             (flag_of(row, "online") ? " online" : " away") +
                             (flag_of(row, "paired") ? "" : " unpaired") + " " +
                             text_of(row, "firmware") + " " + sensors_of(row);
    std::printf("%s\n", printable(text).c_str());
  }

  void draw() const {
    // Heads, a line for what does not fit, and the cursor's.
    constexpr std::size_t kOtherLines = 3;
    const std::size_t lines = terminal_lines();
    const std::size_t room = lines > kOtherLines ? lines - kOtherLines : 1;
    Table table = new_table();
    std::size_t shown = 0;
    for (const auto& [id, row] : devices_) {
      if (shown == room) break;
      add_row(table, row);
      ++shown;
    }
    std::fputs(kHomeAndClear, stdout);
    table.print();
    if (shown < devices_.size()) std::printf("and %zu more\n", devices_.size() - shown);
  }

  const ListArgs& args_;
  const bool draws_;
  std::map<std::string, json::object> devices_;
  std::optional<Failure> failed_;
};

}  // namespace

void add_devices_command(Command& root) {
  auto args = std::make_shared<ListArgs>();
  Command command = root.sub("devices", "List the devices that have enrolled");
  command.optional_word("TEXT", args->text,
                        "only those that have it in id, name, board or firmware");
  command.flag("--online", args->online, "only those that are connected");
  command.flag("--watch", args->watch, "go on, and show what changes; Ctrl-C ends it");
  add_owner_options(command, *args);
  command.more(
      "On a terminal, --watch redraws the table; elsewhere it prints a line for each change, with\n"
      "--json an object.\n"
      "\n"
      "  hermes-gadget devices --online\n"
      "  hermes-gadget devices kitchen --json");
  command.runs([args] { return args->watch ? Watcher(*args).run() : list(*args); });
}

}  // namespace gadget::cli
