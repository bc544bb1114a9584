// What the person does: buttons, typing, and what a press means at that moment (C1-C9, Q3, E36).
#include <algorithm>
#include <array>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"
#include "protocol/decimal.hpp"
#include "protocol/utf8.hpp"

namespace gadget::device {
namespace {

constexpr const char* kNotConnected = "Not connected to the hub.";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

}  // namespace

void Gadget::button(Millis now, Button button, bool down) {
  begin(now);
  Held& held = held_[static_cast<std::size_t>(button)];
  if (held.down == down) return;  // a port that repeats itself presses once
  held.down = down;
  redraw_ = true;
  if (down) held.since = now_;
  if (put_aside(button, down)) {
    held.use = Use::none;
  } else if (down) {
    held.use = Use::none;
    press(button);
  } else {
    release(button);
    held.use = Use::none;
  }
  settle();
}

void Gadget::press(Button button) {
  Held& held = held_[static_cast<std::size_t>(button)];
  switch (button) {
    case Button::talk: return press_talk(held);
    case Button::cancel: return press_cancel(held);
    case Button::up: return turn_page(-1);
    case Button::down: return turn_page(1);
  }
}

void Gadget::release(Button button) {
  if (button != Button::talk || held_[static_cast<std::size_t>(button)].use != Use::talk) return;
  if (talk_.recording()) end_utterance(talk_.release(platform_.link));
}

void Gadget::press_talk(Held& held) {
  if (session_.doubt() != Doubt::none || question_.shows()) {
    held.use = Use::question;
    answer(clock_ms_, true);
    return;
  }
  if (!session_.online()) {
    if (!session_.ask_again(now_)) notice(kNotConnected);
    return;
  }
  if (config_.mic_hz == 0) return;
  if (talk_.recording()) {  // tapped a second time
    if (talk_.tapped()) end_utterance(talk_.release(platform_.link));
    return;
  }
  const bool tap = settings_.talk_mode() == protocol::TalkMode::tap;
  if (!talk_.begin(platform_.link, tap)) {
    notice(kNotConnected);
    return;
  }
  held.use = tap ? Use::none : Use::talk;
  card_.shows = false;
  if (picture_.ready()) picture_.dismiss();
  hush();
  if (platform_.microphone != nullptr) platform_.microphone->listen(true);
  note(Fact::talk_pressed);
}

void Gadget::end_utterance(Talk::End end) {
  if (end == Talk::End::none) return;
  if (platform_.microphone != nullptr) platform_.microphone->listen(false);
  note(Fact::talk_released, reason(end));
  if (end == Talk::End::sent) {
    conversation_.sent(now_);
    pager_.text(false);
  } else if (session_.online()) {
    if (end == Talk::End::too_short) {
      notice(talk_.tapped() ? "That was too short." : "Hold TALK while you speak.");
    }
    if (end == Talk::End::no_speech) notice("I heard nothing.");
    if (end == Talk::End::lost) notice("The connection is too slow to talk.");
  }
  question_.guard(now_);
  redraw_ = true;
}

void Gadget::press_cancel(Held& held) {
  if (session_.doubt() != Doubt::none || question_.shows()) {
    held.use = Use::question;
    answer(clock_ms_, false);
    return;
  }
  notice_until_ = now_;  // one that shows was seen
  if (!session_.online()) {
    (void)cancel(clock_ms_);
    return;
  }
  held.use = Use::cancel;  // held on for 2 s: a new conversation
  if (talk_.recording()) {
    end_utterance(talk_.cancel(platform_.link));
  } else if (state_ == screen::State::image) {
    picture_.dismiss();
  } else if (state_ == screen::State::card) {
    card_.shows = false;
  } else {
    (void)cancel(clock_ms_);
  }
}

void Gadget::turn_page(int by) {
  redraw_ = true;
  if (platform_.screen == nullptr) return;
  const int pages = platform_.screen->page_count(*this, clock_ms_);
  if (state_ == screen::State::card) {
    card_.page = static_cast<std::uint16_t>(
        std::clamp(std::min<int>(card_.page, pages - 1) + by, 0, pages - 1));
  } else {
    pager_.turn(by, pages);
  }
}

// Pages of a reply turn at the pace of reading. They are measured only when that may turn one.
void Gadget::page_by_itself() {
  const bool reading = state_ == screen::State::replying || state_ == screen::State::ready;
  if (!pager_.tick(now_, reading) || platform_.screen == nullptr) return;
  const auto page = platform_.screen->reply_page(*this, clock_ms_, pager_.page());
  if (pager_.measured(page.text, !page.last)) redraw_ = true;
}

// Whatever speaks, speaks no more, and the present turn stays silent.
void Gadget::hush() {
  conversation_.silence();
  playback_.stop();
  watch_playback();
}

bool Gadget::cancel(Millis now) {
  begin(now);
  const bool withdrawn = backlog_.forget_texts();
  if (!session_.online()) {
    if (withdrawn) notice("Discarded.");
    settle();
    return withdrawn;
  }
  // Also when nothing seems to run: what was sent may be on its way, and it is idempotent (E21).
  (void)send(protocol::Cancel{});
  conversation_.give_up();
  hush();
  settle();
  return true;
}

void Gadget::new_session(Millis now) {
  begin(now);
  (void)backlog_.forget_texts();
  if (!session_.online()) return;
  if (!send(protocol::SessionNew{})) return;
  hush();
  if (!conversation_.has_turn()) conversation_.forget();
  notice("New conversation.");
  settle();
}

bool Gadget::answer(Millis now, bool yes) {
  begin(now);
  const std::string_view word = yes ? "yes" : "no";
  if (session_.doubt() != Doubt::none) {
    if (!session_.decide(now_, yes)) return false;
    note(Fact::answered, word);
    redraw_ = true;
    settle();
    return true;
  }
  // What expired since the last tick is not answered any more (Q4).
  if (question_.tick(now_)) redraw_ = true;
  if (!question_.open() || !session_.online()) return false;
  // Not taken by the link: it stays, and can be answered again (Q4).
  if (!send(protocol::PromptReply{.id = question_.id(),
                                  .answer = yes ? protocol::Answer::yes : protocol::Answer::no})) {
    return false;
  }
  question_.answered();
  note(Fact::answered, word);
  redraw_ = true;
  settle();
  return true;
}

void Gadget::allow_reenrol(Millis now) {
  begin(now);
  session_.allow_reenrol(now_);
  settle();
}

bool Gadget::text(Millis now, std::string_view text) {
  begin(now);
  if (is_blank(text)) return false;
  text = protocol::cut_code_points(text, protocol::kMaxTextCodePoints);
  bool taken = may_tell() && send_text(text);
  if (!taken) {
    taken = backlog_.add(now_, {Backlog::Kind::text, {}, text});
    count_lost();
    notice(taken ? "I say it when the hub is back." : kNotConnected);
  }
  settle();
  return taken;
}

bool Gadget::send_text(std::string_view text) {
  protocol::DecimalRoom room;
  protocol::Text message;
  message.id = protocol::decimal(++text_number_, room);
  message.text = text;
  // What does not fit the board's buffer is cut further; escapes make its length hard to foresee.
  while (!protocol::write_message(message, buffers_.outgoing) && !message.text.empty()) {
    message.text = protocol::cut_bytes(message.text, message.text.size() * 3 / 4);
  }
  if (!send(message)) return false;
  card_.shows = false;
  if (picture_.ready()) picture_.dismiss();
  conversation_.sent(now_);
  pager_.text(false);
  redraw_ = true;
  return true;
}

}  // namespace gadget::device
