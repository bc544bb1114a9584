#include "ports/desktop/terminal.hpp"

#include <algorithm>
#include <cstdio>

#include "media/wav.hpp"
#include "ports/desktop/script.hpp"
#include "ports/desktop/speaking.hpp"
#include "ports/desktop/timeline.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Fact;
using device::Millis;

// How long nothing must happen before a piped line counts as answered: a turn may follow a moment
// after the one before.
constexpr Millis kQuietMs = 300;

constexpr std::string_view kHelp =
    "type to talk; y or n answers a question\n"
    ":say TEXT   speaks it into the microphone     :wav FILE    plays a recording into it\n"
    ":talk       holds TALK                        :release     lets it go\n"
    ":cancel     stops the answer                  :new         a new conversation\n"
    ":up :down   turn the page                     :screen      prints the screen\n"
    ":sensor NAME VALUE   :event NAME [JSON]   :event! NAME [JSON]\n"
    ":screenshot FILE.png   :speaker FILE.wav   :reenrol   :quit\n"
    ":console LINE   on the board's console, e.g. :console help";

std::string_view rest_after(std::string_view text, std::size_t at) {
  if (at == std::string_view::npos) return {};
  const auto begin = text.find_first_not_of(' ', at);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

}  // namespace

void Terminal::print(std::string_view text) {
  end_reply();
  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(stdout);
}

// A reply grows: only what is new is printed, as long as the beginning stays what it was.
void Terminal::print_reply(std::string_view text, bool complete) {
  std::string clean;
  for (const char c : text) {
    if (c == '\n' || static_cast<unsigned char>(c) >= 0x20) clean += c;
  }
  if (!reply_.empty() && !clean.starts_with(reply_)) end_reply();
  std::printf("%s%s", reply_.empty() ? "< " : "", clean.c_str() + reply_.size());
  reply_ = clean;
  if (complete) end_reply();
  std::fflush(stdout);
}

void Terminal::end_reply() {
  if (reply_.empty()) return;
  std::printf("\n");
  reply_.clear();
}

void Terminal::noticed(Fact fact, std::string_view text) {
  const std::string shown = printable(text);
  switch (fact) {
    case Fact::connection: return print("(" + shown + ")");
    case Fact::refused: return print("(the hub says: " + shown + ")");
    case Fact::pairing: {
      const auto& id = board_.gadget().id();
      return print("pairing code " + shown +
                   "  (the owner runs: hermes-gadget pairing approve gadget " + shown +
                   ")  device " + std::string{id.text()});
    }
    case Fact::paired: return print("(paired)");
    case Fact::unpaired: return print("(not paired any more)");
    case Fact::transcript: return print("you said: " + shown);
    case Fact::status:
      if (!shown.empty() && style_.interactive) print("... " + shown);
      return;
    case Fact::delta: return print_reply(text, false);
    case Fact::reply: return print_reply(text, true);
    case Fact::turn_end:
      end_reply();
      if (shown != "success") print("(" + shown + ")");
      return;
    case Fact::notice: return print("* " + shown);
    case Fact::card: {
      return print("[" + shown + "]");
    }
    case Fact::question: return print("? " + shown + "  [y/n]");
    case Fact::action: return print("(does " + shown + ")");
    case Fact::state:
      if (board_.gadget().session().doubt() != device::Doubt::none) {
        print("? " + printable(board_.screen_text()) + "  [y/n]");
      } else if (shown == "card") {
        print(board_.screen_text());
      }
      return;
    default: return;
  }
}

void Terminal::line(std::string text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (!text.empty()) lines_.push_back(std::move(text));
}

bool Terminal::settled() const {
  using enum device::screen::State;
  const auto state = board_.gadget().state();
  return !talking_ && (state == ready || state == card || state == question || state == listening);
}

std::optional<int> Terminal::run() {
  const Millis now = board_.now();
  auto& gadget = board_.core();
  while (const auto answer = gadget.console_line()) print(*answer);
  if (talking_ && board_.heard_all()) {
    talking_ = false;
    gadget.button(now, device::Button::talk, false);
  }
  if (!settled()) {
    idle_since_ = 0;
  } else if (idle_since_ == 0) {
    idle_since_ = now;
  }
  const bool idle = idle_since_ != 0 && now - idle_since_ >= kQuietMs;
  if (!lines_.empty() && (style_.interactive || idle)) {
    const std::string text = std::move(lines_.front());
    lines_.pop_front();
    idle_since_ = 0;
    act(text);
  } else if (ended_ && lines_.empty() && (style_.interactive || idle)) {
    quit_ = true;
  }
  if (!quit_) return std::nullopt;
  end_reply();
  return 0;
}

void Terminal::act(const std::string& text) {
  auto& gadget = board_.core();
  const Millis now = board_.now();
  if (board_.gadget().state() == device::screen::State::question) {
    if (text == "y" || text == "yes" || text == "n" || text == "no") {
      // Within the guard (Q3) it waits: it was typed, not pressed by chance.
      if (!gadget.answer(now, text[0] == 'y')) lines_.push_front(text);
      return;
    }
  }
  if (text[0] == ':') return command(text);
  (void)gadget.text(now, text);
}

void Terminal::say(std::string_view name, std::string_view rest) {
  const std::string argument{rest};
  const auto recording = name == "say" ? speak(style_.voice, argument) : media::read_wav(argument);
  if (!recording) return print("(" + to_line(recording.error()) + ")");
  const auto heard = board_.hear(recording->samples, recording->rate_hz);
  if (!heard) return print("(" + to_line(heard.error()) + ")");
  board_.core().button(board_.now(), device::Button::talk, true);
  talking_ = true;
}

void Terminal::command(std::string_view text) {
  auto& gadget = board_.core();
  const Millis now = board_.now();
  const auto space = text.find(' ');
  const auto name = text.substr(1, space == std::string_view::npos ? space : space - 1);
  const auto rest = rest_after(text, space);
  const auto tap = [&gadget, now](device::Button button) {
    gadget.button(now, button, true);
    gadget.button(now, button, false);
  };
  const auto said = [this](const Result<void>& result) {
    if (!result) print("(" + to_line(result.error()) + ")");
  };
  if (name == "quit" || name == "q") {
    quit_ = true;
  } else if (name == "talk" || name == "release") {
    gadget.button(now, device::Button::talk, name == "talk");
  } else if (name == "cancel") {
    tap(device::Button::cancel);
  } else if (name == "new") {
    gadget.new_session(now);
  } else if (name == "up" || name == "down") {
    tap(name == "up" ? device::Button::up : device::Button::down);
    print(board_.screen_text());
  } else if (name == "screen") {
    print(board_.screen_text());
  } else if (name == "reenrol") {
    gadget.allow_reenrol(now);
  } else if (name == "console" && !rest.empty()) {
    gadget.console(now, rest);
  } else if ((name == "say" || name == "wav") && !rest.empty()) {
    say(name, rest);
  } else if (name == "screenshot" && !rest.empty()) {
    said(board_.screenshot(std::string{rest}));
  } else if (name == "speaker" && !rest.empty() && board_.speaker_hz() != 0) {
    said(media::write_wav(std::string{rest}, board_.played(), board_.speaker_hz()));
  } else if ((name == "sensor" || name == "event" || name == "event!") && !rest.empty()) {
    const auto gap = rest.find(' ');
    const auto what = rest.substr(0, gap);
    const auto value = rest_after(rest, gap);
    const bool took = name == "sensor" ? gadget.sensor(now, what, json_of(value))
                                       : gadget.event(now, what, value, name == "event!");
    if (!took) print("(that was not taken)");
  } else {
    print(kHelp);
  }
}

}  // namespace gadget::ports::desktop
