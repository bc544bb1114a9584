#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"

namespace gadget::protocol {
namespace {

template <class T>
[[nodiscard]] const T& member(const std::byte* message, const Field& field) {
  return *reinterpret_cast<const T*>(message + field.offset);
}

// Writes a field when it is set, or required.
void write_field(const Field& field, const std::byte* message, JsonWriter& out) {
  const bool needed = field.required;
  std::string_view text;
  switch (field.kind) {
    case Kind::text:
    case Kind::id:
    case Kind::nonce:
    case Kind::challenge_nonce:
    case Kind::digest: text = member<std::string_view>(message, field); break;
    case Kind::maybe_text: {
      const auto& value = member<std::optional<std::string_view>>(message, field);
      if (value) out.key(field.name).string(*value);
      return;
    }
    case Kind::answer: text = member<Answer>(message, field) == Answer::yes ? "yes" : "no"; break;
    case Kind::device_id: text = member<DeviceId>(message, field).text(); break;
    case Kind::integer: out.key(field.name).integer(member<std::int64_t>(message, field)); return;
    case Kind::maybe_integer: {
      const auto& value = member<std::optional<std::int64_t>>(message, field);
      if (value) out.key(field.name).integer(*value);
      return;
    }
    case Kind::boolean: {
      const bool value = member<bool>(message, field);
      if (needed || value) out.key(field.name).boolean(value);
      return;
    }
    case Kind::caps:
      out.key(field.name);
      write_caps(member<Caps>(message, field), out);
      return;
    case Kind::number:
    case Kind::any:
    case Kind::object:
    case Kind::actions:
    case Kind::sensors: {
      // Both are their text; a required one that is not set is the least there is.
      const bool number = field.kind == Kind::number;
      text = number ? member<Number>(message, field).token : member<Json>(message, field).text;
      if (text.empty() && needed) text = number ? "0" : "{}";
      if (!text.empty()) out.key(field.name).raw(text);
      return;
    }
  }
  if (needed || !text.empty()) out.key(field.name).string(text);
}

}  // namespace

template <class Message>
const MessageInfo& info_of() {
  return kInfo<Message>;
}

Expected<std::string_view> write_message(const MessageInfo& info, const void* message,
                                         std::span<char> out) {
  JsonWriter json(out);
  json.begin_object().key("type").string(info.type);
  for (const Field& field : info.fields()) {
    write_field(field, static_cast<const std::byte*>(message), json);
  }
  json.end_object();
  return json.finish();
}

template <class Message>
std::string_view type_of(const Message&) {
  return Fields<Message>::kType;
}

template <>
std::string_view type_of<Unknown>(const Unknown& message) {
  return message.type;
}

#define GADGET_INSTANTIATE(Message)               \
  template const MessageInfo& info_of<Message>(); \
  template std::string_view type_of<Message>(const Message&);
GADGET_INSTANTIATE(Hello)
GADGET_INSTANTIATE(Auth)
GADGET_INSTANTIATE(Text)
GADGET_INSTANTIATE(UtteranceStart)
GADGET_INSTANTIATE(UtteranceEnd)
GADGET_INSTANTIATE(UtteranceCancel)
GADGET_INSTANTIATE(Cancel)
GADGET_INSTANTIATE(SessionNew)
GADGET_INSTANTIATE(PromptReply)
GADGET_INSTANTIATE(ActionResult)
GADGET_INSTANTIATE(State)
GADGET_INSTANTIATE(Event)
GADGET_INSTANTIATE(OtaReady)
GADGET_INSTANTIATE(OtaAck)
GADGET_INSTANTIATE(OtaDone)
GADGET_INSTANTIATE(OtaError)
GADGET_INSTANTIATE(Ping)
GADGET_INSTANTIATE(Pong)
GADGET_INSTANTIATE(Challenge)
GADGET_INSTANTIATE(Welcome)
GADGET_INSTANTIATE(Pairing)
GADGET_INSTANTIATE(Paired)
GADGET_INSTANTIATE(Unpaired)
GADGET_INSTANTIATE(TurnStart)
GADGET_INSTANTIATE(Transcript)
GADGET_INSTANTIATE(Status)
GADGET_INSTANTIATE(ReplyDelta)
GADGET_INSTANTIATE(Reply)
GADGET_INSTANTIATE(TurnEnd)
GADGET_INSTANTIATE(Notice)
GADGET_INSTANTIATE(ErrorMessage)
GADGET_INSTANTIATE(SpeechStart)
GADGET_INSTANTIATE(SpeechEnd)
GADGET_INSTANTIATE(SpeechAbort)
GADGET_INSTANTIATE(Display)
GADGET_INSTANTIATE(ImageStart)
GADGET_INSTANTIATE(ImageEnd)
GADGET_INSTANTIATE(Prompt)
GADGET_INSTANTIATE(PromptClose)
GADGET_INSTANTIATE(Action)
GADGET_INSTANTIATE(OtaOffer)
GADGET_INSTANTIATE(OtaBegin)
GADGET_INSTANTIATE(OtaEnd)
GADGET_INSTANTIATE(OtaAbort)
#undef GADGET_INSTANTIATE

}  // namespace gadget::protocol
