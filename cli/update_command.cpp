// `update`: new firmware for a device, or for all of them.
#include <cmath>
#include <cstdio>
#include <optional>
#include <thread>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "hub/firmware/limits.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

// How often the hub is asked how far it is.
constexpr auto kPoll = std::chrono::milliseconds{200};
// How long a hub may be away while it is restarted.
constexpr auto kHubAway = std::chrono::seconds{60};
constexpr int kRefused = 4;

struct UpdateArgs : OwnerArgs {
  std::string first, second, board;
  double batch = static_cast<double>(hub::limits::kFleetBatch);
  double stop_after_failures = static_cast<double>(hub::limits::kFleetStopAfter);
  bool all = false, status = false, cancel = false, force = false, no_wait = false;
};

// ---- One device ----

int exit_code_of(const json::object& update) {
  const std::string phase = text_of(update, "phase");
  if (phase == "installed") return kDone;
  return phase == "refused" ? kRefused : kDidNotWork;
}

// The last line: what happened, and the exit code.
int tell_end(const UpdateArgs& args, const Answer& answer, int code) {
  if (args.json) {
    std::fputs(answer.text.c_str(), stdout);
    return code;
  }
  const std::string text = text_of(answer.object, "text");
  if (code == kDone) {
    std::printf("%s.\n", printable(text).c_str());
  } else {
    complain(printable(text), printable(text_of(answer.object, "hint")));
  }
  return code;
}

// Asks until `told` says that there is nothing to wait for any more. A hub that is restarted
// meanwhile is waited for.
template <class Told, class Show>
Result<Answer> watch(const UpdateArgs& args, const json::object& of, Told told, Show show) {
  auto seen = std::chrono::steady_clock::now();
  for (;;) {
    auto answer = post(args, "/v1/update/status", of);
    const auto now = std::chrono::steady_clock::now();
    if (answer) {
      seen = now;
      show(answer->object);
      if (told(answer->object)) return answer;
    } else {
      const FailureCode code = answer.error().code;
      const bool away =
          code == FailureCode::no_hub || code == FailureCode::io || code == FailureCode::timeout;
      if (!away || now - seen > kHubAway) return answer;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

void show_update(Progress& progress, const json::object& update) {
  const std::int64_t size = number_of(update, "size");
  const bool sending = text_of(update, "phase") == "sending" && size > 0;
  const std::string step = text_of(update, "phase") + std::to_string(number_of(update, "tries")) +
                           (flag_of(update, "online") ? "" : " away");
  progress.show(step, printable(text_of(update, "text")),
                sending ? std::optional(static_cast<double>(number_of(update, "taken")) /
                                        static_cast<double>(size))
                        : std::nullopt);
}

int update(const UpdateArgs& args, const std::string& image) {
  std::string target = "/v1/update?device=" + percent_encoded(args.first);
  if (args.force) target += "&force=true";
  auto started = post_file(args, target, image, kNoTimeout);
  if (!started) return complain(started.error());
  if (args.no_wait) return tell_end(args, *started, kDone);
  Progress progress(args.json ? Progress::Kind::none : Progress::fitting());
  const std::string id = text_of(started->object, "device");
  // What ends at once is not in the hub's books.
  const auto ended = flag_of(started->object, "told")
                         ? started
                         : watch(
                               args, {{"device", id}},
                               [](const json::object& its) { return flag_of(its, "told"); },
                               [&](const json::object& its) { show_update(progress, its); });
  progress.end();
  if (!ended) return complain(ended.error());
  return tell_end(args, *ended, exit_code_of(ended->object));
}

// ---- All of them ----

json::object fleet_of(const json::object& answer) {
  const json::value* fleet = answer.if_contains("fleet");
  return fleet != nullptr && fleet->is_object() ? fleet->get_object() : json::object();
}

bool is_running(const json::object& fleet) {
  const std::string stage = text_of(fleet, "stage");
  return stage == "canary" || stage == "rolling";
}

// What is left can only go on when devices come that are away.
bool only_away(const json::object& fleet) {
  return number_of(fleet, "busy") == 0 && number_of(fleet, "waiting") == number_of(fleet, "away");
}

int exit_code_of_fleet(const json::object& fleet) {
  const bool good = is_running(fleet) || text_of(fleet, "stage") == "finished";
  return good && number_of(fleet, "failed") == 0 ? kDone : kDidNotWork;
}

int tell_fleet(const UpdateArgs& args, const Answer& answer) {
  const json::object fleet = fleet_of(answer.object);
  return tell_end(args, {answer.text, fleet}, exit_code_of_fleet(fleet));
}

void tell_left_out(const json::object& answer) {
  const json::value* left_out = answer.if_contains("left_out");
  if (left_out == nullptr || !left_out->is_object()) return;
  const auto say = [&](const char* key, const char* why) {
    const std::int64_t count = number_of(left_out->get_object(), key);
    if (count > 0) std::printf("%lld left out: %s\n", static_cast<long long>(count), why);
  };
  say("already", "they run it already, or get it already");
  say("other_board", "another board");
  say("not_again", "they went back from it, or from a newer one (--force sends it again)");
  say("unpaired", "not paired");
}

int update_all(const UpdateArgs& args, const std::string& image) {
  std::string target =
      "/v1/update/all?batch=" + std::to_string(std::llround(args.batch)) +
      "&stop_after_failures=" + std::to_string(std::llround(args.stop_after_failures));
  if (!args.board.empty()) target += "&board=" + percent_encoded(args.board);
  if (args.force) target += "&force=true";
  auto started = post_file(args, target, image, kNoTimeout);
  if (!started) return complain(started.error());
  if (!args.json) tell_left_out(started->object);
  const json::object fleet = fleet_of(started->object);
  if (number_of(fleet, "total") == 0) {
    if (args.json) {
      std::fputs(started->text.c_str(), stdout);
    } else {
      std::puts("No device needs it.");
    }
    return kDone;
  }
  if (args.no_wait) return tell_fleet(args, *started);
  Progress progress(args.json ? Progress::Kind::none : Progress::fitting());
  const auto ended = watch(
      args, {},
      [](const json::object& its) {
        const json::object now = fleet_of(its);
        return !is_running(now) || only_away(now);
      },
      [&](const json::object& its) {
        const json::object now = fleet_of(its);
        const auto total = static_cast<double>(std::max<std::int64_t>(1, number_of(now, "total")));
        const std::string text = printable(text_of(now, "text"));
        progress.show(text, text, static_cast<double>(number_of(now, "installed")) / total);
      });
  progress.end();
  if (!ended) return complain(ended.error());
  return tell_fleet(args, *ended);
}

// ---- What there is ----

int print_status(const UpdateArgs& args) {
  if (!args.first.empty()) {
    const auto answer = post(args, "/v1/update/status", {{"device", args.first}});
    return print_answer(args, answer, [](const json::object& its) {
      std::printf("%s.\n", printable(text_of(its, "text")).c_str());
      if (const auto hint = text_of(its, "hint"); !hint.empty()) {
        std::printf("%s\n", printable(hint).c_str());
      }
    });
  }
  return print_answer(args, get(args, "/v1/updates"), [](const json::object& its) {
    const json::object fleet = fleet_of(its);
    if (!fleet.empty()) {
      std::printf("All devices (%s): %s.\n", printable(text_of(fleet, "version")).c_str(),
                  printable(text_of(fleet, "text")).c_str());
    }
    Table table({"NAME", "ID", "VERSION", "PHASE", "TRIES", "WHAT HAPPENED"});
    for (const json::object& row : rows_of(its, "updates")) {
      table.row({text_of(row, "name"), text_of(row, "device"), text_of(row, "version"),
                 text_of(row, "phase"), std::to_string(number_of(row, "tries")),
                 text_of(row, "text")});
    }
    if (table.empty()) {
      std::puts("No device was updated by this hub yet.");
    } else {
      table.print();
    }
  });
}

int cancel(const UpdateArgs& args) {
  json::object of;
  if (!args.first.empty()) of["device"] = args.first;
  return print_answer(args, post(args, "/v1/update/cancel", of), [&](const json::object& its) {
    const json::object fleet = fleet_of(its);
    std::printf("%s.\n", printable(text_of(fleet.empty() ? its : fleet, "text")).c_str());
  });
}

int wrong_usage(const char* text) {
  complain(text, "see: hermes-gadget update --help");
  return kWrongUsage;
}

int run(UpdateArgs args) {
  if (args.status + args.cancel + args.all > 1) {
    return wrong_usage("update takes one of --all, --status, --cancel");
  }
  if (args.status || args.cancel) {
    if (!args.second.empty())
      return wrong_usage("update --status and --cancel take a device at most");
    return args.status ? print_status(args) : cancel(args);
  }
  if (args.all && (args.first.empty() || !args.second.empty())) {
    return wrong_usage("update --all takes: FILE");
  }
  if (!args.all && args.second.empty()) return wrong_usage("update takes: DEVICE FILE");
  const std::string& file = args.all ? args.first : args.second;
  const auto image = files::read(file, hub::limits::kFirmwareFileBytes);
  if (!image) return complain(image.error());
  if (image->empty()) {
    return complain(Failure{FailureCode::invalid_argument, file + " is empty", {}});
  }
  return args.all ? update_all(args, *image) : update(args, *image);
}

}  // namespace

void add_update_command(Command& root) {
  auto args = std::make_shared<UpdateArgs>();
  Command command = root.sub("update", "Send new firmware to a device, or to all of them");
  command.optional_word("DEVICE", args->first, "its id (hg-...), or its name when only one has it");
  command.optional_word("FILE", args->second, "the image that the build made; at most 32 MB");
  command.flag("--all", args->all, "all paired devices of the image's board, one of them first");
  command.option("--batch", args->batch, "N", "with --all: at most N at a time; default 10");
  command.option("--stop-after-failures", args->stop_after_failures, "K",
                 "with --all: halts when K failed; default 1");
  command.option("--board", args->board, "NAME",
                 "with --all: the board, when the image does not say it");
  command.flag("--force", args->force,
               "send it although it is of another kind or board, or was rolled back before");
  command.flag("--no-wait", args->no_wait, "start it, and do not wait for its end");
  command.flag("--status", args->status, "show what became of updates");
  command.flag("--cancel", args->cancel, "end the update of a device, or without one that of all");
  add_owner_options(command, *args);
  command.more(
      "Waits until the device reports the new version, and says what happened. Exit codes: 0 it\n"
      "runs it, 1 it does not (or nobody knows), 4 the hub or the device refused it. A device "
      "that\n"
      "is away gets it when it is back; Ctrl-C ends the waiting, not the update.\n"
      "\n"
      "  hermes-gadget update kitchen firmware-1.3.0.bin\n"
      "  hermes-gadget update --all firmware-1.3.0.bin --batch 20 --stop-after-failures 3\n"
      "  hermes-gadget update --status");
  command.runs([args] { return run(*args); });
}

}  // namespace gadget::cli
