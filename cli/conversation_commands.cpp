// `say`, `show`, `ask`, `action`: what the owner tells a device, and what it answers.
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

struct ToldArgs : DeviceArgs {
  std::string title, text, args_json = "{}", name;
  double ttl_s = -1;  // not said
};

void add_ttl(json::object& body, double ttl_s) {
  if (ttl_s >= 0) body["ttl_s"] = ttl_s;
}

int say(const ToldArgs& args) {
  return print_answer(args, post(args, "/v1/say", {{"device", args.device}, {"text", args.text}}),
                      [](const json::object&) {});
}

int show(const ToldArgs& args) {
  json::object body{{"device", args.device}, {"title", args.title}, {"body", args.text}};
  add_ttl(body, args.ttl_s);
  return print_answer(args, post(args, "/v1/show", body), [](const json::object&) {});
}

// Prints `yes`, `no` or `expired`: 0, 0, 1.
int ask(const ToldArgs& args) {
  json::object body{{"device", args.device}, {"text", args.text}};
  if (!args.title.empty()) body["title"] = args.title;
  add_ttl(body, args.ttl_s);
  const auto answer = post(args, "/v1/ask", body, kNoTimeout);
  if (!answer) return complain(answer.error());
  const std::string said = text_of(answer->object, "answer");
  if (args.json) {
    std::fputs(answer->text.c_str(), stdout);
  } else {
    std::printf("%s\n", said.c_str());
  }
  return said == "yes" || said == "no" ? kDone : kDidNotWork;
}

// The result is printed as the device wrote it.
int action(const ToldArgs& args) {
  const auto answer =
      post(args, "/v1/action",
           {{"device", args.device}, {"name", args.name}, {"args", args.args_json}}, kNoTimeout);
  if (!answer) return complain(answer.error());
  if (args.json) {
    std::fputs(answer->text.c_str(), stdout);
    return kDone;
  }
  const json::value& result = answer->object.at("result");
  const std::string text =
      result.is_string() ? std::string(result.get_string()) : json_text(result);
  std::printf("%s\n", printable(text).c_str());
  return kDone;
}

}  // namespace

void add_conversation_commands(Command& root) {
  auto said = std::make_shared<ToldArgs>();
  Command say_command = root.sub("say", "Let a device say something");
  add_device_options(say_command, *said);
  say_command.word("TEXT", said->text, "what it says");
  say_command.more("A device that is away says it when it is back, for a day.");
  say_command.runs([said] { return say(*said); });

  auto shown = std::make_shared<ToldArgs>();
  Command show_command = root.sub("show", "Show a card on a device's screen");
  add_device_options(show_command, *shown);
  show_command.word("TITLE", shown->title, "its first line");
  show_command.word("BODY", shown->text, "its text; Markdown is understood");
  show_command.option("--ttl", shown->ttl_s, "SECONDS", "how long; 0: until dismissed; default 15");
  show_command.runs([shown] { return show(*shown); });

  auto asked = std::make_shared<ToldArgs>();
  Command ask_command = root.sub("ask", "Ask the person at a device a yes/no question, and wait");
  add_device_options(ask_command, *asked);
  ask_command.word("TEXT", asked->text, "the question");
  ask_command.option("--title", asked->title, "TITLE", "a line above it");
  ask_command.option("--ttl", asked->ttl_s, "SECONDS",
                     "how long it may be answered; default 300, at most 86400");
  ask_command.more(
      "Prints yes, no or expired. The exit code is 0 for an answer, 1 when it expired: silence is\n"
      "neither yes nor no.");
  ask_command.runs([asked] { return ask(*asked); });

  auto acted = std::make_shared<ToldArgs>();
  Command action_command = root.sub("action", "Let a device do something, and print its result");
  add_device_options(action_command, *acted);
  action_command.word("NAME", acted->name, "an action that `devices --json` lists for it");
  action_command.optional_word("JSON", acted->args_json, "its arguments; default {}");
  action_command.more("  hermes-gadget action kitchen led.set '{\"color\":\"red\"}'");
  action_command.runs([acted] { return action(*acted); });
}

}  // namespace gadget::cli
