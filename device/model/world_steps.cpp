// What each step does.
#include <algorithm>
#include <array>

#include "device/model/world.hpp"
#include "device/screen/canvas.hpp"

namespace gadget::device::model {
bool World::apply(const Step& step) {
  if (contract_.epoch() == 0 && !powered_ && !stopped_) power_on();
  switch (step.op) {
    case Op::help:
    case Op::hub_line:
    case Op::hub_frame:
    case Op::junk_frame:
    case Op::update:
    case Op::cut_line: apply_hub(step); break;
    case Op::stale:
    case Op::transport:
    case Op::opened:
    case Op::alive:
    case Op::closed: apply_link(step); break;
    case Op::button:
    case Op::text:
    case Op::person: apply_person(step); break;
    case Op::microphone:
    case Op::play:
    case Op::sensor:
    case Op::event:
    case Op::finish:
    case Op::look: apply_board(step); break;
    default: apply_fate(step); break;
  }
  check();
  return fault().empty();
}

void World::pass(Millis ms) {
  now_ = now_ > kEndOfClock ? now_ : now_ + ms;
  begin(Cause::time);
  gadget_->tick(now_);
}

// ---- The person

void World::decided(Doubt before) {
  if (before == Doubt::none || gadget_->session().doubt() != Doubt::none) return;
  contract_.require(clocked(now_) - doubt_since_ >= kQuestionGuardMs,
                    "E32 Q3: a press within the guard decides about a hub");
  if (before == Doubt::unknown_here) contract_.consents();
  if (before == Doubt::no_proof) contract_.trusts_without_proof();
}

void World::button(Button button, bool down) {
  Cause cause = Cause::other_button;
  const bool changes = held_[static_cast<std::size_t>(button)] != down;
  held_[static_cast<std::size_t>(button)] = down;
  if (down && changes && button == Button::talk) cause = Cause::talk_down;
  if (down && changes && button == Button::cancel) cause = Cause::cancel_down;
  begin(cause);
  if (button == Button::cancel) contract_.cancel_button(down);
  if (cause == Cause::cancel_down) contract_.waiting().withdraw_texts(false);
  const Doubt doubt = gadget_->session().doubt();
  gadget_->button(now_, button, down);
  if (cause == Cause::talk_down) decided(doubt);
}

void World::apply_person(const Step& step) {
  if (step.op == Op::button) {
    // TALK and CANCEL more often than the others; mostly the other way than it is.
    const auto which = static_cast<Button>((step.a & 3U) == 3 ? step.a >> 6U : step.a & 1U);
    const bool is_down = held_[static_cast<std::size_t>(which)];
    return button(which, (step.b & 15U) == 0 ? is_down : !is_down);
  }
  if (step.op == Op::person) return call(step);
  static const std::array<std::string, 6> kTexts{"hello",
                                                 " \t",
                                                 "",
                                                 std::string(6'000, 'q'),
                                                 std::string(5'000, '\x01'),
                                                 "\xE4\xB8\x96\xE7\x95\x8C \"\\\n"};
  say_text(kTexts[step.a % kTexts.size()]);
}

// With a number of its own, unless it is blank.
void World::say_text(std::string_view text) {
  begin(Cause::text);
  const bool blank = text.find_first_not_of(" \t") == std::string_view::npos;
  const std::string mark = blank ? "" : std::to_string(++said_) + " ";
  contract_.waiting().tell(Waiting::Kind::text, mark);
  const bool taken = gadget_->text(now_, mark + std::string{text});
  contract_.require(!blank || !taken, "C1: a blank text is sent");
  if (!blank) contract_.waiting().told(taken);
}

void World::call(const Step& step) {
  switch (step.a % 8) {
    case 0:
      begin(Cause::cancel);
      contract_.waiting().withdraw_texts(true);
      return void(gadget_->cancel(now_));
    case 1:
      begin(Cause::new_session);
      contract_.waiting().withdraw_texts(true);
      return gadget_->new_session(now_);
    case 2:
    case 3: {
      const bool yes = step.a % 8 == 2;
      begin(yes ? Cause::yes : Cause::no);
      const Doubt doubt = gadget_->session().doubt();
      (void)gadget_->answer(now_, yes);
      if (yes) decided(doubt);
      return;
    }
    case 4:
      if ((step.b & 3U) != 0) return;
      begin(Cause::none);
      contract_.consents();
      contract_.trusts_without_proof();
      return gadget_->allow_reenrol(now_);
    case 5:
    case 6: return settings(step);
    default: return settings_check(step);
  }
}

void World::settings(const Step& step) {
  static const std::array<std::string, 9> kValues{"7",
                                                  "-1",
                                                  "never",
                                                  "tap",
                                                  "hold",
                                                  "",
                                                  "Kitchen",
                                                  "ws://hub.local:8765/gadget",
                                                  std::string(300, 'v')};
  begin(Cause::none);
  const auto setting = static_cast<Setting>(step.b % kSettings);
  const bool of_hello =
      setting == Setting::name || setting == Setting::hub || setting == Setting::token;
  if (of_hello && (step.c & 7U) != 0) return;  // each is another connection
  if (of_hello || (step.a & 16U) != 0) {
    const auto& value = kValues[(step.c >> 3U) % kValues.size()];
    const auto outcome = gadget_->set(now_, setting, value);
    if (!of_hello || outcome == Settings::Outcome::invalid) return;
    contract_.reconnects();
    if (setting == Setting::hub) contract_.waiting().clear();  // it was said to the other one
  } else {
    (void)gadget_->set(now_, setting, static_cast<int>(step.c));
  }
}

// What the person finds in the settings on the screen, by a console.
void World::settings_check(const Step& step) {
  static constexpr std::array<MenuEvent, 4> kChecks{MenuEvent::microphone, MenuEvent::speaker,
                                                    MenuEvent::display, MenuEvent::inputs};
  begin(Cause::none);
  const bool leaves = gadget_->updater().phase() == UpdatePhase::leaving;
  if ((step.b & 31U) == 0 && powered_ && !stopped_ && !leaves) {
    (void)gadget_->factory_reset(now_);
  } else if ((step.b & 3U) == 1) {
    (void)gadget_->check(now_, kChecks[step.c % kChecks.size()]);
  } else {
    gadget_->leave_settings(now_);
  }
}

// ---- The board

void World::speak(std::size_t samples, std::int16_t level) {
  begin(Cause::none);
  const std::vector<std::int16_t> voice(samples, level);
  contract_.heard(voice);
  gadget_->microphone(now_, voice);
}

void World::play(std::size_t samples) {
  begin(Cause::none);
  std::vector<std::int16_t> out(samples, std::int16_t{-32'768});
  const std::size_t voiced = gadget_->play(now_, out);
  if (tone_) return contract_.sound().tone();
  const auto wrong = contract_.sound().judge(out, voiced);
  contract_.require(wrong.empty(), wrong);
}

void World::finish(const Step& step) {
  static const std::array<std::string, 6> kAnswers{
      R"({"ok":1})",    "", "no JSON", "\"" + std::string(400, 'r') + "\"", "[1,2]",
      "a \"fault\"\x01"};
  if (tickets_.empty()) return;
  const ActionTicket ticket = tickets_[step.b % tickets_.size()];
  begin(Cause::finish);
  const auto running = contract_.running();
  const bool waits = std::find(running.begin(), running.end(), ticket) != running.end();
  contract_.finishes(ticket);
  const bool took =
      gadget_->finish_action(now_, ticket, (step.a & 1U) != 0, kAnswers[step.c % kAnswers.size()]);
  contract_.require(took == waits, "an action is finished that nobody waits for, or not");
}

namespace {

constexpr std::array<std::string_view, 10> kReadings{"21.5", "true", "\"open\"", "null", "7", "{}",
                                                     "nan",  "",     "\"\xC0\"", "1e400"};
constexpr std::array<std::string_view, 5> kNames{"temperature", "door", "", "b\"\\\n",
                                                 "a name that is far too long for a sensor"};

}  // namespace

void World::say_event(const Step& step) {
  begin(Cause::event);
  const auto name = kNames[step.a % kNames.size()];
  const auto data = kReadings[step.c % kReadings.size()];
  const bool valid = !name.empty() && (data.empty() || protocol::check_json(data).has_value());
  const std::string mark = valid ? "e" + std::to_string(++said_) + " " : "";
  contract_.waiting().tell(Waiting::Kind::event, mark);
  const bool taken = gadget_->event(now_, mark + std::string{name}, data, (step.b & 1U) != 0);
  contract_.require(valid || !taken, "S2: an event that is none");
  if (valid) contract_.waiting().told(taken);
}

void World::apply_board(const Step& step) {
  switch (step.op) {
    case Op::microphone: {
      // As much as time passed, or some more: a second is sent in one go at most.
      const std::size_t samples = step.c % ((step.a & 7U) == 0 ? 16'000U : 700U);
      return speak(samples, static_cast<std::int16_t>(step.b));
    }
    case Op::play: return play(step.c % ((step.a & 7U) == 0 ? 9'000U : 500U));
    case Op::sensor: {
      begin(Cause::sensor);
      const auto name = (step.a & 128U) != 0 ? std::string{kNames[step.a % kNames.size()]}
                                             : "s" + std::to_string(step.b % 20);
      (void)gadget_->sensor(now_, name, kReadings[step.c % kReadings.size()]);
      return;
    }
    case Op::event: return say_event(step);
    case Op::finish: return finish(step);
    default: return look(step);
  }
}

void World::look(const Step&) {
  begin(Cause::none);
  screen::ScreenModel model;
  gadget_->fill(std::min(now_, kEndOfClock), model);
  check_screen(model);
  if (!config_.display) return;
  screen::Canvas canvas{canvas_room_->room(), static_cast<int>(config_.display->width),
                        static_cast<int>(config_.display->height)};
  screen::draw(model, canvas, static_cast<std::uint64_t>(now_));
}

// ---- Fate

void World::apply_fate(const Step& step) {
  switch (step.op) {
    case Op::jump: {
      static constexpr std::array<Millis, 8> kJumps{700,    2'000,   10'000,     30'000,
                                                    60'000, 300'000, 86'400'000, 4'000'000'000};
      // The end of all clocks, once in a while.
      if (step.a == 0xFF && (step.b & 7U) == 0) {
        now_ = (step.b & 8U) != 0 ? kEndOfClock - static_cast<Millis>(step.c % 1'000)
                                  : INT64_MAX - static_cast<Millis>(step.c % 2);
        begin(Cause::time);
        return gadget_->tick(now_);
      }
      return pass(kJumps[step.a % kJumps.size()] + step.b % 1'000);
    }
    case Op::network: {
      const bool up = (step.a & 3U) != 0;
      begin(Cause::none);
      contract_.network(up);
      return gadget_->network(now_, up);
    }
    case Op::restart: return restart(step);
    case Op::break_store: store_broken_ = (step.a & 3U) == 0; return begin(Cause::none);
    case Op::fill_link: link_full_ = (step.a & 3U) == 0; return begin(Cause::none);
    case Op::break_flash: return break_flash(step);
    default:
      if (step.a % 8 != 1) return pass(step.a % 4 == 0 ? step.b % 1'000 : step.b % 50);
      // Time that nobody tells it of before something else happens.
      if (now_ < kEndOfClock) now_ += step.b % 4'000;
      return begin(Cause::none);
  }
}

// A power cut, a firm stop, or a stop and a start.
void World::restart(const Step& step) {
  begin(Cause::none);
  if ((step.a & 1U) != 0) {
    contract_.stops();
    gadget_->stop(now_, 1001, "restart");
    if ((step.a & 2U) != 0) {
      stopped_ = true;
      return;
    }
  }
  contract_.power_lost();
  if ((step.a & 12U) != 0) now_ = (step.a & 16U) != 0 ? 0 : 1'000;  // the clock begins anew
  build();
  power_on();
  contract_.begin(Cause::none, now_);
}

// ---- The end

bool World::recover() {
  link_full_ = store_broken_ = false;
  if (firmware_) break_flash({.a = 7});
  // An update that is complete restarts the machine first.
  for (int i = 0; i < 100 && gadget_->updater().phase() >= UpdatePhase::verifying; ++i) {
    pass(100);
    check();
  }
  if (now_ >= kEndOfClock - 100'000'000 || stopped_ || !powered_) restart({.a = 12});
  check();
  for (const Button one : {Button::talk, Button::cancel, Button::up, Button::down}) {
    button(one, false);
    check();
  }
  begin(Cause::none);
  contract_.network(true);
  gadget_->network(now_, true);
  check();
  // Two connections: the first one may be in the middle of anything.
  for (int i = 0; i < 3'000 && fault().empty() && !contract_.online(); ++i) {
    if (gadget_->session().doubt() != Doubt::none) {
      call({.op = Op::person, .a = 2});
    } else if (contract_.connected()) {
      help({.op = Op::help, .c = 1});  // paired
    }
    check();
    const bool pausing = gadget_->session().phase() == Phase::pausing;
    pass(pausing ? std::max<Millis>(1, gadget_->pause_ends() - now_) : 100);
    check();
  }
  contract_.require(contract_.online(), "B-28: it never comes back");
  for (const ActionTicket ticket : contract_.running()) {
    begin(Cause::finish);
    contract_.finishes(ticket);
    contract_.require(gadget_->finish_action(now_, ticket, true, "1"),
                      "X2: an action cannot be finished");
    check();
  }
  // Whatever waits, goes; what sounds, comes to its end.
  hub_says(R"({"type":"paired"})");
  check();
  if (contract_.sound().open()) {
    hub_says(R"({"type":"audio.end","stream":)" + std::to_string(contract_.sound().stream()) + "}");
  }
  for (int i = 0; i < 25; ++i) {  // 1.25 s: more than can wait
    pass(50);
    check();
    play(config_.speaker_hz / 20);
    check();
  }
  contract_.end_of_all();
  contract_.require(gadget_->playback().idle(), "E28: a voice that never ends");
  say_text("still there?");
  check();
  pass(50);
  check();
  contract_.waiting().end_of_all();
  return fault().empty();
}

}  // namespace gadget::device::model
