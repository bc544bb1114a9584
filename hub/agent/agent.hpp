// agent.hpp - who answers: the interface between a turn and the built-in agent, echo, a language
// model's server or Hermes.
//
// Everything here runs on the loop that owns the device's Twin; nothing blocks. An agent that waits
// for a socket or a worker posts back to that loop (AgentHost::post). A run is one message and all
// that answers it; destroying it cancels it: it must make no call to its sink afterwards. The sink
// outlives the run, and drops what comes after `end`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "protocol/identity.hpp"
#include "protocol/messages.hpp"

namespace gadget::hub {

using protocol::DeviceId;
using Millis =
    std::int64_t;  // monotonic milliseconds, or Unix milliseconds where a name says `wall`

// ---- What an agent may know about the device of its conversation
// --------------------------------------------------------

struct ActionInfo {
  std::string name;
  std::string description;
  std::string params_json;  // a JSON Schema object; "{}" when none
};

struct SensorReading {
  std::string json;    // a number, boolean or string, as JSON text
  Millis wall_ms = 0;  // when it came
};

struct DeviceView {
  DeviceId id;
  std::string name, board, firmware;
  bool has_display = false;
  std::int64_t display_width = 0, display_height = 0;  // pixels
  bool has_speaker = false;
  bool takes_pictures = false;
  bool online = false;
  std::vector<ActionInfo> actions;
  std::map<std::string, SensorReading> sensors;
};

// ---- A message, and the events that answer it
// ---------------------------------------------------------------------------

struct AgentRequest {
  enum class Source : std::uint8_t { typed, spoken, event };
  std::string turn;
  DeviceId device;
  Source source = Source::typed;
  std::string text;        // empty for an utterance that goes to an agent which takes audio itself
  std::string event_name;  // for Source::event: `text` is then its data as JSON: content, never a
                           // command (S2, H16)
  std::uint32_t rate_hz =
      0;  // for an agent that takes audio: the rate of what AgentRun::audio gets
};

struct QuestionSpec {
  std::string title;
  std::string text;
  Millis ttl_ms = 300'000;  // E45
  std::string asker = {};   // groups questions to withdraw; not for questions of a turn
};
enum class QuestionOutcome : std::uint8_t { yes, no, expired, withdrawn };
[[nodiscard]] std::string_view name(
    QuestionOutcome outcome);  // "yes", "no", "expired", "withdrawn"
                               // silence is never consent

// A picture for a device's screen (D2): fitted inside what the screen announced, never enlarged.
struct PictureSpec {
  std::string file;        // the bytes of a JPEG or PNG file, as it is
  Millis ttl_ms = 30'000;  // E35; 0: until it is dismissed
  bool dither = false;     // smoother gradients, a little grain
};
struct PictureSent {
  std::uint32_t width = 0, height = 0;  // as it is seen
};

enum class TurnOutcome : std::uint8_t { success, failure, cancelled };

class TurnSink {
 public:
  virtual ~TurnSink() = default;
  virtual void status(std::string text) = 0;       // R3; "" clears
  virtual void delta(std::string cumulative) = 0;  // R4: Markdown allowed, shaped by the hub
  virtual void interim(std::string text) = 0;      // R5 with interim: commentary, not the answer
  virtual void final(
      std::string text) = 0;  // R5: the answer; spoken unless the agent speaks itself
  virtual void audio(std::vector<std::int16_t> samples,
                     std::uint32_t rate_hz) = 0;  // of an agent that speaks
  virtual void card(std::string title, std::string body, Millis ttl_ms) = 0;  // D1
  virtual void question(QuestionSpec question, std::function<void(QuestionOutcome)> answered) = 0;
  // Runs one of the device's actions: validated, sent, answered once or timed out (X). The result
  // is JSON text.
  virtual void call_action(std::string name, std::string args_json,
                           std::function<void(Result<std::string>)> done) = 0;
  // The agent has nothing more to say; exactly once. `reason` is shown when it is a failure.
  virtual void end(TurnOutcome outcome, std::string reason) = 0;
};

// Why a turn's answer is not wanted any more.
enum class CancelCause : std::uint8_t {
  button,  // the person pressed CANCEL
  speech,  // the person spoke over it (E42)
  other,   // the device's approval was taken back, or the hub ends
};

class AgentRun {
 public:
  virtual ~AgentRun() = default;
  // It ends before its answer; its destructor follows.
  virtual void cancelled(CancelCause cause) { (void)cause; }
  // Only for agents that take audio: the utterance as it is heard, gaps filled, at the rate of the
  // request.
  virtual void audio(std::span<const std::int16_t> samples) { (void)samples; }
  virtual void audio_end() {}
  // Only for agents that speak: whether it speaks this one's answer. If not, the hub does.
  [[nodiscard]] virtual bool speaks() const { return true; }
};

struct AgentFlags {
  bool takes_audio = false;    // gets the utterance itself; otherwise its transcript
  bool speaks = false;         // sends audio; otherwise the hub's synthesizer speaks `final`
  bool keeps_history = false;  // remembers the conversation itself
};

class Agent {
 public:
  virtual ~Agent() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual AgentFlags flags() const = 0;
  [[nodiscard]] virtual std::unique_ptr<AgentRun> start(AgentRequest request,
                                                        const DeviceView& device,
                                                        std::shared_ptr<TurnSink> sink) = 0;
  virtual void session_new(const DeviceId& device) { (void)device; }  // C8: forget the conversation
  virtual void forgotten(const DeviceId& device) { (void)device; }    // H13: the device is gone
};

// ---- What the hub offers an agent outside a turn
// ------------------------------------------------------------------------

class AgentHost {
 public:
  using TimerId = std::uint64_t;
  virtual ~AgentHost() = default;

  [[nodiscard]] virtual Millis now_ms() const = 0;       // monotonic
  [[nodiscard]] virtual Millis wall_now_ms() const = 0;  // Unix time; may jump
  // The IANA zone that counts for this device ("Europe/Berlin").
  [[nodiscard]] virtual std::string timezone(const DeviceId& device) const = 0;

  // Calls back on the loop at a monotonic time, or when the wall clock reaches a time (rechecked
  // when it jumps).
  virtual TimerId at(Millis when_ms, std::function<void()> call) = 0;
  virtual TimerId at_wall(Millis when_wall_ms, std::function<void()> call) = 0;
  virtual void cancel(TimerId timer) = 0;
  virtual void post(std::function<void()> call) = 0;  // from any thread

  // Speaks up by itself: a turn that nobody asked for (R10), with a card when title is not empty.
  // Waits in the outbox while the device is away, until `expires_ms` from now.
  virtual void speak_up(const DeviceId& device, std::string text, std::string card_title,
                        std::string card_body, Millis expires_ms) = 0;

  // Shows a picture. `done` is called once, on the loop, when it was sent or why it was not: the
  // device is away or takes none, the file is no picture, a newer one came.
  virtual void show_picture(const DeviceId& device, PictureSpec picture,
                            std::function<void(Result<PictureSent>)> done) = 0;

  // Small durable values of an agent, per device. Keys are the agent's own; a value is at most 64
  // KiB.
  [[nodiscard]] virtual std::optional<std::string> recall(const DeviceId& device,
                                                          std::string_view key) = 0;
  virtual Result<void> remember(const DeviceId& device, std::string_view key,
                                std::string_view value) = 0;  // durable on return
  virtual Result<void> erase(const DeviceId& device, std::string_view key) = 0;
  // Every device that has a value under this key: what an agent looks at when it starts.
  [[nodiscard]] virtual std::vector<DeviceId> devices_with(std::string_view key) = 0;

  [[nodiscard]] virtual std::optional<DeviceView> device(const DeviceId& device) = 0;
};

}  // namespace gadget::hub
