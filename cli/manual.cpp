#include "cli/command_table.hpp"

namespace gadget::cli {
namespace {

void paragraph(std::string& out, const std::string& text) { out += manual_text(text) + "\n"; }

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != ')') text += '.';
  return text;
}

// "[--ttl SECONDS]", "DEVICE", "[JSON]"
std::string usage(const OptionInfo& option) {
  std::string text = option.names.front();
  if (!option.is_word && !option.value.empty()) text += " " + option.value;
  return option.is_word && option.is_needed ? text : "[" + text + "]";
}

void options(std::string& out, const CommandInfo& command) {
  for (const OptionInfo& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
    out += ".TP\n\\fB" + manual_text(names) + "\\fR";
    if (!option.is_word && !option.value.empty()) {
      out += " \\fI" + manual_text(option.value) + "\\fR";
    }
    out += "\n";
    paragraph(out, sentence(option.about));
  }
}

void command_section(std::string& out, const CommandInfo& command, const std::string& before) {
  const std::string words = before + command.name;
  if (command.runs) {
    std::string line = "\\fB" + manual_text(words) + "\\fR";
    for (const OptionInfo& option : command.options) line += " " + manual_text(usage(option));
    out += ".SS " + manual_text(words) + "\n" + line + "\n.PP\n";
    paragraph(out, sentence(command.about));
    options(out, command);
    if (!command.more.empty()) {
      out += ".PP\n.nf\n";
      paragraph(out, command.more);
      out += ".fi\n";
    }
  }
  for (const CommandInfo& below : command.subs) command_section(out, below, words + " ");
}

}  // namespace

std::string manual_text(const std::string& text) {
  std::string out;
  bool at_begin = true;
  for (const char c : text) {
    // A dot or an apostrophe would begin a request there.
    if (at_begin && (c == '.' || c == '\'')) out += "\\&";
    at_begin = c == '\n';
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '"': out += "\\(dq"; break;
      default: out += c;
    }
  }
  return out;
}

std::string manual_page(const CommandInfo& root, const std::string& version) {
  std::string out = ".\\\" Made by `hermes-gadget man` from the table of commands.\n";
  out += ".TH HERMES\\-GADGET 1 \"\" \"hermes\\-gadget " + manual_text(version) +
         "\" \"User Commands\"\n";
  out += ".SH NAME\nhermes\\-gadget \\- ";
  out += "hub for small devices that talk to an agent, and the tools around it\n";
  out += ".SH SYNOPSIS\n\\fBhermes\\-gadget\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  out += ".SH DESCRIPTION\n";
  paragraph(out, sentence(root.about));
  out += ".PP\n.nf\n";
  paragraph(out, root.more);
  out += ".fi\n.SH OPTIONS\n";
  options(out, root);
  out += ".SH COMMANDS\n";
  for (const CommandInfo& command : root.subs) command_section(out, command, "");
  out += R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
it did not work
.TP
.B 2
wrong usage
.TP
.B 3
no hub there
.TP
.B 4
refused by the hub
.SH ENVIRONMENT
.TP
.B GADGET_ACCESS_TOKEN
The word that every device must send, for \fBhub\fR.
.TP
.B GADGET_OWNER_TOKEN
The owner\(aqs token, for \fBhub\fR and for commands that use \fB\-\-hub\-url\fR.
.TP
.B GADGET_HUB_URL
The hub\(aqs owner API over TCP, where neither \fB\-\-hub\-url\fR nor \fB\-\-state\fR is given.
.TP
.B COLUMNS
How wide tables may be.
.TP
.B NO_COLOR
When it is set, there are no colours.
.SH FILES
.TP
.I \(ti/.config/hermes\-gadget/hub.toml
The hub\(aqs settings, of the Debian package \fI/etc/hermes\-gadget/hub.toml\fR; see
.BR hermes\-gadget.toml (5).
.TP
.I \(ti/.local/state/hermes\-gadget
Keys, approvals, lists and the owner\(aqs socket; of the Debian package \fI/var/lib/hermes\-gadget\fR.
.SH SEE ALSO
.BR hermes\-gadget.toml (5)
)";
  return out;
}

}  // namespace gadget::cli
