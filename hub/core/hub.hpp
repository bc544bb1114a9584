// hub.hpp - the heart of the daemon, sans-I/O: connections, twins, turns, questions and actions of
// all devices.
//
// It is fed with connections, messages and the time, and writes to links. No sockets, threads,
// clocks or files inside: the shell (hub/server) has those. One owner: the loop. After every call
// the shell asks next_deadline_ms() and calls tick() then.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"
#include "hub/authority/authority.hpp"
#include "hub/core/turn_record.hpp"
#include "hub/store/store.hpp"
#include "speech/recognizer.hpp"
#include "speech/synthesizer.hpp"

namespace gadget::hub {

class FirmwareShelf;
class Updates;

// Where the hub writes to one device. Implemented by the shell: a bounded outbox in which control
// messages overtake media (design rule 5). The hub calls close() at most once and writes nothing
// afterwards. All calls return at once.
class Link {
 public:
  // An `audio_end` is control that does not overtake the audio of its stream, and holds what was
  // sent after it: so `turn.end` comes after the last sample (R10, E28).
  enum class Kind : std::uint8_t { control, delta, audio_end, audio, image, firmware };
  virtual ~Link() = default;
  // `turn` and `stream` let the outbox drop what is overtaken (E21, E22): a newer delta replaces
  // one that waits; audio of an aborted stream goes.
  virtual void send_text(std::string text, Kind kind) = 0;
  virtual void send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) = 0;
  // The same with a payload that is not copied but shared: one firmware image for a thousand
  // devices. `payload` lies in what `owner` keeps.
  virtual void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                           std::span<const std::byte> payload, std::shared_ptr<const void> owner,
                           Kind kind, std::uint8_t stream) = 0;
  virtual void drop_stream(
      std::uint8_t stream) = 0;  // frames of this stream that still wait are not written
  virtual void close(std::uint16_t code, std::string reason) = 0;  // after what was sent
  [[nodiscard]] virtual std::size_t waiting_bytes() const = 0;
  // Asks for one Hub::link_took(), when something of what waits has been written.
  virtual void tell_when_taken() = 0;
  // False: it is being closed, and what is sent is lost; the hub is told soon.
  [[nodiscard]] virtual bool open() const = 0;
};

struct HubOptions {
  std::string access_token;  // H7; empty: none
  std::int64_t heartbeat_s = protocol::kDefaultHeartbeatS;
  std::int64_t max_utterance_s = 60;  // C6
  bool speak_replies = true;
  std::string server_name = "hermes-gadget";
  std::string timezone;     // IANA; empty: the system's
  bool turn_texts = false;  // what was asked and answered is in a TurnRecord
};

// What the shell gives: randomness and time. `wall` may jump.
struct Environment {
  std::function<void(std::span<std::byte>)> random;
  std::function<Millis()> now_ms;
  std::function<Millis()> wall_now_ms;
  std::function<void(std::function<void()>)> post;  // runs it on the loop, soon; from any thread
  // Runs it on a thread that may be kept busy for seconds. Not given: at once, on the loop.
  std::function<void(std::function<void()>)> work = {};
  // N2: the offset of an IANA zone ("": the system's) at a time. Not given: `welcome` has none.
  std::function<std::int64_t(std::string_view zone, Millis wall_ms)> utc_offset_s = {};
  std::function<bool(std::string_view zone)> is_zone = {};  // not given: every name is one
};

// Facts for the shell's log: one event a line, no secret, no text of people (design rule 12).
struct LogFact {
  enum class Level : std::uint8_t { debug, info, warning, error };
  Level level = Level::info;
  std::string event;                                        // "connection.closed"
  std::vector<std::pair<std::string, std::string>> fields;  // cleaned, printable
};

struct RecentEvent {  // S2: what a device reported, kept in memory
  std::string name;
  std::string data_json;
  Millis wall_ms = 0;
  bool reached_agent = false;
};

struct DeviceStatus {  // one row of `devices`
  DeviceRecord record;
  bool paired = false;
  bool online = false;
  std::string address;
  std::map<std::string, SensorReading> sensors;
  std::vector<ActionInfo> actions;
  std::vector<RecentEvent> recent_events;  // the last few, newest last
  std::uint64_t events = 0;                // in all since the hub was started
  std::string timezone;                    // its own; empty: the hub's
};

// Which devices are asked for, a page at a time, by id.
struct DeviceQuery {
  std::optional<DeviceId> after;  // the page begins behind it
  std::size_t limit = 200;        // rows of a page
  bool online_only = false;
  std::string text;  // in its id, name, board or firmware; ASCII letters of either case
};
struct DevicePage {
  std::vector<DeviceStatus> rows;  // may be fewer than the limit, also where more follow
  std::optional<DeviceId> next;    // what the next page is asked for with; none: that was the last
};

struct Counters;  // counters.hpp

// The hub as sockets need it: the shell calls this for every one that was upgraded.
class HubConnections {
 public:
  using ConnectionId = std::uint64_t;
  struct Peer {
    std::string address;     // E3: the TCP peer's, IPv6 by /64, or what a trusted proxy says
    bool encrypted = false;  // wss://
  };
  virtual ~HubConnections() = default;
  [[nodiscard]] ConnectionId connected(Peer peer, std::shared_ptr<Link> link) {
    const ConnectionId id = next_id();
    connected(id, std::move(peer), std::move(link));
    return id;
  }
  // The same for a socket whose loop had to know the id before the hub hears of it.
  [[nodiscard]] virtual ConnectionId next_id() = 0;  // from any thread
  virtual void connected(ConnectionId id, Peer peer, std::shared_ptr<Link> link) = 0;
  virtual void text(ConnectionId id,
                    std::span<char> message) = 0;  // one whole message; decoded in place
  virtual void binary(ConnectionId id, std::span<const std::byte> message) = 0;
  virtual void alive(ConnectionId id) = 0;         // a control frame came (E30)
  virtual void link_took(ConnectionId id) = 0;     // as Link::tell_when_taken() asked
  virtual void disconnected(ConnectionId id) = 0;  // the socket is gone; the link is not used again
  [[nodiscard]] virtual bool authenticated(ConnectionId id) const = 0;
  // It has to make room for others (E3): refused with `busy`, unless it is authenticated by now.
  virtual void crowded_out(ConnectionId id) = 0;
};

class Hub : public HubConnections {
 public:
  struct Parts {
    Store* store = nullptr;  // all borrowed, outlive the hub
    Authority* authority = nullptr;
    speech::Recognizer* recognizer =
        nullptr;  // may be null: audio turns then fail with a clear reply
    speech::Synthesizer* synthesizer = nullptr;  // may be null: replies are shown, not spoken
    FirmwareShelf* firmware = nullptr;  // may be null: no updates; outlives the hub's work, too
    std::function<std::unique_ptr<Agent>(AgentHost&)> make_agent;
    std::function<void(const LogFact&)> log;
    std::function<void(TurnRecord)> turn_ended;                // may be absent
    std::function<void(const DeviceId&)> device_changed = {};  // a row of `devices` did; the same
  };

  [[nodiscard]] static std::unique_ptr<Hub> make(HubOptions options, Environment environment,
                                                 Parts parts);

  // ---- Time ----
  [[nodiscard]] virtual Millis next_deadline_ms() const = 0;
  virtual void tick() = 0;
  virtual void stop() = 0;  // E2: 1001 `server stopping` to all
  // New options count for what begins from now on; connections keep the heartbeat they were told.
  virtual void reconfigure(HubOptions options) = 0;

  [[nodiscard]] virtual const Counters& counters() const = 0;
  [[nodiscard]] virtual std::size_t online() const = 0;  // authenticated devices

  // ---- The command layer (design rule 11): typed, once; owner API, CLI and tools are faces of it
  // ----
  virtual Result<DeviceId> approve(std::string_view code_or_id) = 0;
  virtual Result<void> revoke(const DeviceId& device) = 0;
  virtual Result<void> forget(const DeviceId& device) = 0;  // H13, E44
  virtual Result<void> rename(const DeviceId& device, std::string_view name) = 0;
  virtual Result<void> say(const DeviceId& device,
                           std::string text) = 0;  // R10: a turn that nobody asked for
  virtual Result<void> show(const DeviceId& device, std::string title, std::string body,
                            Millis ttl_ms) = 0;
  // D2, D3. Done when its last part was given to the link; see hub/twin/pictures.hpp.
  virtual void image(const DeviceId& device, PictureSpec picture,
                     std::function<void(Result<PictureSent>)> done) = 0;
  virtual void ask(const DeviceId& device, QuestionSpec question,
                   std::function<void(Result<QuestionOutcome>)> answered) = 0;
  // Closes the device's open questions of that asker as withdrawn.
  virtual void withdraw_questions(const DeviceId& device, std::string_view asker) = 0;
  virtual void action(const DeviceId& device, std::string name, std::string args_json,
                      std::function<void(Result<std::string>)> done) = 0;
  // Firmware updates (hub/firmware/updates.hpp).
  [[nodiscard]] virtual Updates& updates() = 0;
  [[nodiscard]] virtual Result<std::vector<DeviceStatus>> devices() = 0;
  [[nodiscard]] virtual std::vector<DeviceId> online_devices() const = 0;
  [[nodiscard]] virtual std::optional<DeviceView> view(const DeviceId& device) = 0;
  // One page of them: takes a time that does not grow with how many there are.
  [[nodiscard]] virtual Result<DevicePage> devices(const DeviceQuery& query) = 0;
  [[nodiscard]] virtual Result<DeviceStatus> device(const DeviceId& device) = 0;
  // The time zone of one device (IANA); empty: the hub's again. It is told so when it next
  // connects.
  virtual Result<void> set_timezone(const DeviceId& device, std::string_view zone) = 0;
  [[nodiscard]] virtual std::vector<PendingDevice> pending() = 0;
  virtual void drop_pending() = 0;
  // Finds a device by id, or by its name when exactly one has it. Errors: not_found,
  // invalid_argument (several).
  [[nodiscard]] virtual Result<DeviceId> find(std::string_view id_or_name) = 0;
};

}  // namespace gadget::hub
