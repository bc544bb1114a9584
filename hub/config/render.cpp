// render.cpp - the table of keys for people: a TOML file, a page, JSON.
#include "hub/config/options.hpp"

namespace gadget::hub {
namespace {

constexpr std::size_t kColumns = 100;

// `text` in lines of at most kColumns, each after `before`.
std::string wrapped(std::string_view text, std::string_view before) {
  std::string out;
  std::string line(before);
  bool empty = true;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!empty && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = before;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return out + line + "\n";
}

std::string kind(const Option& option) {
  if (const auto* number = std::get_if<NumberField>(&option.field)) {
    return std::to_string(number->min) + " to " + std::to_string(number->max);
  }
  if (const auto* choice = std::get_if<ChoiceField>(&option.field)) {
    std::string all;
    for (const auto& one : choice->choices)
      all += (all.empty() ? "`" : ", `") + std::string(one) + "`";
    return all;
  }
  if (std::holds_alternative<SwitchField>(option.field)) return "`true`, `false`";
  if (std::holds_alternative<ListField>(option.field)) return "list of texts";
  return "text";
}

}  // namespace

std::string to_toml(const Config& config) {
  const Config defaults;
  std::string out =
      "# Settings of the hub. Lines that are commented show the defaults.\n"
      "config_version = " +
      std::to_string(kConfigVersion) + "\n";
  for (const Option& option : options()) {
    out += "\n" + wrapped(option.about, "# ");
    if (std::holds_alternative<SecretField>(option.field)) {
      const bool is_set = value_text(option, config) == "true";
      out +=
          "# " + std::string(option.key) + " = \"\"" + (is_set ? "  # set, not shown" : "") + "\n";
      continue;
    }
    const std::string now = value_text(option, config);
    const bool changed = now != value_text(option, defaults);
    out += (changed ? "" : "# ") + std::string(option.key) + " = " + now + "\n";
  }
  return out;
}

std::string config_guide() {
  const Config defaults;
  std::string out =
      "# Settings of the hub\n\n"
      "<!-- Made by `hermes-gadget config --markdown` from hub/config/options.cpp; a test compares "
      "them. -->\n\n"
      "A hub needs no configuration. What differs from the defaults goes into\n"
      "`~/.config/hermes-gadget/hub.toml` (or a file named by `--config FILE`), or behind `--set "
      "KEY=VALUE`:\n\n"
      "```toml\nhost = \"0.0.0.0\"\nheartbeat_s = 30\nhosts = [\"gadget.lan\"]\n```\n\n"
      "What comes later wins: default, file, environment (`GADGET_ACCESS_TOKEN`), `--set`, options "
      "such as `--port`.\n"
      "`hermes-gadget config` prints such a file with all keys and the values in force. A key that "
      "does not exist is an\nerror that names the nearest one.\n\n"
      "`hermes-gadget config check` tries a file without starting anything. A running hub reads it "
      "again on SIGHUP\n(`systemctl reload hermes-gadget`): keys marked \"reload\" count at once, "
      "devices stay connected; the log names\nthose that wait for the next start. A file with a "
      "mistake changes nothing.\n\n"
      "| key | values | default | takes effect | what it is |\n|---|---|---|---|---|\n";
  for (const Option& option : options()) {
    const bool secret = std::holds_alternative<SecretField>(option.field);
    out += "| `" + std::string(option.key) + "` | " + kind(option) + " | `" +
           (secret ? std::string("\"\"") : value_text(option, defaults)) + "` | " +
           (option.takes == Takes::by_reload ? "reload" : "start") + " | " +
           std::string(option.about) + " |\n";
  }
  out +=
      "\nLists are `[\"a\", \"b\"]` in the file and `a,b` behind `--set`. `config_version = 1` may "
      "stand in the file; a hub\nrefuses a file of a newer version.\n";
  return out;
}

namespace {

// As man takes it: nothing in it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': break;
      case '"': out += "\\(dq"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string config_manual(std::string_view version) {
  const Config defaults;
  std::string out = ".\\\" Made by `hermes-gadget man 5` from hub/config/options.cpp.\n";
  out += ".TH HERMES\\-GADGET.TOML 5 \"\" \"hermes\\-gadget " + roff(version) +
         "\" \"File Formats\"\n.SH NAME\nhermes\\-gadget.toml \\- settings of the hermes\\-gadget "
         "hub\n.SH DESCRIPTION\n";
  out +=
      "The hub reads \\fI\\(ti/.config/hermes\\-gadget/hub.toml\\fR, or the file that "
      "\\fB\\-\\-config\\fR names; the\nservice of the Debian package reads "
      "\\fI/etc/hermes\\-gadget/hub.toml\\fR. It is TOML: a key, an equals\nsign and a value a "
      "line. "
      "A key that does not exist is an error. What comes later wins: default,\nfile, environment, "
      "\\fB\\-\\-set\\fR \\fIKEY\\fR=\\fIVALUE\\fR, options such as \\fB\\-\\-port\\fR.\n.PP\n"
      "\\fBhermes\\-gadget config\\fR prints such a file with the values in force, "
      "\\fBhermes\\-gadget config check\\fR tries one.\nA running hub reads it again on SIGHUP. "
      "\\fBconfig_version\\fR = 1 may stand in it.\n.SH KEYS\n";
  for (const Option& option : options()) {
    const bool secret = std::holds_alternative<SecretField>(option.field);
    out += ".TP\n\\fB" + roff(option.key) + "\\fR\n" + roff(option.about) +
           "\n.br\nValues: " + roff(kind(option)) +
           ". Default: " + roff(secret ? std::string("\"\"") : value_text(option, defaults)) +
           ". Takes effect " + (option.takes == Takes::by_reload ? "on reload" : "at the start") +
           ".\n";
  }
  return out + ".SH SEE ALSO\n.BR hermes\\-gadget (1)\n";
}

std::string to_json(const Config& config) {
  std::string out = "{";
  for (const Option& option : options()) {
    out += (out.size() > 1 ? ",\"" : "\"") + std::string(option.key) +
           "\":" + value_text(option, config);
  }
  return out + "}";
}

}  // namespace gadget::hub
