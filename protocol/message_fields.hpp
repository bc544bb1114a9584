// message_fields.hpp - each message's type and fields, said once, as tables: one parser and one
// writer walk over them, whatever the message (code that is generated once a message would be half
// of a small device's memory).
//
// The order of a table is the order in which missing and mistyped fields are reported (H7). Private
// to protocol/.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "protocol/limits.hpp"
#include "protocol/messages.hpp"

namespace gadget::protocol {

// What a field is in JSON.
enum class Kind : std::uint8_t {
  text,
  id,               // a text of at most kMaxIdCodePoints
  maybe_text,       // a text for which absent and empty are not the same
  nonce,            // base64 of kNonceBytes
  challenge_nonce,  // a text of 1 to kMaxNonceChars (H11)
  digest,           // SHA-256 in lowercase hex
  answer,           // "yes" or "no"
  device_id,
  integer,
  maybe_integer,
  number,
  boolean,
  any,
  object,
  actions,  // these three: only of `hello` and `state`, see CheckValue in codec_parse.cpp
  sensors,
  caps,
};

enum class Need : std::uint8_t { required, optional };

// What an integer may be, or how many sensors there may be; outside it is a wrong value, and the
// message malformed.
enum class Bounds : std::uint8_t {
  none,
  device_stream,
  any_stream,
  hub_stream,
  ota_offset,
  display_side,
  positive,
  hello_sensors,
  state_sensors,
};
struct Range {
  std::int32_t least;
  std::uint32_t most;
  // The ends of the types are no bounds.
  [[nodiscard]] constexpr bool has(std::int64_t value) const {
    return (least == INT32_MIN || value >= least) && (most == UINT32_MAX || value <= most);
  }
};
inline constexpr std::array<Range, 9> kRanges{{{INT32_MIN, UINT32_MAX},
                                               {0, kMaxDeviceStream},
                                               {0, 255},
                                               {kMinHubStream, kMaxHubStream},
                                               {0, kMaxOtaBytes},
                                               {1, kMaxDisplaySide},
                                               {1, UINT32_MAX},
                                               {0, kMaxSensors},
                                               {0, kMaxJsonMembers}}};

// One field: its name on the wire, where it is in the struct, and what may stand there.
struct Field {
  const char* name;
  std::uint16_t offset;
  Kind kind;
  bool required : 1;
  std::uint8_t range : 7;  // of kRanges
};

// The type of the struct's member for a kind of field.
template <Kind kKind>
struct MemberOf {
  using Type = std::string_view;
};
template <Kind kKind>
requires(kKind == Kind::any || kKind == Kind::object || kKind == Kind::actions ||
         kKind == Kind::sensors) struct MemberOf<kKind> {
  using Type = Json;
};
#define GADGET_MEMBER(KIND, ...) \
  template <>                    \
  struct MemberOf<Kind::KIND> {  \
    using Type = __VA_ARGS__;    \
  };
GADGET_MEMBER(maybe_text, std::optional<std::string_view>)
GADGET_MEMBER(answer, Answer)
GADGET_MEMBER(device_id, DeviceId)
GADGET_MEMBER(integer, std::int64_t)
GADGET_MEMBER(maybe_integer, std::optional<std::int64_t>)
GADGET_MEMBER(number, Number)
GADGET_MEMBER(boolean, bool)
GADGET_MEMBER(caps, Caps)
#undef GADGET_MEMBER

template <Kind kKind, class Member, Need kNeed, Bounds kBounds = Bounds::none>
consteval Field field(const char* name, std::size_t offset) {
  static_assert(std::is_same_v<typename MemberOf<kKind>::Type, Member>);
  return {name, static_cast<std::uint16_t>(offset), kKind, kNeed == Need::required,
          static_cast<std::uint8_t>(kBounds)};
}

// A type of message: its name on the wire, and its fields in the order of their row.
struct MessageInfo {
  const char* type;
  const Field* begin;
  std::size_t count;
  [[nodiscard]] std::span<const Field> fields() const { return {begin, count}; }
};

template <class Message>
struct Fields;
template <>
struct Fields<Unknown> {
  static constexpr const char* kType = "";
  static constexpr std::array<Field, 0> kFields{};
};

#define MESSAGE(MESSAGE_TYPE, WIRE_TYPE, ...)                            \
  template <>                                                            \
  struct Fields<MESSAGE_TYPE> {                                          \
    using M = MESSAGE_TYPE;                                              \
    static_assert(std::is_standard_layout_v<M>);                         \
    static constexpr const char* kType = WIRE_TYPE;                      \
    static constexpr auto kFields = std::to_array<Field>({__VA_ARGS__}); \
  };
#define EMPTY_MESSAGE(MESSAGE_TYPE, WIRE_TYPE)       \
  template <>                                        \
  struct Fields<MESSAGE_TYPE> {                      \
    static constexpr const char* kType = WIRE_TYPE;  \
    static constexpr std::array<Field, 0> kFields{}; \
  };
#define FIELD(KIND, NAME, MEMBER, ...) \
  field<Kind::KIND, decltype(M::MEMBER), __VA_ARGS__>(NAME, offsetof(M, MEMBER))

using enum Need;
using enum Bounds;

// ---- Device to hub ------------------------------------------------------------------------------

MESSAGE(Hello, "hello", FIELD(integer, "proto", proto, required),
        FIELD(device_id, "device_id", device_id, required), FIELD(text, "name", name, optional),
        FIELD(text, "board", board, optional), FIELD(text, "firmware", firmware, optional),
        FIELD(caps, "caps", caps, optional), FIELD(actions, "actions", actions, optional),
        FIELD(sensors, "sensors", sensors, optional, hello_sensors),
        FIELD(text, "nonce", nonce, optional), FIELD(maybe_text, "token", token, optional))
MESSAGE(Auth, "auth", FIELD(maybe_text, "key", key, optional),
        FIELD(maybe_text, "mac", mac, optional))
MESSAGE(Text, "text", FIELD(id, "id", id, optional), FIELD(text, "text", text, required))
MESSAGE(UtteranceStart, "audio.start", FIELD(id, "id", id, optional),
        FIELD(integer, "stream", stream, required, device_stream),
        FIELD(integer, "rate", rate_hz, required), FIELD(text, "format", format, required),
        FIELD(text, "mode", mode, optional))
MESSAGE(UtteranceEnd, "audio.end", FIELD(id, "id", id, optional),
        FIELD(integer, "stream", stream, required, device_stream),
        FIELD(number, "duration_ms", duration_ms, optional))
MESSAGE(UtteranceCancel, "audio.cancel", FIELD(id, "id", id, optional),
        FIELD(integer, "stream", stream, required, device_stream),
        FIELD(text, "reason", reason, optional))
EMPTY_MESSAGE(Cancel, "cancel")
EMPTY_MESSAGE(SessionNew, "session.new")
MESSAGE(PromptReply, "prompt.reply", FIELD(id, "id", id, required),
        FIELD(answer, "answer", answer, required))
MESSAGE(ActionResult, "action.result", FIELD(id, "id", id, required),
        FIELD(boolean, "ok", ok, required), FIELD(any, "result", result, optional),
        FIELD(text, "error", error, optional))
MESSAGE(State, "state", FIELD(sensors, "sensors", sensors, required, state_sensors))
MESSAGE(Event, "event", FIELD(text, "name", name, required), FIELD(any, "data", data, optional),
        FIELD(boolean, "notify", notify, optional))
MESSAGE(OtaReady, "ota.ready", FIELD(nonce, "nonce", nonce, required))
MESSAGE(OtaAck, "ota.ack", FIELD(integer, "offset", offset, required, ota_offset))
MESSAGE(OtaDone, "ota.done", FIELD(text, "version", version, optional))
MESSAGE(OtaError, "ota.error", FIELD(text, "code", code, required),
        FIELD(text, "message", message, optional))

// ---- Both directions ----------------------------------------------------------------------------

MESSAGE(Ping, "ping", FIELD(number, "ts", ts, optional))
MESSAGE(Pong, "pong", FIELD(number, "ts", ts, optional))

// ---- Hub to device ------------------------------------------------------------------------------

MESSAGE(Challenge, "challenge", FIELD(challenge_nonce, "nonce", nonce, required),
        FIELD(boolean, "enrolled", enrolled, required))
MESSAGE(Welcome, "welcome", FIELD(text, "session", session, optional),
        FIELD(boolean, "paired", paired, required),
        FIELD(number, "heartbeat_s", heartbeat_s, required),
        FIELD(text, "server", server, optional), FIELD(maybe_integer, "proto", proto, optional),
        FIELD(text, "mac", mac, optional), FIELD(number, "time", time_ms, optional),
        FIELD(number, "utc_offset_s", utc_offset_s, optional))
MESSAGE(Pairing, "pairing", FIELD(text, "code", code, required),
        FIELD(text, "command", command, optional))
EMPTY_MESSAGE(Paired, "paired")
EMPTY_MESSAGE(Unpaired, "unpaired")
MESSAGE(TurnStart, "turn.start", FIELD(id, "turn", turn, required))
MESSAGE(Transcript, "transcript", FIELD(text, "text", text, required))
MESSAGE(Status, "status", FIELD(text, "text", text, required))
MESSAGE(ReplyDelta, "reply.delta", FIELD(id, "turn", turn, optional),
        FIELD(text, "text", text, required))
MESSAGE(Reply, "reply", FIELD(id, "turn", turn, optional), FIELD(text, "text", text, required),
        FIELD(boolean, "interim", interim, optional))
MESSAGE(TurnEnd, "turn.end", FIELD(id, "turn", turn, required),
        FIELD(text, "outcome", outcome, required))
MESSAGE(Notice, "notice", FIELD(text, "text", text, required),
        FIELD(number, "ttl_s", ttl_s, optional))
MESSAGE(ErrorMessage, "error", FIELD(text, "code", code, required),
        FIELD(text, "message", message, optional))
MESSAGE(SpeechStart, "audio.start", FIELD(integer, "stream", stream, required, any_stream),
        FIELD(integer, "rate", rate_hz, required), FIELD(text, "format", format, required),
        FIELD(id, "turn", turn, optional))
MESSAGE(SpeechEnd, "audio.end", FIELD(integer, "stream", stream, required, any_stream))
MESSAGE(SpeechAbort, "audio.abort", FIELD(integer, "stream", stream, required, any_stream))
MESSAGE(Display, "display", FIELD(text, "title", title, optional),
        FIELD(text, "body", body, required), FIELD(number, "ttl_s", ttl_s, optional))
MESSAGE(ImageStart, "image.start", FIELD(integer, "stream", stream, required, any_stream),
        FIELD(integer, "width", width, required, display_side),
        FIELD(integer, "height", height, required, display_side),
        FIELD(text, "format", format, required), FIELD(number, "ttl_s", ttl_s, optional))
MESSAGE(ImageEnd, "image.end", FIELD(integer, "stream", stream, required, any_stream))
MESSAGE(Prompt, "prompt", FIELD(id, "id", id, required), FIELD(text, "title", title, optional),
        FIELD(text, "text", text, required), FIELD(number, "ttl_s", ttl_s, optional))
MESSAGE(PromptClose, "prompt.close", FIELD(id, "id", id, required))
MESSAGE(Action, "action", FIELD(id, "id", id, required), FIELD(text, "name", name, required),
        FIELD(object, "args", args, optional))
MESSAGE(OtaOffer, "ota.offer", FIELD(integer, "stream", stream, required, hub_stream),
        FIELD(integer, "size", size_bytes, required, positive),
        FIELD(digest, "sha256", sha256, required), FIELD(text, "version", version, required))
MESSAGE(OtaBegin, "ota.begin", FIELD(text, "mac", mac, required))
EMPTY_MESSAGE(OtaEnd, "ota.end")
EMPTY_MESSAGE(OtaAbort, "ota.abort")

template <class Message>
constexpr MessageInfo kInfo{Fields<Message>::kType, Fields<Message>::kFields.data(),
                            Fields<Message>::kFields.size()};

#undef MESSAGE
#undef EMPTY_MESSAGE
#undef FIELD

}  // namespace gadget::protocol
