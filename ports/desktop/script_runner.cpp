#include "ports/desktop/script_runner.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "media/wav.hpp"
#include "ports/desktop/speaking.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Millis;

constexpr Millis kTapMs = 100;  // how long a finger stays on a button

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

ScriptRunner::ScriptRunner(std::vector<Step> steps, Board& board, std::string voice)
    : steps_(std::move(steps)), board_(board), voice_(std::move(voice)) {}

std::optional<ScriptEnd> ScriptRunner::run() {
  auto& gadget = board_.core();
  if (reenrol_ && board_.gadget().session().doubt() != device::Doubt::none) {
    if (gadget.answer(board_.now(), *reenrol_)) reenrol_.reset();  // else within its guard
  }
  while (at_ < steps_.size()) {
    const Step& step = steps_[at_];
    Progress progress;
    if (!begun_) {
      begun_ = true;
      since_ = board_.now();
      progress = begin(step);
    } else {
      progress = go_on(step);
    }
    if (progress.end) return progress.end;
    if (!progress.done) return std::nullopt;
    begun_ = false;
    ++at_;
    if (done_) done_(steps_[at_ - 1]);
  }
  if (open_) return std::nullopt;
  return ScriptEnd{};
}

void ScriptRunner::keep_open(std::function<void(const Step&)> done) {
  open_ = true;
  done_ = std::move(done);
}

void ScriptRunner::append(std::vector<Step> steps) {
  std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
}

Millis ScriptRunner::deadline(const Step& step) const {
  return since_ + static_cast<Millis>(step.seconds * 1'000);
}

ScriptRunner::Progress ScriptRunner::failed(const Step& step, const std::string& why) const {
  return {.done = true, .end = ScriptEnd{1, "line " + std::to_string(step.line) + ": " + why}};
}

ScriptRunner::Progress ScriptRunner::result(const Step& step, const Result<void>& result) const {
  if (result) return {};
  return failed(step, to_line(result.error()));
}

Result<void> ScriptRunner::hear_file(const std::string& path) {
  const auto recording = media::read_wav(path);
  if (!recording) return tl::unexpected{recording.error()};
  return board_.hear(recording->samples, recording->rate_hz);
}

Result<void> ScriptRunner::hear_speech(const std::string& text) {
  const auto recording = speak(voice_, text);
  if (!recording) return tl::unexpected{recording.error()};
  return board_.hear(recording->samples, recording->rate_hz);
}

ScriptRunner::Progress ScriptRunner::power_cut(const Step& step) {
  board_.power_cut();
  if (board_.power_on()) return {};
  return failed(step, "the state folder does not keep the device's key");
}

ScriptRunner::Progress ScriptRunner::begin(const Step& step) {
  auto& gadget = board_.core();
  const Millis now = board_.now();
  switch (step.kind) {
    case StepKind::wait:
    case StepKind::sleep:
    case StepKind::drain: return go_on(step);
    case StepKind::text:
      if (gadget.text(now, step.text)) return {};
      return failed(step, "the text could not be sent: not connected");
    case StepKind::press:
    case StepKind::release:
      gadget.button(now, step.button, step.kind == StepKind::press);
      return {};
    case StepKind::tap: gadget.button(now, step.button, true); return {.done = false, .end = {}};
    case StepKind::wav: return result(step, hear_file(step.text));
    case StepKind::say: return result(step, hear_speech(step.text));
    case StepKind::sensor:
      if (gadget.sensor(now, step.name, step.text)) return {};
      return failed(step, "the board takes no such sensor: too long, or too many");
    case StepKind::event:
    case StepKind::event_notify:
      if (gadget.event(now, step.name, step.text, step.kind == StepKind::event_notify)) return {};
      return failed(step, "the event could not be sent: not connected");
    case StepKind::expect:
      if (board_.shows(step.text)) return {};
      return failed(step,
                    "the screen does not show \"" + step.text + "\" but:\n" + board_.screen_text());
    case StepKind::expect_spoken: {
      const double spoken = board_.spoken_s() - spoken_before_;
      spoken_before_ = board_.spoken_s();
      if (spoken >= step.seconds) return {};
      return failed(step, "only " + seconds_text(spoken) + " were spoken");
    }
    case StepKind::screenshot: return result(step, board_.screenshot(step.text));
    case StepKind::speaker:
      if (board_.speaker_hz() == 0) return failed(step, "this board has no speaker");
      return result(step, media::write_wav(step.text, board_.played(), board_.speaker_hz()));
    case StepKind::link_down:
    case StepKind::link_up: board_.network(step.kind == StepKind::link_up); return {};
    case StepKind::power_cut: return power_cut(step);
    case StepKind::answer_reenrol: reenrol_ = step.yes; return {};
    case StepKind::console: gadget.console(now, step.text); return go_on(step);
    case StepKind::quit: return {.done = true, .end = ScriptEnd{}};
  }
  return {};
}

ScriptRunner::Progress ScriptRunner::go_on(const Step& step) {
  auto& gadget = board_.core();
  const Millis now = board_.now();
  Progress not_yet{.done = false, .end = {}};
  switch (step.kind) {
    case StepKind::wait: {
      const auto& wanted = step.states;
      if (std::find(wanted.begin(), wanted.end(), board_.gadget().state()) != wanted.end())
        return {};
      if (now < deadline(step)) return not_yet;
      std::string why = "waited " + seconds_text(step.seconds) + " for ";
      for (const auto state : wanted) why += std::string{name(state)} + " ";
      why += "in vain, the screen is " + std::string{name(board_.gadget().state())};
      if (!board_.gadget().session().last_end().empty()) {
        why += " (" + std::string{board_.gadget().session().last_end()} + ")";
      }
      return failed(step, why);
    }
    case StepKind::sleep: return now < deadline(step) ? not_yet : Progress{};
    case StepKind::drain: return board_.heard_all() ? Progress{} : not_yet;
    case StepKind::console:
      while (const auto line = gadget.console_line()) {
        if (line->starts_with("ok")) return {};
        if (line->starts_with("error")) return failed(step, "the console says: " + *line);
      }
      return not_yet;
    case StepKind::tap:
      if (now < since_ + kTapMs) return not_yet;
      gadget.button(now, step.button, false);
      return {};
    default: return {};
  }
}

}  // namespace gadget::ports::desktop
