#include "device/core/console.hpp"

#include <algorithm>

#include "protocol/json_writer.hpp"

namespace gadget::device {
namespace {

constexpr std::string_view kOk = "ok ";
constexpr Millis kMicrophoneCheckMs = 1'000;  // how long it listens
constexpr Millis kInputsCheckMs = 10'000;     // how long it waits for a press
// Louder than this was something, percent of full: beyond the noise of a cheap microphone.
constexpr int kSoundPercent = 1;

constexpr std::string_view kNotConnected = "not_connected";
constexpr std::string_view kNoHub = "there is no hub now; try again when `info` says online";

enum class Command : std::uint8_t {
  help,
  info,
  get,
  set,
  text,
  talk,
  cancel,
  new_conversation,
  yes,
  no,
  reenrol,
  check,
  log,
  restart,
  factory_reset,
};

struct Word {
  std::string_view word;
  std::string_view usage;
};
constexpr std::array<Word, 15> kCommands{{
    {"help", ""},
    {"info", ""},
    {"get", "[NAME]"},
    {"set", "NAME VALUE"},
    {"text", "TEXT"},
    {"talk", "down|up"},
    {"cancel", ""},
    {"new", ""},
    {"yes", ""},
    {"no", ""},
    {"reenrol", ""},
    {"check", "mic|speaker|display|inputs"},
    {"log", "on|off"},
    {"restart", ""},
    {"factory-reset", "yes"},
}};

constexpr std::array<std::string_view, 4> kChecks{"mic", "speaker", "display", "inputs"};
constexpr std::array<MenuEvent, 4> kCheckEvents{MenuEvent::microphone, MenuEvent::speaker,
                                                MenuEvent::display, MenuEvent::inputs};
constexpr std::array<std::string_view, kButtons> kButtonWords{"talk", "cancel", "up", "down"};

// Takes the first word off `text`.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return word;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Puts a line together; what does not fit is left out.
class Line {
 public:
  Line& add(std::string_view text) {
    for (const char c : protocol::cut_bytes(text, room_.size() - size_)) {
      room_[size_++] = is_control(c) ? ' ' : c;
    }
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return {room_.data(), size_}; }

 private:
  std::array<char, kConsoleLineBytes> room_;
  std::size_t size_ = 0;
};

void write_setting(protocol::JsonWriter& json, const Settings& settings, Setting setting) {
  json.key(name(setting));
  if (setting == Setting::token) {
    json.string(settings.text(setting).empty() ? "not set" : "set");
  } else if (static_cast<std::size_t>(setting) < kNumberSettings && setting != Setting::talk_mode) {
    json.integer(settings.number(setting));
  } else {
    json.string(settings.text(setting));
  }
}

}  // namespace

// ---- Lines

void Console::feed(Millis now, std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n' && c != '\r') {
      if (size_ == line_.size()) too_long_ = true;
      if (!too_long_) line_[size_++] = c;
      continue;
    }
    const std::string_view line{line_.data(), size_};
    if (too_long_) {
      error("line_too_long", "a line has at most 256 bytes; nothing of it was done");
    } else {
      run(now, line);
    }
    protocol::wipe(std::as_writable_bytes(std::span{line_}));  // it may have been a token
    size_ = 0;
    too_long_ = false;
  }
}

void Console::run(Millis now, std::string_view line) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  if (line.empty()) return;
  if (line.size() > kConsoleLineBytes) {
    return error("line_too_long", "a line has at most 256 bytes; nothing of it was done");
  }
  if (!protocol::is_utf8(line) || std::any_of(line.begin(), line.end(), is_control)) {
    return error("bad_line", "a line is UTF-8 without control characters");
  }
  if (waits_ != Waits::no) return error("busy", "a check is running; wait for its answer");
  const std::string_view word = take_word(line);
  command(now, word, line);
}

void Console::command(Millis now, std::string_view word, std::string_view rest) {
  std::size_t at = 0;
  while (at < kCommands.size() && kCommands[at].word != word) ++at;
  if (at == kCommands.size()) return error("unknown_command", "`help` lists what there is");
  if (kCommands[at].usage.empty() && !rest.empty()) {
    return error("too_much", "nothing may follow this command");
  }
  const bool online = gadget_.session().online();
  switch (static_cast<Command>(at)) {
    case Command::help: return help();
    case Command::info: return info(now);
    case Command::get: return get(rest);
    case Command::set: return set(now, rest);
    case Command::text:
      if (rest.empty()) return error("missing", "`text` wants the text that is to be sent");
      if (!gadget_.text(now, rest)) return error(kNotConnected, kNoHub);
      return ok();
    case Command::talk: return talk(now, rest);
    case Command::cancel:
      if (gadget_.talk().recording()) {
        gadget_.button(now, Button::cancel, true);
        gadget_.button(now, Button::cancel, false);
      } else if (!gadget_.cancel(now)) {
        return error(kNotConnected, kNoHub);
      }
      return ok();
    case Command::new_conversation:
      if (!online) return error(kNotConnected, kNoHub);
      gadget_.new_session(now);
      return ok();
    case Command::yes:
    case Command::no:
      if (gadget_.answer(now, static_cast<Command>(at) == Command::yes)) return ok();
      return error("no_question", "nothing is asked, or only for a moment; look at the screen");
    case Command::reenrol: gadget_.allow_reenrol(now); return ok();
    case Command::check: return check(now, rest);
    case Command::log: return log(rest);
    case Command::restart: return restart(now);
    case Command::factory_reset: return factory_reset(now, rest);
  }
}

// ---- Commands. Those with an Answer are never inlined: it would lie on the stack of all of them.

// An object as JSON, put together in place behind "ok ".
class Console::Answer {
 public:
  [[gnu::noinline]] Answer() : json_(std::span{room_}.subspan(kOk.size())) {
    std::copy(kOk.begin(), kOk.end(), room_.begin());
    json_.begin_object();
  }
  protocol::JsonWriter& json() { return json_; }
  [[gnu::noinline]] void tell(Console& console) {
    const auto text = json_.end_object().finish();
    if (!text) return console.error("too_long", "the answer does not fit");
    console.port_.write_line({room_.data(), kOk.size() + text->size()});
  }

 private:
  std::array<char, kConsoleAnswerBytes> room_;  // NOLINT: what is told was written
  protocol::JsonWriter json_;
};

[[gnu::noinline]] void Console::help() {
  Answer answer;
  protocol::JsonWriter& json = answer.json();
  json.key("commands").begin_array();
  for (const Word& one : kCommands) {
    Line line;
    line.add(one.word).add(one.usage.empty() ? "" : " ").add(one.usage);
    json.string(line.view());
  }
  json.end_array();
  answer.tell(*this);
}

[[gnu::noinline]] void Console::info(Millis now) {
  const DeviceInfo about = gadget_.info(now);
  Answer answer;
  protocol::JsonWriter& json = answer.json();
  const Gadget::Counters& counters = gadget_.counters();
  const std::array<std::pair<std::string_view, std::string_view>, 6> texts{
      {{"id", about.id},
       {"name", about.name},
       {"firmware", about.firmware},
       {"board", about.board},
       {"hub", about.hub},
       {"state", screen::name(gadget_.state())}}};
  for (const auto& [key, value] : texts) json.key(key).string(value);
  json.key("online").boolean(gadget_.session().online());
  json.key("paired").boolean(gadget_.paired());
  const std::array<std::pair<std::string_view, std::uint32_t>, 10> numbers{
      {{"protocol", static_cast<std::uint32_t>(protocol::kProtocolVersion)},
       {"uptime_s", about.uptime_s},
       {"connections", about.connections},
       {"malformed", counters.malformed},
       {"unsent", about.unsent},
       {"underruns", about.underruns},
       {"drift_left_out", gadget_.playback().counters().drift_left_out},
       {"drift_added", gadget_.playback().counters().drift_added},
       {"lost_events", counters.lost_events},
       {"lost_texts", counters.lost_texts}}};
  for (const auto& [key, value] : numbers) json.key(key).integer(value);
  json.key("damaged").begin_array();
  for (std::size_t i = 0; i < kSettings; ++i) {
    if ((gadget_.settings().damaged() >> i & 1U) != 0) json.string(name(static_cast<Setting>(i)));
  }
  json.end_array();
  answer.tell(*this);
}

[[gnu::noinline]] void Console::get(std::string_view word) {
  const auto wanted = setting_named(word);
  if (!word.empty() && !wanted) return error("unknown_setting", "`get` lists what there is");
  Answer answer;
  for (std::size_t i = 0; i < kSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    if (!wanted || *wanted == setting) write_setting(answer.json(), gadget_.settings(), setting);
  }
  answer.tell(*this);
}

void Console::set(Millis now, std::string_view rest) {
  const std::string_view word = take_word(rest);
  const auto setting = setting_named(word);
  if (!setting) return error("unknown_setting", "`get` lists what there is");
  switch (gadget_.set(now, *setting, rest)) {
    case Settings::Outcome::kept: return get(word);
    case Settings::Outcome::invalid: return error("invalid_value", "it is ", rule(*setting));
    case Settings::Outcome::unkept:
      return error("not_kept", "it counts until the next start only; the memory cannot be written");
  }
}

void Console::talk(Millis now, std::string_view rest) {
  const bool down = rest == "down";
  if (!down && rest != "up") return error("missing", "`talk down` or `talk up`");
  const bool answers = gadget_.state() == screen::State::question;
  gadget_.button(now, Button::talk, down);
  if (!down || answers || gadget_.talk().recording()) return ok();
  gadget_.button(now, Button::talk, false);
  if (!gadget_.session().online()) return error(kNotConnected, kNoHub);
  error("not_listening", "the board has no microphone, or something else is shown");
}

void Console::check(Millis now, std::string_view what) {
  std::size_t at = 0;
  while (at < kChecks.size() && kChecks[at] != what) ++at;
  if (at == kChecks.size())
    return error("missing", "`check mic`, `speaker`, `display` or `inputs`");
  // One that is still open from before is over.
  gadget_.leave_settings(now);
  if (!gadget_.check(now, kCheckEvents[at])) {
    return error("unavailable", "this board has no such part, or is busy with something else");
  }
  switch (kCheckEvents[at]) {
    case MenuEvent::microphone:
      waits_ = Waits::microphone;
      waits_until_ = now + kMicrophoneCheckMs;
      return;
    case MenuEvent::inputs:
      waits_ = Waits::inputs;
      waits_until_ = now + kInputsCheckMs;
      return;
    case MenuEvent::speaker: gadget_.leave_settings(now); return ok("speaker", "playing");
    default: return ok("display", "showing");
  }
}

void Console::tick(Millis now) {
  if (waits_ == Waits::no) return;
  const Menu& menu = gadget_.menu();
  if (waits_ == Waits::inputs) {
    const auto pressed = menu.pressed();
    if (!pressed && now < waits_until_ && menu.page() == MenuPage::inputs) return;
    waits_ = Waits::no;
    gadget_.leave_settings(now);
    if (pressed) return ok("inputs", kButtonWords[static_cast<std::size_t>(*pressed)]);
    return error("no_press", "no button was pressed for 10 s");
  }
  if (now < waits_until_ && menu.page() == MenuPage::microphone) return;
  const bool samples = menu.heard_samples() != 0;
  const int percent = menu.loudest_percent();
  waits_ = Waits::no;
  gadget_.leave_settings(now);
  if (!samples) return error("no_samples", "nothing came from the microphone; look at its wiring");
  if (percent < kSoundPercent) {
    return error("no_sound", "it was silent for a second; make a noise and check again");
  }
  tell_loudness(percent);
}

[[gnu::noinline]] void Console::tell_loudness(int percent) {
  Answer answer;
  answer.json().key("mic").integer(percent);
  answer.tell(*this);
}

void Console::factory_reset(Millis now, std::string_view rest) {
  if (rest != "yes") {
    return error("confirm", "it forgets key, trust and settings; say `factory-reset yes`");
  }
  if (gadget_.factory_reset(now)) return ok("id", gadget_.id().text());
  error("not_kept", "the memory cannot be written; the next start tries again");
}

void Console::restart(Millis now) {
  if (!port_.restart()) return error("unavailable", "this board cannot restart itself");
  ok();
  gadget_.stop(now, 1001, "restart");
}

void Console::log(std::string_view rest) {
  if (rest != "on" && rest != "off") return error("missing", "`log on` or `log off`");
  logs_ = rest == "on";
  ok();
}

void Console::noticed(Fact fact, std::string_view text) {
  if (!logs_) return;
  Line line;
  line.add("log ").add(device::name(fact));
  if (!text.empty()) line.add(" ").add(text);
  port_.write_line(line.view());
}

// ---- Answers

[[gnu::noinline]] void Console::ok(std::string_view key, std::string_view value) {
  Answer answer;
  answer.json().key(key).string(value);
  answer.tell(*this);
}

void Console::error(std::string_view name, std::string_view why, std::string_view more) {
  Line line;
  line.add("error ").add(name).add(": ").add(why).add(more);
  port_.write_line(line.view());
}

}  // namespace gadget::device
