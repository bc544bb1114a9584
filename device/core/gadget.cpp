#include "device/core/gadget.hpp"

#include <algorithm>

#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

// What the person is to see: it wakes the screen.
bool wakes(Fact fact) {
  switch (fact) {
    case Fact::talk_pressed:
    case Fact::delta:
    case Fact::reply:
    case Fact::notice:
    case Fact::card:
    case Fact::question:
    case Fact::pairing: return true;
    default: return false;
  }
}

// A state that keeps the screen lit; the others may last for days.
bool goes_on(screen::State state) {
  using enum screen::State;
  return state == listening || state == thinking || state == replying || state == updating ||
         state == settings;
}

// The largest picture that the port takes; without sides: none.
constexpr protocol::ImageBox kNoPictures;
const protocol::ImageBox& announced(const GadgetConfig& config) {
  return config.display && config.display->image ? *config.display->image : kNoPictures;
}

}  // namespace

Gadget::Gadget(const GadgetConfig& config, const Platform& platform, const GadgetBuffers& buffers)
    : Cleared(this, sizeof(Gadget)),
      session_(platform, config.reenrol),
      menu_(config.menu != nullptr ? *config.menu : no_menu_),
      platform_(platform),
      buffers_(buffers),
      lighting_(platform.backlight),
      playback_(buffers.playback, config.speaker_hz, config.speaker_warmup_ms),
      talk_(buffers.microphone, config.mic_hz),
      clock_(config.build_time_ms),
      picture_(buffers.image, announced(config)),
      card_body_(buffers.card),
      config_(config),
      settings_(platform.store, {.screen_timeout_s = config.screen_timeout_s,
                                 .name = config.name,
                                 .hub = config.hub,
                                 .token = config.token}),
      backlog_(buffers.backlog),
      updater_(platform.firmware, config.board),
      conversation_(buffers.reply) {
  menu_.attach(settings_, {.speaker = config.speaker_hz != 0,
                           .microphone = config.mic_hz != 0,
                           .backlight = platform.backlight != nullptr,
                           .inputs = config.inputs});
}

// Never inlined: every public call begins with it.
[[gnu::noinline]] void Gadget::begin(Millis now) {
  now_ = ticks_at(now);
  clock_ms_ = clocked(now);
}

Ticks Gadget::ticks_at(Millis now) const {
  return now_ + static_cast<Ticks>(std::clamp<Millis>(clocked(now) - clock_ms_, 0, kLongestStep));
}

bool Gadget::start(Millis now) {
  begin(now);
  clock_.load(platform_.store);
  storage_failed_ = !load_settings() || !session_.start(now_);
  // E32: a button held at start gives the key again, where no screen can ask.
  if (held_[static_cast<std::size_t>(Button::talk)].down) session_.allow_reenrol(now_);
  updater_.start(now_);
  settle_update();
  settle();
  return !storage_failed_;
}

void Gadget::network(Millis now, bool up) {
  begin(now);
  session_.network(now_, up);
  settle();
}

void Gadget::stop(Millis now, std::uint16_t code, std::string_view reason) {
  begin(now);
  session_.stop(code, reason);
  settle();
}

// ---- Link events

void Gadget::link_transport(Millis now, Epoch epoch) {
  begin(now);
  session_.transport(now_, epoch);
  settle();
}

void Gadget::link_opened(Millis now, Epoch epoch) {
  begin(now);
  if (session_.opened(now_, epoch) && !send_hello()) {
    session_.give_up(now_);
  }
  settle();
}

void Gadget::link_alive(Millis now, Epoch epoch) {
  begin(now);
  session_.alive(now_, epoch);
}

void Gadget::link_closed(Millis now, Epoch epoch, const LinkEnd& end) {
  begin(now);
  if (session_.ended(now_, epoch, end)) note(Fact::connection, session_.last_end());
  settle();
}

void Gadget::link_binary(Millis now, Epoch epoch, std::span<const std::byte> message) {
  begin(now);
  if (!session_.alive(now_, epoch)) return;
  const auto frame = protocol::decode_frame(message);
  if (!frame) {
    if (frame.error().code == protocol::ErrorCode::too_short) {
      ++counters_.malformed;
    } else {
      ++counters_.foreign_frames;
    }
    return;
  }
  if (!session_.online()) {
    ++counters_.foreign_frames;
    return;
  }
  if (frame->channel == protocol::Channel::image) {
    if (!picture_.chunk(frame->stream, frame->sequence, frame->payload)) ++counters_.foreign_frames;
    return;
  }
  if (frame->channel == protocol::Channel::firmware) {
    if (message.size() > protocol::kMaxBinaryBytes ||
        !updater_.frame(now_, frame->stream, frame->sequence, frame->payload)) {
      ++counters_.foreign_frames;  // E38: also what is longer than a frame may be
    }
    settle_update();
    return settle();
  }
  if (frame->channel != protocol::Channel::audio) {
    ++counters_.foreign_frames;
    return;
  }
  const bool first =
      playback_.phase() == PlaybackPhase::buffering && playback_.waiting() == 0 && !sounded_;
  if (!playback_.frame(frame->stream, frame->sequence, frame->payload, talk_.recording())) {
    ++counters_.foreign_frames;
  } else if (first && playback_.waiting() > 0) {
    note(Fact::audio_first);
  }
  settle();
}

// ---- The board

void Gadget::microphone(Millis now, std::span<const std::int16_t> samples) {
  begin(now);
  if (menu_.page() == MenuPage::microphone) menu_.hear(samples);
  if (!talk_.recording()) return;
  end_utterance(talk_.feed(platform_.link, samples));
  settle();
}

std::size_t Gadget::play(Millis now, std::span<std::int16_t> out) {
  begin(now);
  const std::size_t voice = playback_.play(out);
  if (voice > 0 && !sounded_) {
    sounded_ = true;
    note(Fact::played_first);
  }
  watch_playback();
  settle();
  return voice;
}

void Gadget::watch_playback() {
  if (playback_.counters().underruns != underruns_seen_) {
    underruns_seen_ = playback_.counters().underruns;
    note(Fact::underrun);
  }
  if (playback_.idle() && sounded_) {
    sounded_ = false;
    note(Fact::played_last);
  }
  const bool awake = !playback_.idle();
  if (awake != speaker_awake_) {
    speaker_awake_ = awake;
    if (platform_.speaker != nullptr) platform_.speaker->wake(awake);
  }
}

bool Gadget::sensor(Millis now, std::string_view name, std::string_view json) {
  begin(now);
  if (!telemetry_.set(name, json)) return false;
  if (session_.online()) send_due_state();
  return true;
}

bool Gadget::event(Millis now, std::string_view name, std::string_view data, bool notify) {
  begin(now);
  if (name.empty() || data.size() > protocol::kMaxEventDataBytes ||
      (!data.empty() && !protocol::check_json(data))) {
    return false;
  }
  name = protocol::cut_code_points(name, protocol::kMaxNameCodePoints);
  bool told = may_tell() && send(protocol::Event{.name = name, .data = {data}, .notify = notify});
  if (!told) {
    told = backlog_.add(now_,
                        {notify ? Backlog::Kind::event_notify : Backlog::Kind::event, name, data});
    count_lost();
  }
  settle();
  return told;
}

// What waits goes first; until the device is paired, it stays where it is (E40).
bool Gadget::may_tell() const { return session_.online() && (backlog_.empty() || !paired_); }

void Gadget::count_lost() {
  counters_.lost_texts = backlog_.lost().texts;
  counters_.lost_events = backlog_.lost().events;
}

// One at a time: a burst would meet the hub's limits (E42: eight that wait).
void Gadget::send_waiting() {
  if (backlog_.expire(now_)) notice("Not sent: the hub was away.");
  count_lost();
  if (!session_.online() || !paired_) return;
  const auto item = backlog_.oldest();
  if (!item) return;
  const bool sent =
      item->kind == Backlog::Kind::text
          ? send_text(item->body)
          : send(protocol::Event{.name = item->name,
                                 .data = {item->body},
                                 .notify = item->kind == Backlog::Kind::event_notify});
  if (sent) backlog_.drop_oldest();
}

void Gadget::send_due_state() {
  const auto due = telemetry_.due(now_);
  if (due == Telemetry::Due::nothing) return;
  const auto [scratch, message] = halves(buffers_.outgoing);
  protocol::JsonWriter writer{scratch};
  telemetry_.write(due, writer);
  const auto sensors = writer.finish();
  if (sensors && send_in(message, protocol::State{.sensors = {*sensors}})) {
    telemetry_.told(due, now_);
  }
}

bool Gadget::send_any(std::span<char> room, const protocol::MessageInfo& info,
                      const void* message) {
  const auto text = protocol::write_message(info, message, room);
  if (text && platform_.link.send_text(*text)) return true;
  ++counters_.unsent;
  return false;
}

// Never inlined: a span is handed on through memory.
[[gnu::noinline]] bool Gadget::send_any(const protocol::MessageInfo& info, const void* message) {
  return send_any(buffers_.outgoing, info, message);
}

bool Gadget::send_hello() {
  const auto [scratch, message] = halves(buffers_.outgoing);
  protocol::JsonWriter actions_writer{scratch};
  write_actions(actions_writer);
  const auto actions = actions_writer.finish();
  if (!actions) return false;
  protocol::JsonWriter sensors_writer{scratch.subspan(actions->size())};
  telemetry_.write_all(sensors_writer);
  const auto sensors = sensors_writer.finish();
  if (!sensors) return false;
  protocol::Hello hello;
  hello.proto = protocol::kProtocolVersion;
  hello.device_id = session_.id();
  hello.name = name();
  hello.board = config_.board;
  hello.firmware = config_.firmware;
  const std::string_view token = settings_.text(Setting::token);
  if (!token.empty()) hello.token = token;
  fill(hello.caps);
  hello.actions = {*actions};
  if (!telemetry_.empty()) hello.sensors = {*sensors};
  hello.nonce = session_.hello_nonce();
  note(Fact::connection, "open");
  if (!send_in(message, hello)) return false;
  telemetry_.told_all(now_);  // what changes from here on is told by `state`
  return true;
}

std::string_view Gadget::name() const {
  const std::string_view set = settings_.text(Setting::name);
  return set.empty() ? session_.id().text() : set;
}

void Gadget::fill(protocol::Caps& caps) const {
  caps.display = config_.display;
  if (caps.display) caps.display->image = picture_.box();
  if (config_.mic_hz != 0) caps.mic = protocol::AudioCaps{.rate_hz = config_.mic_hz};
  if (config_.speaker_hz != 0) caps.speaker = protocol::AudioCaps{.rate_hz = config_.speaker_hz};
  caps.inputs = config_.inputs;
  if (config_.mic_hz != 0) caps.talk_mode = settings_.talk_mode();
  caps.max_message_bytes = static_cast<std::int64_t>(config_.max_message_bytes);
  if (const auto most = updater_.max_bytes(); most > 0) caps.ota_max_size = most;
}

// ---- Time

void Gadget::tick(Millis now) {
  begin(now);
  session_.tick(now_);
  forget_if_gone();  // before anything waits to be said on that connection
  tick_update();
  conversation_.tick(now_);
  settings_tick();
  if (question_.tick(now_)) redraw_ = true;
  if (!notice_.empty() && is_due(now_, notice_until_)) {
    notice_.clear();
    redraw_ = true;
  }
  if (card_.timed && now_ - card_.seen_at >= card_.ttl) card_.shows = card_.timed = false;
  (void)picture_.tick(now_);
  page_by_itself();
  send_waiting();
  if (session_.online()) {
    send_due_state();
    if (auto* const entry = actions_.unsent()) answer_action(*entry);
  }
  Held& cancel = held_[static_cast<std::size_t>(Button::cancel)];
  if (cancel.down && cancel.use == Use::cancel && now_ - cancel.since >= kNewSessionHoldMs) {
    cancel.use = Use::none;
    new_session(clock_ms_);
  }
  settle();
}

void Gadget::forget_if_gone() {
  if (online_epoch_ == 0 || (session_.online() && session_.epoch() == online_epoch_)) return;
  online_epoch_ = 0;
  forget_conversation();
}

void Gadget::settle() {
  forget_if_gone();
  watch_playback();
  const screen::State state = pick_state();
  if (state == screen::State::card && !card_.timed && card_.ttl != kForever) {
    card_.timed = true;
    card_.seen_at = now_;
  }
  if (state == screen::State::image) picture_.shown(now_);
  const bool other_state = state != state_;
  if (other_state) {
    state_ = state;
    note(Fact::state, screen::name(state));
  }
  lighting_.tick(now_, goes_on(state));
  // A burst of changes is one picture; another state is one at once.
  const Ticks age = now_ - drawn_at_;
  if (other_state || age >= kFrameMs || (redraw_ && age >= kMinFrameMs)) show();
}

void Gadget::forget_conversation() {
  if (talk_.recording()) {
    talk_.drop();
    end_utterance(Talk::End::lost);
  }
  playback_.stop();
  picture_.connection_lost();
  conversation_.forget();
  question_.forget();
  actions_.forget();
  updater_.link_lost();
  settle_update();
  paired_ = false;
  pairing_code_.clear();
  pairing_command_.clear();
  redraw_ = true;
}

void Gadget::notice(const char* text) { notice(std::string_view{text}); }

void Gadget::notice(const std::string_view& text, Ticks ttl) {
  notice_.set(text);
  notice_until_ = now_ + std::max(ttl, kNoticeMinMs);
  changed(Fact::notice, notice_.view());
}

void Gadget::changed(Fact fact, const std::string_view& text) {
  redraw_ = true;
  note(fact, text);
}

[[gnu::noinline]] void Gadget::note(Fact fact) { note(fact, ""); }

void Gadget::note(Fact fact, const char* text) { note(fact, std::string_view{text}); }

void Gadget::note(Fact fact, const std::string_view& text) {
  if (wakes(fact)) (void)lighting_.wake(now_);
  if (platform_.watcher != nullptr) platform_.watcher->noticed(fact, text, clock_ms_);
}

// Never inlined: the only caller of Screen::draw, which scripts/stack_depth.py relies on.
[[gnu::noinline]] void Gadget::show() {
  redraw_ = false;
  drawn_at_ = now_;
  if (const auto day = clock_.local_day_ms(clock_ms_)) {
    const auto minutes = static_cast<unsigned>(*day / 60'000);
    const auto digit = [](unsigned value) { return static_cast<char>('0' + value); };
    const unsigned hour = minutes / 60;
    const unsigned minute = minutes % 60;
    const std::array<char, 5> text{digit(hour / 10), digit(hour % 10), ':', digit(minute / 10),
                                   digit(minute % 10)};
    clock_text_.set({text.data(), text.size()});
  }
  if (platform_.screen == nullptr) return;
  platform_.screen->draw(*this, clock_ms_);
}

}  // namespace gadget::device
