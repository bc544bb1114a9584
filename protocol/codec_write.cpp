#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"

namespace gadget::protocol {
namespace {

// Writes the fields that are set; see message_fields.hpp for what a kind of field is.
class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& out) : out_(out) {}

  void text(const char* name, std::string_view value, Need need) {
    if (need == required || !value.empty()) out_.key(name).string(value);
  }
  void id(const char* name, std::string_view value, Need need) { text(name, value, need); }
  void maybe_text(const char* name, const std::optional<std::string_view>& value) {
    if (value) out_.key(name).string(*value);
  }
  void nonce(const char* name, std::string_view value) { text(name, value, required); }
  void challenge_nonce(const char* name, std::string_view value) { text(name, value, required); }
  void digest(const char* name, std::string_view value) { text(name, value, required); }
  void answer(const char* name, Answer value) {
    text(name, value == Answer::yes ? "yes" : "no", required);
  }
  void device_id(const char* name, const DeviceId& value) { text(name, value.text(), required); }
  void integer(const char* name, std::int64_t value, Need, Range = {}) {
    out_.key(name).integer(value);
  }
  void maybe_integer(const char* name, const std::optional<std::int64_t>& value) {
    if (value) out_.key(name).integer(*value);
  }
  void number(const char* name, const Number& value, Need need) {
    if (!value.empty()) {
      out_.key(name).raw(value.token);
    } else if (need == required) {
      out_.key(name).raw("0");
    }
  }
  void boolean(const char* name, bool value, Need need) {
    if (need == required || value) out_.key(name).boolean(value);
  }
  void any(const char* name, const Json& value) {
    if (!value.empty()) out_.key(name).raw(value.text);
  }
  void object(const char* name, const Json& value) { any(name, value); }
  void actions(const char* name, const Json& value) { any(name, value); }
  void sensors(const char* name, const Json& value, Need need, std::size_t) {
    if (need == required && value.empty()) {
      out_.key(name).raw("{}");
    } else {
      any(name, value);
    }
  }
  void caps(const char* name, const Caps& value) {
    out_.key(name);
    write_caps(value, out_);
  }

 private:
  JsonWriter& out_;
};

}  // namespace

template <class Message>
Expected<std::string_view> write_message(const Message& message, std::span<char> out) {
  JsonWriter json(out);
  json.begin_object().key("type").string(Fields<Message>::kType);
  FieldWriter fields(json);
  Fields<Message>::visit(fields, message);
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

#define GADGET_INSTANTIATE(Message)                                                            \
  template Expected<std::string_view> write_message<Message>(const Message&, std::span<char>); \
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
