// platform.hpp - what the device core asks of the machine it runs on.
//
// A port implements Link, Store and Entropy, and of the rest what its board has (null: it has
// none). Every call comes from inside a call of Gadget, on the port's one thread, and returns at
// once. No call may call the Gadget back, but to look (fill, state ...); what happens in
// consequence is told to it afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/core/action_args.hpp"
#include "device/core/limits.hpp"
#include "device/screen/model.hpp"
#include "device/update/firmware_slots.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/messages.hpp"
#include "protocol/utf8.hpp"

namespace gadget::device {

enum class Button : std::uint8_t { talk, cancel, up, down };
inline constexpr std::size_t kButtons = 4;

// Which connection an event is about. Events of an earlier one are dropped by comparison.
using Epoch = std::uint32_t;

// How a connection ended, or why there was none.
struct LinkEnd {
  std::uint16_t close_code = 0;  // of the close frame; 0: none came
  std::string_view reason;       // of the close frame, or what the system said
  unsigned http_status = 0;      // of an answer other than 101; 0: it never came to that
  std::uint32_t retry_after_s = 0;
};

// A WebSocket client (T1, T3, T10): subprotocol hermes-gadget.v1, no extension, no redirect.
class Link {
 public:
  // Begins to connect; what becomes of it is told by Gadget::link_*(epoch). A connection that was
  // there is gone by then.
  virtual void connect(Epoch epoch) = 0;
  // Queues one message, borrowed during the call. False: it did not take it (full, or just gone).
  [[nodiscard]] virtual bool send_text(std::string_view message) = 0;
  [[nodiscard]] virtual bool send_binary(std::span<const std::byte> message) = 0;
  // Sends what is queued and a close frame, in its own time. No event of that connection follows.
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  // Whether the connection is encrypted and the hub verified (wss://): E32 asks.
  [[nodiscard]] virtual bool secure() const = 0;

 protected:
  ~Link() = default;
};

// Small values that survive a power cut, each replaced as a whole or not at all. The core writes
// only what changed: "key" once, "trust" at an enrolment, "time" once a day, a setting when it is
// set. An empty value is none.
class Store {
 public:
  // Copies the value into `out` and returns its size; nothing when there is none or it does not
  // fit.
  [[nodiscard]] virtual std::optional<std::size_t> get(std::string_view name,
                                                       std::span<std::byte> out) = 0;
  // Durable when it returns. False: it could not be kept.
  [[nodiscard]] virtual bool put(std::string_view name, std::span<const std::byte> value) = 0;

 protected:
  ~Store() = default;
};

// Random bytes good enough for keys (H1) and nonces.
class Entropy {
 public:
  virtual void fill(std::span<std::byte> out) = 0;

 protected:
  ~Entropy() = default;
};

class Gadget;
class Screen;

// What a page of the reply shows.
struct ReplyPage {
  std::string_view text;
  bool last = true;
};

// What a board with a screen needs of the core and of device/screen (gadget_view.cpp).
void draw(Screen& screen, const Gadget& gadget, Millis now);
// Pages that the text now on the screen has; at least 1.
[[nodiscard]] int page_count(const Gadget& gadget, Millis now);
[[nodiscard]] ReplyPage reply_page(const Gadget& gadget, Millis now, std::uint16_t number);

class Screen {
 public:
  // Draw this (device/screen: draw). Comes after changes and every kFrameMs; valid during the call.
  virtual void show(const screen::ScreenModel& model, Millis now) = 0;

  // The functions above. The core calls them here, so that an image without a Screen has nothing of
  // them; a port has no reason to override them.
  virtual void draw(const Gadget& gadget, Millis now) { device::draw(*this, gadget, now); }
  [[nodiscard]] virtual int page_count(const Gadget& gadget, Millis now) const {
    return device::page_count(gadget, now);
  }
  [[nodiscard]] virtual ReplyPage reply_page(const Gadget& gadget, Millis now,
                                             std::uint16_t number) const {
    return device::reply_page(gadget, now, number);
  }

 protected:
  ~Screen() = default;
};

class Microphone {
 public:
  // From now on samples are wanted (Gadget::microphone), or no more.
  virtual void listen(bool on) = 0;

 protected:
  ~Microphone() = default;
};

class Speaker {
 public:
  // There is something to play: Gadget::play will have samples soon, or has no more.
  virtual void wake(bool on) = 0;

 protected:
  ~Speaker() = default;
};

// A lamp that can show a colour: the built-in action `led.set`.
class Lamp {
 public:
  virtual void set(std::uint32_t rgb) = 0;  // 0xRRGGBB; 0: off

 protected:
  ~Lamp() = default;
};

// The light behind the screen: the setting, its timeout, and the action `screen.brightness`.
class Backlight {
 public:
  virtual void set(int percent) = 0;  // 0..100; 0: off

 protected:
  ~Backlight() = default;
};

// Something the board can do for the agent (H6, X1). All views live as long as the Gadget.
struct ActionSpec {
  std::string_view name;
  std::string_view description = {};  // written for the model
  ArgTable args = {};                 // what it takes: told to the hub, and checked
};

enum class ActionOutcome : std::uint8_t {
  done,     // `answer` holds the result as JSON, or nothing
  failed,   // `answer` holds the error, a sentence
  running,  // Gadget::finish_action(ticket) will tell
};

// Names one action that is running; of an earlier connection it means nothing any more.
using ActionTicket = std::uint32_t;

// Where an action writes its outcome: at most kActionAnswerBytes.
class ActionAnswer {
 public:
  explicit ActionAnswer(std::span<char> room) : room_(room) {}
  void text(std::string_view text) {  // an error; cut to fit
    const auto kept = protocol::cut_bytes(text, room_.size());
    for (size_ = 0; size_ < kept.size(); ++size_) room_[size_] = kept[size_];
  }
  void json(std::string_view json) {  // a result; what does not fit fails the action
    overflow_ = json.size() > room_.size();
    size_ = 0;
    for (; !overflow_ && size_ < json.size(); ++size_) room_[size_] = json[size_];
  }
  [[nodiscard]] std::string_view view() const { return {room_.data(), size_}; }
  [[nodiscard]] bool overflow() const { return overflow_; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

class Actions {
 public:
  [[nodiscard]] virtual std::span<const ActionSpec> list() const = 0;
  // `args` fit the action's table (E37): what does not never comes here.
  virtual ActionOutcome run(const ActionSpec& action, const ActionArgs& args, ActionTicket ticket,
                            ActionAnswer& answer) = 0;

 protected:
  ~Actions() = default;
};

// What happened, for time lines, logs and tests. Cores do not log; the port does what it likes.
enum class Fact : std::uint8_t {
  state,          // the screen's state changed; text: its name
  connection,     // text: what became of it ("connected", "closed 1000 replaced by ...")
  talk_pressed,   // an utterance began
  talk_released,  // it is complete; text: "too_short" and its like when it was cancelled
  turn_start,     // text: the turn
  transcript,     // text: it
  status,         // text: it
  delta,          // text: the reply so far
  reply,          // text: the reply
  turn_end,       // text: the outcome
  notice,         // text: it
  card,           // text: the title
  image,          // a picture is complete, or as far as it came
  question,       // text: the question
  answered,       // text: "yes" or "no"
  pairing,        // text: the code
  paired,
  unpaired,
  action,        // text: its name
  audio_first,   // the first frame of a stream arrived
  played_first,  // its first sample went to the speaker
  played_last,   // its last one did
  underrun,      // the voice ran dry before its end
  refused,       // text: why the hub or we said no
  setting,       // text: the name of a setting that was set
  damaged,       // text: the name of one that could not be read
  reset,         // as new: another key, no trust, no settings
  update,        // text: its phase, or the code of its error; "confirmed", "rolled back"
};
[[nodiscard]] std::string_view name(Fact fact);

class Watcher {
 public:
  virtual void noticed(Fact fact, std::string_view text, Millis now) = 0;

 protected:
  ~Watcher() = default;
};

struct Platform {
  Link& link;
  Store& store;
  Entropy& entropy;
  Screen* screen = nullptr;
  Microphone* microphone = nullptr;
  Speaker* speaker = nullptr;
  Lamp* lamp = nullptr;
  Backlight* backlight = nullptr;
  Actions* actions = nullptr;
  FirmwareSlots* firmware = nullptr;  // null: no caps.ota, offers are `unsupported`
  Watcher* watcher = nullptr;
};

}  // namespace gadget::device
