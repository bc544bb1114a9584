// The parts of `hello` that hold more than one level: caps, actions, readings; and the values of
// fields.
#include <algorithm>
#include <cstring>

#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"

namespace gadget::protocol {
namespace {

constexpr std::string_view kPcm16 = "pcm16";
constexpr std::string_view kRgb565 = "rgb565";

// Walks over the members of an object of caps. `read` gets the raw key; it takes the value, or
// leaves it.
class Members {
 public:
  explicit Members(JsonReader& reader) : reader_(reader) {}

  [[nodiscard]] bool next() {
    if (pending_) reader_.skip();
    pending_ = !failed() && reader_.step() == Token::key;
    if (pending_) key_ = reader_.item().text;
    return pending_;
  }

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] std::optional<Error> failure() const { return failure_; }

  // True when the member at hand is `name` and of the token's type; its text goes to `out`.
  [[nodiscard]] bool take(std::string_view name, const char* path, Token token,
                          std::string_view& out) {
    if (!pending_ || !raw_equals(key_, name)) return false;
    pending_ = false;
    if (reader_.step() != token) {
      failure_ = Error{ErrorCode::wrong_type, path, reader_.item().offset};
      return false;
    }
    out = reader_.item().text;
    return true;
  }

  // The same for an integer. Digits beyond 64 bits are out of every range, not of another type.
  [[nodiscard]] bool take_integer(std::string_view name, const char* path, std::int64_t& out) {
    std::string_view token;
    if (!take(name, path, Token::number, token)) return false;
    if (token.find_first_of(".eE") != std::string_view::npos) {
      failure_ = Error{ErrorCode::wrong_type, path, 0};
      return false;
    }
    out = integer_of(token).value_or(INT64_MAX);
    return true;
  }

  void fail(std::optional<Error> failure) {
    if (failure) failure_ = failure;
  }

 private:
  JsonReader& reader_;
  std::string_view key_;
  bool pending_ = false;
  std::optional<Error> failure_;
};

[[nodiscard]] bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most;
}

[[nodiscard]] std::optional<Error> read_audio(JsonReader& reader, const char* rate_path,
                                              const char* format_path,
                                              std::optional<AudioCaps>& out) {
  AudioCaps audio;
  bool known = true;
  Members members(reader);
  while (members.next()) {
    std::string_view format;
    if (members.take_integer("rate", rate_path, audio.rate_hz)) continue;
    if (members.take("format", format_path, Token::string, format)) {
      known = raw_equals(format, kPcm16);
    }
  }
  if (members.failed()) return members.failure();
  if (known && within(audio.rate_hz, kMinRateHz, kMaxRateHz)) out = audio;
  return std::nullopt;
}

[[nodiscard]] std::optional<Error> read_image(JsonReader& reader, std::optional<ImageBox>& out) {
  ImageBox box;
  bool known = true;
  Members members(reader);
  while (members.next()) {
    std::string_view format;
    if (members.take_integer("width", "caps.display.image.width", box.width)) continue;
    if (members.take_integer("height", "caps.display.image.height", box.height)) continue;
    if (members.take("format", "caps.display.image.format", Token::string, format)) {
      known = raw_equals(format, kRgb565);
    }
  }
  if (members.failed()) return members.failure();
  if (known && within(box.width, 1, kMaxDisplaySide) && within(box.height, 1, kMaxDisplaySide) &&
      box.width * box.height * 2 <= kMaxImageBytes) {
    out = box;
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<Error> read_display(JsonReader& reader,
                                                std::optional<DisplayCaps>& out) {
  DisplayCaps display;
  bool in_range = true;
  Members members(reader);
  const auto side = [&](std::string_view name, const char* path, std::int64_t most,
                        std::int64_t& value) {
    if (!members.take_integer(name, path, value)) return false;
    in_range = in_range && within(value, 1, most);
    return true;
  };
  while (members.next()) {
    std::string_view text;
    if (side("width", "caps.display.width", kMaxDisplaySide, display.width)) continue;
    if (side("height", "caps.display.height", kMaxDisplaySide, display.height)) continue;
    if (side("text_cols", "caps.display.text_cols", kMaxTextGrid, display.text_cols)) continue;
    if (side("text_rows", "caps.display.text_rows", kMaxTextGrid, display.text_rows)) continue;
    if (members.take("color", "caps.display.color", Token::boolean, text)) {
      display.color = text == "true";
    } else if (members.take("charset", "caps.display.charset", Token::string, text)) {
      const bool utf8 = raw_equals(text, "utf-8") || raw_equals(text, "utf8");
      display.charset = utf8 ? Charset::utf8 : Charset::ascii;
    } else if (members.take("image", "caps.display.image", Token::begin_object, text)) {
      members.fail(read_image(reader, display.image));
    }
  }
  if (members.failed()) return members.failure();
  if (in_range) out = display;
  return std::nullopt;
}

[[nodiscard]] std::optional<Error> read_inputs(JsonReader& reader, InputCaps& inputs) {
  while (reader.step() != Token::end_array) {
    const Item& item = reader.item();
    if (item.token != Token::string) {
      return Error{ErrorCode::wrong_type, "caps.inputs", item.offset};
    }
    inputs.talk = inputs.talk || raw_equals(item.text, "talk");
    inputs.cancel = inputs.cancel || raw_equals(item.text, "cancel");
    inputs.up = inputs.up || raw_equals(item.text, "up");
    inputs.down = inputs.down || raw_equals(item.text, "down");
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<Error> read_ota(JsonReader& reader, std::optional<std::int64_t>& out) {
  std::int64_t size = 0;
  Members members(reader);
  while (members.next()) (void)members.take_integer("max_size", "caps.ota.max_size", size);
  if (members.failed()) return members.failure();
  if (within(size, 1, kMaxOtaBytes)) out = size;
  return std::nullopt;
}

[[nodiscard]] TalkMode talk_mode_of(std::string_view raw) {
  if (raw_equals(raw, "hold")) return TalkMode::hold;
  if (raw_equals(raw, "tap")) return TalkMode::tap;
  if (raw_equals(raw, "auto")) return TalkMode::automatic;
  return TalkMode::unsaid;
}

[[nodiscard]] const char* text_of(TalkMode mode) {
  switch (mode) {
    case TalkMode::hold: return "hold";
    case TalkMode::tap: return "tap";
    case TalkMode::automatic: return "auto";
    case TalkMode::unsaid: return "";
  }
  return "";
}

// `name`: with its quotes and what follows it.
void write_audio(const char* name, const std::optional<AudioCaps>& audio, JsonWriter& out) {
  if (!audio) return;
  out.part(name).part(R"({"rate":)").integer(audio->rate_hz).part(R"("format":"pcm16"})");
}

void write_positive(const char* name, std::int64_t value, JsonWriter& out) {
  if (value > 0) out.key(name).integer(value);
}

}  // namespace

Expected<Caps> parse_caps(std::string_view json) {
  JsonReader reader = JsonReader::checked(json);
  if (reader.step() != Token::begin_object) return error(ErrorCode::wrong_type, "caps");
  Caps caps;
  Members members(reader);
  while (members.next()) {
    std::string_view text;
    if (members.take("display", "caps.display", Token::begin_object, text)) {
      members.fail(read_display(reader, caps.display));
    } else if (members.take("mic", "caps.mic", Token::begin_object, text)) {
      members.fail(read_audio(reader, "caps.mic.rate", "caps.mic.format", caps.mic));
    } else if (members.take("speaker", "caps.speaker", Token::begin_object, text)) {
      members.fail(read_audio(reader, "caps.speaker.rate", "caps.speaker.format", caps.speaker));
    } else if (members.take("inputs", "caps.inputs", Token::begin_array, text)) {
      members.fail(read_inputs(reader, caps.inputs));
    } else if (members.take("talk_mode", "caps.talk_mode", Token::string, text)) {
      caps.talk_mode = talk_mode_of(text);
    } else if (members.take("ota", "caps.ota", Token::begin_object, text)) {
      members.fail(read_ota(reader, caps.ota_max_size));
    } else if (members.take_integer("max_message", "caps.max_message", caps.max_message_bytes)) {
      caps.max_message_bytes =
          std::clamp(caps.max_message_bytes, static_cast<std::int64_t>(kMinMaxMessageBytes),
                     static_cast<std::int64_t>(kMaxMessageBytes));
    }
  }
  if (members.failed()) return tl::unexpected<Error>(*members.failure());
  return caps;
}

void write_caps(const Caps& caps, JsonWriter& out) {
  out.begin_object();
  if (caps.display) {
    const DisplayCaps& display = *caps.display;
    out.part(R"("display":{)");
    write_positive("width", display.width, out);
    write_positive("height", display.height, out);
    out.part(display.color ? R"("color":true)" : R"("color":false)");
    out.part(display.charset == Charset::utf8 ? R"("charset":"utf-8")" : R"("charset":"ascii")");
    write_positive("text_cols", display.text_cols, out);
    write_positive("text_rows", display.text_rows, out);
    if (display.image) {
      out.part(R"("image":{"width":)").integer(display.image->width);
      out.part(R"("height":)").integer(display.image->height).part(R"("format":"rgb565"})");
    }
    out.end_object();
  }
  write_audio(R"("mic":)", caps.mic, out);
  write_audio(R"("speaker":)", caps.speaker, out);
  out.part(R"("inputs":[)");
  if (caps.inputs.talk) out.string("talk");
  if (caps.inputs.cancel) out.string("cancel");
  if (caps.inputs.up) out.string("up");
  if (caps.inputs.down) out.string("down");
  out.end_array();
  if (caps.talk_mode != TalkMode::unsaid) {
    out.part(R"("talk_mode":)").string(text_of(caps.talk_mode));
  }
  if (caps.ota_max_size) out.part(R"("ota":{"max_size":)").integer(*caps.ota_max_size).end_object();
  if (caps.max_message_bytes != static_cast<std::int64_t>(kMaxMessageBytes)) {
    out.part(R"("max_message":)").integer(caps.max_message_bytes);
  }
  out.end_object();
}

std::string_view RawString::decode(std::span<char> out) const {
  if (raw.empty()) return {};  // absent: there may be no bytes to point at
  std::memcpy(out.data(), raw.data(), raw.size());
  return decode_in_place({out.data(), raw.size()}, out);
}

std::optional<ActionManifest> ActionReader::next() {
  if (!begun_) {
    begun_ = true;
    if (reader_.step() != Token::begin_array) return std::nullopt;
  }
  if (reader_.step() != Token::begin_object) return std::nullopt;
  ActionManifest action;
  while (reader_.step() == Token::key) {
    const std::string_view key = reader_.item().text;
    if (!reader_.skip()) return std::nullopt;
    const std::string_view value = reader_.value();
    const auto inside = [&value] { return value.substr(1, value.size() - 2); };
    if (raw_equals(key, "name")) action.name.raw = inside();
    if (raw_equals(key, "description")) action.description.raw = inside();
    if (raw_equals(key, "params")) action.params.text = value;
  }
  return action;
}

std::optional<Reading> ReadingReader::next() {
  if (!begun_) {
    begun_ = true;
    if (reader_.step() != Token::begin_object) return std::nullopt;
  }
  if (reader_.step() != Token::key) return std::nullopt;
  const std::string_view name = reader_.item().text;
  if (reader_.step() == Token::fault) return std::nullopt;
  Reading reading{RawString{name}, Reading::Kind::removed, reader_.item().text};
  switch (reader_.item().token) {
    case Token::boolean: reading.kind = Reading::Kind::boolean; break;
    case Token::number: reading.kind = Reading::Kind::number; break;
    case Token::string: reading.kind = Reading::Kind::text; break;
    default: break;
  }
  return reading;
}

double Number::value() const { return number_of(token); }

std::int64_t Number::rounded() const { return whole_of(token).value; }

std::int32_t Number::within(std::int32_t least, std::int32_t most, std::int32_t absent) const {
  if (empty()) return absent;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(rounded(), least, most));
}

std::int64_t ttl_ms(const Number& ttl_s, std::int64_t absent_ms) {
  if (ttl_s.empty()) return absent_ms;
  constexpr int kMilli = 3;
  return std::clamp<std::int64_t>(whole_of(ttl_s.token, kMilli).value, 0, kMaxTtlS * 1'000);
}

}  // namespace gadget::protocol
