// What the screen shows: the core's state as a ScreenModel.
#include <algorithm>
#include <array>

#include "device/core/gadget.hpp"
#include "protocol/words.hpp"

namespace gadget::device {
namespace {

constexpr std::uint32_t seconds_up(Ticks ms) { return (ms + 999) / 1'000; }

// What goes on below the bar; empty: the screen's own words.
std::string_view update_status(const Updater& updater) {
  if (updater.probation() == Probation::failed) return "Going back to the firmware before.";
  if (updater.phase() == UpdatePhase::verifying) return "Checking the new firmware.";
  if (updater.phase() >= UpdatePhase::installed) return "Starting the new firmware.";
  return {};
}

}  // namespace

void draw(Screen& screen, const Gadget& gadget, Millis now) {
  screen::ScreenModel model;
  gadget.fill(now, model);
  screen.show(model, now);
}

int page_count(const Gadget& gadget, Millis now) {
  const auto& display = gadget.config().display;
  if (!display) return 1;
  screen::ScreenModel model;
  gadget.fill(now, model);
  return screen::page_count(model, static_cast<int>(display->width),
                            static_cast<int>(display->height), *gadget.config().fonts);
}

ReplyPage reply_page(const Gadget& gadget, Millis now, std::uint16_t number) {
  const auto& display = gadget.config().display;
  if (!display) return {};
  screen::ScreenModel model;
  gadget.fill(now, model);
  const auto end_of = [&](int page) {
    return page < 0 ? 0
                    : screen::page_end(model, static_cast<int>(display->width),
                                       static_cast<int>(display->height),
                                       static_cast<std::uint16_t>(page), *gadget.config().fonts);
  };
  const std::size_t begin = end_of(number - 1);
  const std::size_t end = end_of(number);
  return {{model.reply.data() + begin, end - begin}, end >= model.reply.size()};
}

std::string_view name(Fact fact) {
  // In the order of Fact.
  static constexpr char kNames[] =
      "state\0connection\0talk_pressed\0talk_released\0turn_start\0transcript\0status\0delta\0"
      "reply\0turn_end\0notice\0card\0image\0question\0answered\0pairing\0paired\0unpaired\0"
      "action\0audio_first\0played_first\0played_last\0underrun\0refused\0setting\0damaged\0"
      "reset\0update\0";
  static_assert(protocol::texts_in(kNames) == static_cast<std::size_t>(Fact::update) + 1);
  return protocol::text_at(kNames, static_cast<std::size_t>(fact));
}

screen::State Gadget::pick_state() const {
  using enum screen::State;
  if (storage_failed_) return error;
  // A restart comes, whatever the connection does.
  if (updater_.phase() >= UpdatePhase::installed && !session_.online()) return updating;
  if (session_.phase() == Phase::off) return boot;
  if (session_.doubt() != Doubt::none) return question;
  if (menu_.is_open() && !question_.shows()) return settings;
  if (session_.phase() == Phase::offline) return offline;
  if (!session_.online()) return session_.refusal().empty() ? connecting : error;
  if (question_.shows()) return question;
  if (talk_.recording()) return listening;
  // Behind a question: a press must never answer what nobody sees.
  if (updater_.shows()) return updating;
  if (!paired_) return pairing;
  // A card or picture waits until what is being said was said: its time runs from when it shows.
  if (!playback_.idle()) return replying;  // E28: to the last sample
  switch (conversation_.phase()) {
    case TurnPhase::answering: return replying;
    case TurnPhase::awaiting:
    case TurnPhase::working: return thinking;
    case TurnPhase::quiet: break;
  }
  if (picture_.ready() && (picture_above_ || !card_.shows)) return image;
  return card_.shows ? card : ready;
}

void Gadget::fill(Millis at, screen::ScreenModel& model) const {
  const Ticks now = ticks_at(at);
  model.state = state_;
  model.shape = config_.shape;
  model.mono = config_.display && !config_.display->color;
  model.device_name = name();
  model.clock = clock_text_.view();
  model.connected = session_.online();
  model.link = session_.phase() <= Phase::offline ? std::uint8_t{0} : screen::kLinkBars;
  if (lamp_known_) model.led = lamp_;
  model.volume = static_cast<std::uint8_t>(playback_.volume());

  model.transcript = conversation_.transcript();
  model.status = session_.online() ? conversation_.status() : session_.last_end();
  model.reply = conversation_.reply();
  model.reply_page = pager_.page();
  model.notice = notice_.view();
  if (!config_.inputs.talk) model.talk_button = {};
  if (!config_.inputs.cancel) model.cancel_button = config_.cancel_stand_in;
  model.hears = config_.mic_hz != 0;
  model.tap_to_talk =
      talk_.recording() ? talk_.tapped() : settings_.talk_mode() == protocol::TalkMode::tap;
  model.mic_level = talk_.recording() ? talk_.level() : std::uint8_t{0};
  model.speaker_level = playback_.idle() ? std::uint8_t{0} : playback_.level();

  model.hub = server_.empty() || !session_.online() ? host_of(settings_.text(Setting::hub))
                                                    : server_.view();
  model.device_id = session_.id().text();
  model.pairing_code = pairing_code_.view();
  model.pairing_command = pairing_command_.view();

  if (session_.doubt() == Doubt::unknown_here) {
    model.question.reenrol = true;
  } else if (session_.doubt() == Doubt::no_proof) {
    model.question.title = "Another hub?";
    model.question.text = "This hub cannot prove that it knows me. Trust it all the same?";
  } else {
    model.question.title = question_.title();
    model.question.text = question_.text();
    model.question.guard = question_.phase() == QuestionPhase::guarded;
    if (question_.ttl_ms() != kForever) {
      model.question.seconds_left = seconds_up(question_.left_ms(now));
      model.question.seconds_total = seconds_up(question_.ttl_ms());
    }
  }
  model.update_percent = updater_.percent();
  model.update_version = updater_.version();
  if (state_ == screen::State::updating) model.status = update_status(updater_);
  model.card.title = card_.title.view();
  model.card.body = card_body_.view();
  model.card.page = card_.page;
  model.image = picture_.view();
  model.error = storage_failed_ ? "My memory cannot be written." : session_.refusal();
  if (state_ == screen::State::settings) menu_.fill(now, info(at), model);
  const Held& cancel = held_[static_cast<std::size_t>(Button::cancel)];
  if (cancel.down && cancel.use == Use::cancel) {
    model.hold_percent = static_cast<std::uint8_t>(
        std::clamp<Ticks>((now - cancel.since) * 100 / kNewSessionHoldMs, 1, 100));
  }
}

}  // namespace gadget::device
