// messages.hpp - every message of v1 and its extensions as a type, in both directions.
//
// A parsed message borrows: its views point into the text it was parsed from (strings are decoded
// in place there). Whoever keeps one copies it. Opaque JSON stays a raw slice (`Json`) until
// someone needs it.
//
// An optional field that is absent is an empty view, an empty Json, an empty Number, or
// std::nullopt; one that is empty is not written. Parsing and writing read the same description
// (message_fields.hpp); codec.hpp has the calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "protocol/identity.hpp"
#include "protocol/limits.hpp"

namespace gadget::protocol {

// A JSON value as its text, already checked (E4).
struct Json {
  std::string_view text;
  [[nodiscard]] bool empty() const { return text.empty(); }
};

// A JSON number as its token: echoed unchanged (E4), read as a double when it is used.
struct Number {
  std::string_view token;
  [[nodiscard]] bool empty() const { return token.empty(); }
  [[nodiscard]] double value() const;          // 0 when empty
  [[nodiscard]] std::int64_t rounded() const;  // towards zero, clamped to +-2^53
  // The same clamped to that range; `absent` when it is not there.
  [[nodiscard]] std::int32_t within(std::int32_t least, std::int32_t most,
                                    std::int32_t absent) const;
};

// `ttl_s` in milliseconds, clamped by E26; `absent_ms` when it is not given (E35).
[[nodiscard]] std::int64_t ttl_ms(const Number& ttl_s, std::int64_t absent_ms);

// ---- What a device can do (H4, E33)
// -------------------------------------------------------------------------------------

enum class Charset : std::uint8_t { ascii, utf8 };

struct ImageBox {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

struct DisplayCaps {
  std::int64_t width = 0;  // 0: not said
  std::int64_t height = 0;
  bool color = false;
  Charset charset = Charset::ascii;
  std::int64_t text_cols = 0;
  std::int64_t text_rows = 0;
  std::optional<ImageBox> image;
};

struct AudioCaps {
  std::int64_t rate_hz = kDefaultRateHz;
};

struct InputCaps {
  bool talk = false;
  bool cancel = false;
  bool up = false;
  bool down = false;
};

enum class TalkMode : std::uint8_t { unsaid, hold, tap, automatic };

struct Caps {
  std::optional<DisplayCaps> display;
  std::optional<AudioCaps> mic;
  std::optional<AudioCaps> speaker;
  InputCaps inputs;
  TalkMode talk_mode = TalkMode::unsaid;
  std::optional<std::int64_t> ota_max_size;
  std::int64_t max_message_bytes = kMaxMessageBytes;

  // R9: what text must be made of.
  [[nodiscard]] Charset charset() const { return display ? display->charset : Charset::ascii; }
};

// ---- Device to hub
// ------------------------------------------------------------------------------------------------------

struct Hello {
  std::int64_t proto = 0;
  DeviceId device_id;
  std::string_view name, board, firmware;
  std::optional<std::string_view> token;
  Caps caps;
  Json actions;            // an array of objects, checked; read with ActionReader (codec.hpp)
  Json sensors;            // an object of readings, checked
  std::string_view nonce;  // N1
};
struct Auth {
  std::optional<std::string_view> key, mac;  // exactly one (E10)
};
struct Text {
  std::string_view id, text;
};
struct UtteranceStart {  // audio.start
  std::string_view id;
  std::int64_t stream = 0;
  std::int64_t rate_hz = 0;
  std::string_view format, mode;
};
struct UtteranceEnd {  // audio.end
  std::string_view id;
  std::int64_t stream = 0;
  Number duration_ms;
};
struct UtteranceCancel {  // audio.cancel
  std::string_view id;
  std::int64_t stream = 0;
  std::string_view reason;
};
struct Cancel {};
struct SessionNew {};
enum class Answer : std::uint8_t { no, yes };
struct PromptReply {
  std::string_view id;
  Answer answer = Answer::no;
};
struct ActionResult {
  std::string_view id;
  bool ok = false;
  Json result;
  std::string_view error;
};
struct State {
  Json sensors;  // an object of readings and nulls, checked
};
struct Event {
  std::string_view name;
  Json data;
  bool notify = false;
};
struct OtaReady {
  std::string_view nonce;  // base64 of 16 bytes, checked
};
struct OtaAck {
  std::int64_t offset = 0;
};
struct OtaDone {
  std::string_view version;
};
struct OtaError {
  std::string_view code, message;
};

// ---- Both directions
// ----------------------------------------------------------------------------------------------------

struct Ping {
  Number ts;
};
struct Pong {
  Number ts;
};
// A type that this side does not know (T9).
struct Unknown {
  std::string_view type;
};

// ---- Hub to device
// ------------------------------------------------------------------------------------------------------

struct Challenge {
  std::string_view nonce;  // text of 1 to 64 characters (H11)
  bool enrolled = true;
};
struct Welcome {
  std::string_view session;
  bool paired = false;
  Number heartbeat_s;
  std::string_view server;
  std::optional<std::int64_t> proto;
  std::string_view mac;  // N1
  Number time_ms;        // N2: `time`
  Number utc_offset_s;   // N2
};
struct Pairing {
  std::string_view code, command;
};
struct Paired {};
struct Unpaired {};
struct TurnStart {
  std::string_view turn;
};
struct Transcript {
  std::string_view text;
};
struct Status {
  std::string_view text;
};
struct ReplyDelta {
  std::string_view turn, text;
};
struct Reply {
  std::string_view turn, text;
  bool interim = false;
};
struct TurnEnd {
  std::string_view turn, outcome;
};
struct Notice {
  std::string_view text;
  Number ttl_s;
};
struct ErrorMessage {  // error
  std::string_view code, message;
};
struct SpeechStart {  // audio.start
  std::int64_t stream = 0;
  std::int64_t rate_hz = 0;
  std::string_view format, turn;
};
struct SpeechEnd {  // audio.end
  std::int64_t stream = 0;
};
struct SpeechAbort {  // audio.abort
  std::int64_t stream = 0;
};
struct Display {
  std::string_view title, body;
  Number ttl_s;
};
struct ImageStart {
  std::int64_t stream = 0, width = 0, height = 0;
  std::string_view format;
  Number ttl_s;
};
struct ImageEnd {
  std::int64_t stream = 0;
};
struct Prompt {
  std::string_view id, title, text;
  Number ttl_s;
};
struct PromptClose {
  std::string_view id;
};
struct Action {
  std::string_view id, name;
  Json args;
};
struct OtaOffer {
  std::int64_t stream = 0, size_bytes = 0;
  std::string_view sha256, version;
};
struct OtaBegin {
  std::string_view mac;
};
struct OtaEnd {};
struct OtaAbort {};

using DeviceMessage = std::variant<Unknown, Hello, Auth, Text, UtteranceStart, UtteranceEnd,
                                   UtteranceCancel, Cancel, SessionNew, PromptReply, ActionResult,
                                   State, Event, OtaReady, OtaAck, OtaDone, OtaError, Ping, Pong>;

using HubMessage =
    std::variant<Unknown, Challenge, Welcome, Pairing, Paired, Unpaired, TurnStart, Transcript,
                 Status, ReplyDelta, Reply, TurnEnd, Notice, ErrorMessage, SpeechStart, SpeechEnd,
                 SpeechAbort, Display, ImageStart, ImageEnd, Prompt, PromptClose, Action, OtaOffer,
                 OtaBegin, OtaEnd, OtaAbort, Ping, Pong>;

// The place of a type in HubMessage.
template <class Message>
inline constexpr std::size_t kPlace = HubMessage(Message{}).index();

}  // namespace gadget::protocol
