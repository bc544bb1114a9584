// gadget.hpp - the device core: one object that is a Hermes gadget, on any machine.
//
//   GadgetMemory<> memory;                                  // or spans of your own
//   Gadget gadget{config, platform, memory.view()};
//   gadget.start(now);
//   for (;;) { tell it what happened; gadget.tick(now); }
//
// It is fed with the events of a link, button edges, samples, readings and the time, and asks a
// Platform to send, draw and play. No OS, no heap, no exceptions, no RTTI, no clock of its own.
//
// Owner: the port. One thread: every call from the same one, none from inside a Platform call.
// `now` is monotonic milliseconds and never goes back; below 0 counts as 0, beyond kMaxClockMs as
// that. Call tick() about every 20 ms.
// Source: protocol.md, the rows of column D and B.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/action_book.hpp"
#include "device/core/backlog.hpp"
#include "device/core/cleared.hpp"
#include "device/core/clock.hpp"
#include "device/core/conversation.hpp"
#include "device/core/lighting.hpp"
#include "device/core/menu.hpp"
#include "device/core/pager.hpp"
#include "device/core/picture.hpp"
#include "device/core/platform.hpp"
#include "device/core/playback.hpp"
#include "device/core/question.hpp"
#include "device/core/session.hpp"
#include "device/core/settings.hpp"
#include "device/core/talk.hpp"
#include "device/core/telemetry.hpp"
#include "device/update/updater.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

// What the device is. Views live as long as the Gadget.
struct GadgetConfig {
  std::string_view name;  // while none is set; empty: the id
  std::string_view board = "unknown";
  std::string_view firmware;  // empty: not said
  std::string_view token;     // while none is set: GADGET_ACCESS_TOKEN; empty: none (H7)
  std::string_view hub;       // while none is set: the hub's URL, or its host for the screen
  Settings::Forced forced;    // what goes before the stored settings in this run
  Menu* menu = nullptr;       // settings on the screen, SettingsMenu; null: none, and no checks
  int screen_timeout_s = kScreenTimeoutS;          // while none is set
  std::optional<protocol::DisplayCaps> display;    // with `image` only where there is room for it
  screen::Shape shape = screen::Shape::rectangle;  // of the screen
  std::uint32_t mic_hz = 0;                        // 0: no microphone
  std::uint32_t speaker_hz = 0;                    // 0: no speaker
  Ticks speaker_warmup_ms = 0;                     // its amplifier's, from Speaker::wake on (B-47)
  // The buttons that there are: told to the hub, and what hints on the screen speak of.
  protocol::InputCaps inputs{.talk = true, .cancel = true, .up = true, .down = true};
  // Without CANCEL: what the port takes for it, as hints call it ("Long UP"); empty: nothing.
  std::string_view cancel_stand_in;
  std::size_t max_message_bytes = 8'192;  // of the port's receive buffer (E33)
  ReenrolPolicy reenrol = ReenrolPolicy::ask;
  std::int64_t build_time_ms = 0;  // T2: no earlier time is believed
  const screen::FontSet* fonts = &screen::kAsciiFonts;
};

// The room that a Gadget works in, borrowed for its whole life.
struct GadgetBuffers {
  std::span<std::int16_t> playback;  // a second at speaker_hz (A5)
  std::span<std::byte> microphone;   // a frame: 4 + mic_hz / 25 * 2 bytes
  std::span<char> outgoing;  // the longest message that is sent, twice (hello: actions, sensors)
  std::span<char> reply;     // the reply on the screen; longer ones are cut
  std::span<char> card;      // the body of a card; the same
  // The largest picture, width x height of display.image; empty: no pictures (H5).
  std::span<screen::Colour> image = {};
  std::span<char> backlog = {};  // events and texts of a time without a hub; empty: they are lost
};

// Room for a speaker and a microphone of 16 kHz.
template <std::size_t Samples = 16'000, std::size_t FrameBytes = 1'284,
          std::size_t OutgoingBytes = 6'144, std::size_t ReplyBytes = 4'096,
          std::size_t CardBytes = 1'024, std::size_t BacklogBytes = 1'024>
struct GadgetMemory {
  std::array<std::int16_t, Samples> playback{};
  std::array<std::byte, FrameBytes> microphone{};
  std::array<char, OutgoingBytes> outgoing{};
  std::array<char, ReplyBytes> reply{};
  std::array<char, CardBytes> card{};
  std::array<char, BacklogBytes> backlog{};
  [[nodiscard]] GadgetBuffers view() {
    return {playback, microphone, outgoing, reply, card, {}, backlog};
  }
};

class Gadget : Cleared {
 public:
  struct Counters {
    std::uint32_t malformed = 0;       // messages of the hub that were dropped (E34)
    std::uint32_t unknown = 0;         // of a type of a later version (T9)
    std::uint32_t untimely = 0;        // before `welcome`, or of a turn that is over
    std::uint32_t cut = 0;             // too long, shown as far as it went (E33)
    std::uint32_t too_long = 0;        // too long, dropped (E33)
    std::uint32_t foreign_frames = 0;  // binary of a channel or stream that is not expected
    std::uint32_t unsent = 0;          // messages that the link did not take
    std::uint32_t connections = 0;     // that reached `welcome`
    std::uint32_t lost_events = 0;     // for which there was no hub until they were too old or many
    std::uint32_t lost_texts = 0;      // the same
  };

  Gadget(const GadgetConfig& config, const Platform& platform, const GadgetBuffers& buffers);
  Gadget(const Gadget&) = delete;
  Gadget& operator=(const Gadget&) = delete;

  // Loads or makes the key (H1) and begins to connect. False: the key cannot be kept; the screen
  // says so and nothing else will happen.
  bool start(Millis now);
  void tick(Millis now);
  // The board has a network, or has lost it. Up until told otherwise.
  void network(Millis now, bool up);
  // Leaves the hub for good: 1000 "leaving", or 1001 before a restart.
  void stop(Millis now, std::uint16_t code = 1000, std::string_view reason = "leaving");

  // ---- Link events, of the connection that Link::connect(epoch) began
  void link_transport(Millis now, Epoch epoch);  // TCP and TLS are there; optional
  void link_opened(Millis now, Epoch epoch);     // the upgrade was granted
  // A whole message; strings are decoded in place, so the bytes change.
  void link_text(Millis now, Epoch epoch, std::span<char> message);
  // A text message longer than max_message_bytes: its beginning (E33).
  void link_cut_text(Millis now, Epoch epoch, std::span<char> beginning);
  void link_binary(Millis now, Epoch epoch, std::span<const std::byte> message);
  void link_alive(Millis now, Epoch epoch);  // any other inbound frame (E30)
  void link_closed(Millis now, Epoch epoch, const LinkEnd& end);

  // ---- The person
  void button(Millis now, Button button, bool down);
  // Types and sends a message (C1); without a hub it waits for a minute. False: blank, or too long
  // to wait.
  bool text(Millis now, std::string_view text);
  // As the buttons would: for consoles. False: no hub, and no text that waited for one.
  bool cancel(Millis now);
  void new_session(Millis now);
  bool answer(Millis now, bool yes);
  void allow_reenrol(Millis now);  // E32: `reenrol` on a console

  // ---- The board
  // Samples at mic_hz; those that nobody listens to are dropped.
  void microphone(Millis now, std::span<const std::int16_t> samples);
  // The speaker's next samples at speaker_hz; returns how many are voice, the rest is silence.
  std::size_t play(Millis now, std::span<std::int16_t> out);
  // A reading as JSON (S1); see Telemetry::set.
  bool sensor(Millis now, std::string_view name, std::string_view json);
  // Something happened (S2); without a hub it waits for five minutes. `data` is JSON or empty.
  // False: too long, or no JSON.
  bool event(Millis now, std::string_view name, std::string_view data, bool notify);
  // An action that was `running` is done. False: nobody waits for it any more.
  bool finish_action(Millis now, ActionTicket ticket, bool ok, std::string_view answer);

  // ---- Settings: checked, kept, and applied at once (name, hub and token by a new connection).
  Settings::Outcome set(Millis now, Setting setting, std::string_view value);
  Settings::Outcome set(Millis now, Setting setting, int value);  // clamped to its range
  // As new: another key (H1), no trust, no settings. False: the store does not take it; the screen
  // says so, and the next start goes on with it.
  bool factory_reset(Millis now);
  // Opens a check (microphone, speaker, display, inputs) as the settings' own rows do. False: not
  // now, or the board has no such part.
  bool check(Millis now, MenuEvent which);
  void leave_settings(Millis now);

  // ---- What it is like now
  [[nodiscard]] screen::State state() const { return state_; }
  // Fills the picture; its views are valid until the next call of anything else.
  void fill(Millis now, screen::ScreenModel& model) const;
  [[nodiscard]] const GadgetConfig& config() const { return config_; }
  [[nodiscard]] const protocol::DeviceId& id() const { return session_.id(); }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const Conversation& conversation() const { return conversation_; }
  [[nodiscard]] const Playback& playback() const { return playback_; }
  [[nodiscard]] const Talk& talk() const { return talk_; }
  [[nodiscard]] const Picture& picture() const { return picture_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Lighting& lighting() const { return lighting_; }
  [[nodiscard]] const Updater& updater() const { return updater_; }
  [[nodiscard]] const Menu& menu() const { return menu_; }
  [[nodiscard]] DeviceInfo info(Millis now) const;
  [[nodiscard]] bool paired() const { return paired_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  // When the pause ends, or whatever else the connection waits for.
  [[nodiscard]] Millis pause_ends() const {
    return clock_ms_ + static_cast<std::int32_t>(session_.pause_ends() - now_);
  }

 private:
  struct Receiver;  // one overload a message: gadget_messages.cpp
  template <class Variant>
  struct Receivers;

  // A button that is down: since when, and what that press was used for.
  enum class Use : std::uint8_t { none, talk, question, cancel };
  struct Held {
    bool down = false;
    Use use = Use::none;
    Ticks since = 0;
  };

  struct Card {
    bool shows = false;    // or waits for its turn to show
    bool timed = false;    // its time runs: it was seen
    Ticks ttl = kForever;  // from when it shows
    Ticks seen_at = 0;
    FixedText<kTitleBytes> title;
    std::uint16_t page = 0;
  };

  // What every public call begins with.
  void begin(Millis now);
  // The core's own time at `now`, not before that of the last call.
  [[nodiscard]] Ticks ticks_at(Millis now) const;
  void receive(const protocol::HubMessageRoom& message);
  bool send_any(std::span<char> room, const protocol::MessageInfo& info, const void* message);
  bool send_any(const protocol::MessageInfo& info, const void* message);
  template <class Message>
  bool send(const Message& message);
  template <class Message>
  bool send_in(std::span<char> room, const Message& message);
  bool send_hello();
  void send_due_state();
  bool send_text(std::string_view text);
  void send_waiting();
  void count_lost();
  [[nodiscard]] bool may_tell() const;
  void answer_action(ActionBook::Entry& entry);
  void refuse_action(const std::string_view& id, const char* why);
  void run_action(const protocol::Action& action);
  // Each of the device's actions, the board's first; null: there are no more.
  [[nodiscard]] const ActionSpec* action_at(std::size_t index) const;
  ActionOutcome run_builtin(const ActionSpec& action, const ActionArgs& args, ActionAnswer& answer);
  void write_actions(protocol::JsonWriter& out) const;
  void malformed(std::string_view type, std::string_view id);
  // gadget_update.cpp
  void offer_update(const protocol::OtaOffer& offer);
  void begin_update(const protocol::OtaBegin& begin);
  void tick_update();
  // What each of them ends with: tells the hub what it is owed, and the port what happened.
  void settle_update();

  void press(Button button);
  void release(Button button);
  void press_talk(Held& held);
  void press_cancel(Held& held);
  void turn_page(int by);
  void page_by_itself();
  void end_utterance(Talk::End end);
  void hush();

  bool load_settings();
  void apply_settings();
  void set_done(Setting setting);
  bool erase();
  void settings_tick();
  void follow_menu(Menu::Ask ask);
  void play_tone();
  // Whether a press is not for the conversation: it only woke the screen, or the settings are open.
  bool put_aside(Button button, bool down);

  // Texts by reference, and literals as such: see json_writer.hpp.
  void notice(const std::string_view& text, Ticks ttl = kNoticeMs);
  void notice(const char* text);
  void note(Fact fact, const std::string_view& text);
  void note(Fact fact, const char* text);
  void note(Fact fact);
  void changed(Fact fact, const std::string_view& text);  // the same, of what the screen may show
  // What every public call ends with: a connection that is gone, the state, the picture.
  void settle();
  void forget_if_gone();
  void forget_conversation();
  void watch_playback();
  [[nodiscard]] screen::State pick_state() const;
  void show();
  void fill(protocol::Caps& caps) const;
  [[nodiscard]] std::string_view name() const;

  // Small and often used ones first: the nearer to the beginning, the shorter the code (of an ARM);
  // what is beyond 4 KB costs most.
  Ticks now_ = 0;  // of the public call that is under way
  bool redraw_ = true;
  screen::State state_ = screen::State::boot;
  bool paired_ = false;
  bool storage_failed_ = false;
  bool sounded_ = false;  // of the stream that plays, the first sample was played
  bool speaker_awake_ = false;
  bool menu_listens_ = false;
  bool may_open_menu_ = false;  // UP or DOWN was pressed since it closed
  bool picture_above_ = false;  // it came after the card
  bool lamp_known_ = false;
  UpdatePhase update_seen_ = UpdatePhase::idle;
  Probation probation_seen_ = Probation::none;
  Session session_;
  Millis clock_ms_ = 0;     // now_ as the port says it
  Epoch online_epoch_ = 0;  // the connection that `welcome` came on; 0: none
  Counters counters_;
  Menu& menu_;
  Platform platform_;
  GadgetBuffers buffers_;
  std::array<Held, kButtons> held_{};
  Pager pager_;
  Lighting lighting_;
  Playback playback_;
  Talk talk_;
  Clock clock_;
  Picture picture_;
  BorrowedText card_body_;
  Ticks notice_until_ = 0;
  Millis started_at_ = 0;
  Ticks drawn_at_ = 0;
  std::uint32_t text_number_ = 0;
  std::uint32_t lamp_ = 0;
  std::uint32_t underruns_seen_ = 0;
  GadgetConfig config_;
  Card card_;
  Settings settings_;
  Backlog backlog_;
  Updater updater_;
  Conversation conversation_;
  Question question_;
  NoMenu no_menu_;
  FixedText<kNoticeBytes> notice_;
  FixedText<8> clock_text_;
  FixedText<kServerBytes> server_;
  FixedText<kPairingCodeBytes> pairing_code_;
  FixedText<kPairingCommandBytes> pairing_command_;
  Telemetry telemetry_;
  ActionBook actions_;
};

}  // namespace gadget::device
