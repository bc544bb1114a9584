// message_fields.hpp - each message's type and fields, said once: the parser and the writer both
// walk over this.
//
// A visitor has one call per kind of field. The order is the order in which missing and mistyped
// fields are reported (H7). Private to protocol/.
#pragma once

#include "protocol/limits.hpp"
#include "protocol/messages.hpp"

namespace gadget::protocol {

enum class Need : std::uint8_t { required, optional };

// What an integer field may be; outside it is a wrong value, and the message malformed.
struct Range {
  std::int64_t least = INT64_MIN;
  std::int64_t most = INT64_MAX;
};

inline constexpr Range kDeviceStreams{0, kMaxDeviceStream};
inline constexpr Range kAnyStream{0, 255};
inline constexpr Range kUpdateStreams{kMinHubStream, kMaxHubStream};

template <class Message>
struct Fields;

#define GADGET_FIELDS(Message, TYPE)                \
  template <>                                       \
  struct Fields<Message> {                          \
    static constexpr std::string_view kType = TYPE; \
    template <class V, class M>                     \
    static void visit([[maybe_unused]] V& v, [[maybe_unused]] M& m)
#define GADGET_FIELDS_END \
  }                       \
  ;

using enum Need;

// ---- Device to hub ------------------------------------------------------------------------------

GADGET_FIELDS(Hello, "hello") {
  v.integer("proto", m.proto, required);
  v.device_id("device_id", m.device_id);
  v.text("name", m.name, optional);
  v.text("board", m.board, optional);
  v.text("firmware", m.firmware, optional);
  v.caps("caps", m.caps);
  v.actions("actions", m.actions);
  v.sensors("sensors", m.sensors, optional, kMaxSensors);
  v.text("nonce", m.nonce, optional);
  v.maybe_text("token", m.token);
}
GADGET_FIELDS_END
GADGET_FIELDS(Auth, "auth") {
  v.maybe_text("key", m.key);
  v.maybe_text("mac", m.mac);
}
GADGET_FIELDS_END
GADGET_FIELDS(Text, "text") {
  v.id("id", m.id, optional);
  v.text("text", m.text, required);
}
GADGET_FIELDS_END
GADGET_FIELDS(UtteranceStart, "audio.start") {
  v.id("id", m.id, optional);
  v.integer("stream", m.stream, required, kDeviceStreams);
  v.integer("rate", m.rate_hz, required);
  v.text("format", m.format, required);
  v.text("mode", m.mode, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(UtteranceEnd, "audio.end") {
  v.id("id", m.id, optional);
  v.integer("stream", m.stream, required, kDeviceStreams);
  v.number("duration_ms", m.duration_ms, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(UtteranceCancel, "audio.cancel") {
  v.id("id", m.id, optional);
  v.integer("stream", m.stream, required, kDeviceStreams);
  v.text("reason", m.reason, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(Cancel, "cancel") {}
GADGET_FIELDS_END
GADGET_FIELDS(SessionNew, "session.new") {}
GADGET_FIELDS_END
GADGET_FIELDS(PromptReply, "prompt.reply") {
  v.id("id", m.id, required);
  v.answer("answer", m.answer);
}
GADGET_FIELDS_END
GADGET_FIELDS(ActionResult, "action.result") {
  v.id("id", m.id, required);
  v.boolean("ok", m.ok, required);
  v.any("result", m.result);
  v.text("error", m.error, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(State, "state") { v.sensors("sensors", m.sensors, required, kMaxJsonMembers); }
GADGET_FIELDS_END
GADGET_FIELDS(Event, "event") {
  v.text("name", m.name, required);
  v.any("data", m.data);
  v.boolean("notify", m.notify, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(OtaReady, "ota.ready") { v.nonce("nonce", m.nonce); }
GADGET_FIELDS_END
GADGET_FIELDS(OtaAck, "ota.ack") { v.integer("offset", m.offset, required, {0, kMaxOtaBytes}); }
GADGET_FIELDS_END
GADGET_FIELDS(OtaDone, "ota.done") { v.text("version", m.version, optional); }
GADGET_FIELDS_END
GADGET_FIELDS(OtaError, "ota.error") {
  v.text("code", m.code, required);
  v.text("message", m.message, optional);
}
GADGET_FIELDS_END

// ---- Both directions ----------------------------------------------------------------------------

GADGET_FIELDS(Ping, "ping") { v.number("ts", m.ts, optional); }
GADGET_FIELDS_END
GADGET_FIELDS(Pong, "pong") { v.number("ts", m.ts, optional); }
GADGET_FIELDS_END

// ---- Hub to device ------------------------------------------------------------------------------

GADGET_FIELDS(Challenge, "challenge") {
  v.challenge_nonce("nonce", m.nonce);
  v.boolean("enrolled", m.enrolled, required);
}
GADGET_FIELDS_END
GADGET_FIELDS(Welcome, "welcome") {
  v.text("session", m.session, optional);
  v.boolean("paired", m.paired, required);
  v.number("heartbeat_s", m.heartbeat_s, required);
  v.text("server", m.server, optional);
  v.maybe_integer("proto", m.proto);
  v.text("mac", m.mac, optional);
  v.number("time", m.time_ms, optional);
  v.number("utc_offset_s", m.utc_offset_s, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(Pairing, "pairing") {
  v.text("code", m.code, required);
  v.text("command", m.command, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(Paired, "paired") {}
GADGET_FIELDS_END
GADGET_FIELDS(Unpaired, "unpaired") {}
GADGET_FIELDS_END
GADGET_FIELDS(TurnStart, "turn.start") { v.id("turn", m.turn, required); }
GADGET_FIELDS_END
GADGET_FIELDS(Transcript, "transcript") { v.text("text", m.text, required); }
GADGET_FIELDS_END
GADGET_FIELDS(Status, "status") { v.text("text", m.text, required); }
GADGET_FIELDS_END
GADGET_FIELDS(ReplyDelta, "reply.delta") {
  v.id("turn", m.turn, optional);
  v.text("text", m.text, required);
}
GADGET_FIELDS_END
GADGET_FIELDS(Reply, "reply") {
  v.id("turn", m.turn, optional);
  v.text("text", m.text, required);
  v.boolean("interim", m.interim, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(TurnEnd, "turn.end") {
  v.id("turn", m.turn, required);
  v.text("outcome", m.outcome, required);
}
GADGET_FIELDS_END
GADGET_FIELDS(Notice, "notice") {
  v.text("text", m.text, required);
  v.number("ttl_s", m.ttl_s, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(ErrorMessage, "error") {
  v.text("code", m.code, required);
  v.text("message", m.message, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(SpeechStart, "audio.start") {
  v.integer("stream", m.stream, required, kAnyStream);
  v.integer("rate", m.rate_hz, required);
  v.text("format", m.format, required);
  v.id("turn", m.turn, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(SpeechEnd, "audio.end") { v.integer("stream", m.stream, required, kAnyStream); }
GADGET_FIELDS_END
GADGET_FIELDS(SpeechAbort, "audio.abort") { v.integer("stream", m.stream, required, kAnyStream); }
GADGET_FIELDS_END
GADGET_FIELDS(Display, "display") {
  v.text("title", m.title, optional);
  v.text("body", m.body, required);
  v.number("ttl_s", m.ttl_s, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(ImageStart, "image.start") {
  v.integer("stream", m.stream, required, kAnyStream);
  v.integer("width", m.width, required, {1, kMaxDisplaySide});
  v.integer("height", m.height, required, {1, kMaxDisplaySide});
  v.text("format", m.format, required);
  v.number("ttl_s", m.ttl_s, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(ImageEnd, "image.end") { v.integer("stream", m.stream, required, kAnyStream); }
GADGET_FIELDS_END
GADGET_FIELDS(Prompt, "prompt") {
  v.id("id", m.id, required);
  v.text("title", m.title, optional);
  v.text("text", m.text, required);
  v.number("ttl_s", m.ttl_s, optional);
}
GADGET_FIELDS_END
GADGET_FIELDS(PromptClose, "prompt.close") { v.id("id", m.id, required); }
GADGET_FIELDS_END
GADGET_FIELDS(Action, "action") {
  v.id("id", m.id, required);
  v.text("name", m.name, required);
  v.object("args", m.args);
}
GADGET_FIELDS_END
GADGET_FIELDS(OtaOffer, "ota.offer") {
  v.integer("stream", m.stream, required, kUpdateStreams);
  v.integer("size", m.size_bytes, required, {1, INT64_MAX});
  v.digest("sha256", m.sha256);
  v.text("version", m.version, required);
}
GADGET_FIELDS_END
GADGET_FIELDS(OtaBegin, "ota.begin") { v.text("mac", m.mac, required); }
GADGET_FIELDS_END
GADGET_FIELDS(OtaEnd, "ota.end") {}
GADGET_FIELDS_END
GADGET_FIELDS(OtaAbort, "ota.abort") {}
GADGET_FIELDS_END

#undef GADGET_FIELDS
#undef GADGET_FIELDS_END

}  // namespace gadget::protocol
