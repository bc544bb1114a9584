// `turns` and `logs`: what was, and with --follow what comes.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

struct HistoryArgs : DeviceArgs {
  std::string level;
  double limit = 50;
  bool follow = false;
};

std::string target_of(const HistoryArgs& args, std::string_view path) {
  std::string target = std::string(path) + (args.follow ? "/stream" : "") +
                       "?limit=" + std::to_string(static_cast<std::int64_t>(args.limit));
  if (!args.device.empty()) target += "&device=" + percent_encoded(args.device);
  if (!args.level.empty()) target += "&level=" + percent_encoded(args.level);
  return target;
}

void print_json_line(const json::object& row) { std::printf("%s\n", json_text(row).c_str()); }

int follow_lines(const HistoryArgs& args, std::string_view path,
                 void (*print)(const json::object& row)) {
  const auto ended = follow(args, target_of(args, path), [&](const json::object& row) {
    args.json ? print_json_line(row) : print(row);
    return std::fflush(stdout) == 0;
  });
  return ended ? kDone : complain(ended.error());
}

bool is_usable(const HistoryArgs& args) { return args.limit >= 0 && args.limit <= 1000; }

int wrong_limit(const char* command) {
  complain("--limit is 0 to 1000", std::string("see: hermes-gadget ") + command + " --help");
  return kWrongUsage;
}

// ---- Turns ----

// A point of the time line in seconds; empty where the turn did not come to it.
std::string seconds_at(const json::object& turn, std::string_view point) {
  const json::object& line = turn.at("timeline").as_object();
  if (!line.contains(point)) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(number_of(line, point)) / 1000.0);
  return text;
}

Ink ink_of(const std::string& outcome) {
  return outcome == "success" ? Ink::green : outcome == "failure" ? Ink::red : Ink::yellow;
}

void print_turn(const json::object& turn) {
  const std::string outcome = text_of(turn, "outcome");
  std::string line = text_of(turn, "time") + " " + text_of(turn, "device") + " " +
                     text_of(turn, "kind") + " " + inked(ink_of(outcome), outcome);
  const auto add = [&](const char* head, const std::string& text) {
    if (!text.empty()) line += std::string(" ") + head + "=" + text;
  };
  add("text_s", seconds_at(turn, "final_text_ms"));
  add("voice_s", seconds_at(turn, "first_frame_ms"));
  add("end_s", seconds_at(turn, "end_ms"));
  std::printf("%s\n", line.c_str());
  if (turn.contains("asked")) {
    std::printf("  > %s\n  < %s\n", printable(text_of(turn, "asked")).c_str(),
                printable(text_of(turn, "answered")).c_str());
  }
}

int turns(const HistoryArgs& args) {
  if (!is_usable(args)) return wrong_limit("turns");
  if (args.follow) return follow_lines(args, "/v1/turns", print_turn);
  const auto answer = get(args, target_of(args, "/v1/turns"));
  if (!answer) return complain(answer.error());
  if (args.json) {
    std::printf("%s\n", json_text(answer->object.at("turns")).c_str());
    return kDone;
  }
  Table table(
      {"TIME", "DEVICE", "KIND", "OUTCOME", "TEXT s", "VOICE s", "END s", "ASKED", "ANSWERED"});
  for (const json::object& turn : rows_of(answer->object, "turns")) {
    const std::string outcome = text_of(turn, "outcome");
    const bool has_texts = turn.contains("asked");
    table.row({text_of(turn, "time"), text_of(turn, "device"), text_of(turn, "kind"), outcome,
               seconds_at(turn, "final_text_ms"), seconds_at(turn, "first_frame_ms"),
               seconds_at(turn, "end_ms"), has_texts ? text_of(turn, "asked") : "(not kept)",
               has_texts ? text_of(turn, "answered") : ""},
              {Ink::plain, Ink::plain, Ink::plain, ink_of(outcome)});
  }
  if (table.empty()) {
    std::puts("No turn has ended since the hub was started.");
  } else {
    table.print();
  }
  return kDone;
}

// ---- The log ----

void print_log_line(const json::object& line) {
  const std::string level = text_of(line, "level");
  const Ink ink = level == "error"     ? Ink::red
                  : level == "warning" ? Ink::yellow
                  : level == "debug"   ? Ink::dim
                                       : Ink::plain;
  std::printf("%s %s %s\n", text_of(line, "time").c_str(), inked(ink, level).c_str(),
              printable(text_of(line, "line")).c_str());
}

int logs(const HistoryArgs& args) {
  if (!is_usable(args)) return wrong_limit("logs");
  if (args.follow) return follow_lines(args, "/v1/logs", print_log_line);
  const auto answer = get(args, target_of(args, "/v1/logs"));
  if (!answer) return complain(answer.error());
  if (args.json) {
    std::printf("%s\n", json_text(answer->object.at("lines")).c_str());
    return kDone;
  }
  for (const json::object& line : rows_of(answer->object, "lines")) print_log_line(line);
  return kDone;
}

}  // namespace

void add_history_commands(Command& root) {
  auto past = std::make_shared<HistoryArgs>();
  Command turns_command = root.sub("turns", "Show the last turns: when, how they ended, how long");
  turns_command.optional_word("DEVICE", past->device,
                              "only of this one: its id, or its name when only one has it");
  turns_command.flag("--follow", past->follow, "go on with those that come; Ctrl-C ends it");
  turns_command.option("--limit", past->limit, "N", "at most so many that were; default 50");
  add_owner_options(turns_command, *past);
  turns_command.more(
      "Times are seconds from the end of the request to the reply's text, to the first of its\n"
      "voice, and to the end. What was asked and answered is kept only with the setting "
      "turn_texts,\n"
      "and in memory only. With --json --follow, an object a line.");
  turns_command.runs([past] { return turns(*past); });

  auto log = std::make_shared<HistoryArgs>();
  Command logs_command = root.sub("logs", "Show the last lines of the hub's log");
  logs_command.option("--device", log->device, "DEVICE", "only of this device");
  logs_command.option("--level", log->level, "LEVEL",
                      "from this one on: debug, info, warning, error");
  logs_command.flag("--follow", log->follow, "go on with those that come; Ctrl-C ends it");
  logs_command.option("--limit", log->limit, "N", "at most so many that were; default 50");
  add_owner_options(logs_command, *log);
  logs_command.more(
      "The hub keeps its last 2,000 lines; what is logged at all, the setting log_level says.\n"
      "\n"
      "  hermes-gadget logs --level warning --follow");
  logs_command.runs([log] { return logs(*log); });
}

}  // namespace gadget::cli
