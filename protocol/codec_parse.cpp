#include <algorithm>

#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/utf8.hpp"

namespace gadget::protocol {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Every element is an object with a string `name`, and what else H6 names is of its type.
[[nodiscard]] std::optional<ErrorCode> check_action(JsonReader& reader) {
  const auto begin = reader.next();
  if (begin->token != Token::begin_object) return ErrorCode::wrong_type;
  bool named = false;
  for (auto key = reader.next(); key->token == Token::key; key = reader.next()) {
    const bool is_name = raw_equals(key->text, "name");
    const bool is_text = is_name || raw_equals(key->text, "description");
    const bool is_params = raw_equals(key->text, "params");
    const auto value = reader.next();
    if (is_text && value->token != Token::string) return ErrorCode::wrong_type;
    if (is_params && value->token != Token::begin_object) return ErrorCode::wrong_type;
    named = named || is_name;
    if (value->token == Token::begin_object || value->token == Token::begin_array) {
      (void)reader.skip_rest();
    }
  }
  if (!named) return ErrorCode::missing_field;
  return std::nullopt;
}

[[nodiscard]] std::optional<ErrorCode> check_actions(std::string_view text) {
  if (text.size() > kMaxActionsBytes) return ErrorCode::too_long;
  JsonReader count = JsonReader::checked(text);
  if (count.next()->token != Token::begin_array) return ErrorCode::wrong_type;
  // The array is walked twice: a reader cannot look ahead for its end.
  std::size_t actions = 0;
  for (auto item = count.next(); item->token != Token::end_array; item = count.next()) {
    if (item->token != Token::begin_object) return ErrorCode::wrong_type;
    (void)count.skip_rest();
    if (++actions > kMaxActions) return ErrorCode::too_long;
  }
  JsonReader reader = JsonReader::checked(text);
  (void)reader.next();
  for (; actions > 0; --actions) {
    if (const auto fault = check_action(reader)) return fault;
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<ErrorCode> check_sensors(std::string_view text, std::size_t most) {
  JsonReader reader = JsonReader::checked(text);
  if (reader.next()->token != Token::begin_object) return ErrorCode::wrong_type;
  std::size_t sensors = 0;
  for (auto key = reader.next(); key->token == Token::key; key = reader.next()) {
    const Token value = reader.next()->token;
    if (value == Token::begin_object || value == Token::begin_array) return ErrorCode::wrong_type;
    if (++sensors > most) return ErrorCode::too_long;
  }
  return std::nullopt;
}

// Fills a message from the members of an object that check_json accepted. One field is one call;
// see message_fields.hpp.
class FieldParser {
 public:
  FieldParser(std::span<char> text, JsonReader& reader) : text_(text), reader_(reader) {}

  template <class Message>
  [[nodiscard]] Expected<Message> parse() {
    Message message;
    for (auto key = reader_.next(); key->token == Token::key; key = reader_.next()) {
      key_ = key->text;
      walk(Mode::member, message);
      if (!taken_) (void)reader_.skip();
    }
    walk(Mode::finish, message);
    if (failed_at_ != kNone) return tl::unexpected<Error>(failure_);
    return message;
  }

  // The message's `id`, when it had a good one, whatever else was wrong (E34).
  [[nodiscard]] std::string_view salvaged_id() const { return id_; }

  void text(const char* name, std::string_view& out, Need need) {
    if (takes(name, need)) read_text(name, out);
  }
  void id(const char* name, std::string_view& out, Need need) {
    if (!takes(name, need) || !read_text(name, out)) return;
    if (code_points(out) > kMaxIdCodePoints) return fails(ErrorCode::too_long, name);
    if (std::string_view(name) == "id") id_ = out;
  }
  void maybe_text(const char* name, std::optional<std::string_view>& out) {
    if (!takes(name, optional)) return;
    std::string_view value;
    if (read_text(name, value)) out = value;
  }
  void nonce(const char* name, std::string_view& out) {
    if (!takes(name, required) || !read_text(name, out)) return;
    std::array<std::byte, kNonceBytes> bytes{};
    if (!base64_decode(out, bytes)) fails(ErrorCode::bad_base64, name);
  }
  void challenge_nonce(const char* name, std::string_view& out) {
    if (!takes(name, required) || !read_text(name, out)) return;
    if (out.empty() || code_points(out) > kMaxNonceChars) fails(ErrorCode::wrong_value, name);
  }
  void digest(const char* name, std::string_view& out) {
    if (!takes(name, required) || !read_text(name, out)) return;
    if (out.size() != 2 * kSha256Bytes ||
        out.find_first_not_of(kHexDigits) != std::string_view::npos) {
      fails(ErrorCode::wrong_value, name);
    }
  }
  void answer(const char* name, Answer& out) {
    std::string_view value;
    if (!takes(name, required) || !read_text(name, value)) return;
    if (value != "yes" && value != "no") fails(ErrorCode::wrong_value, name);
    out = value == "yes" ? Answer::yes : Answer::no;
  }
  void device_id(const char* name, DeviceId& out) {
    std::string_view value;
    if (!takes(name, required) || !read_text(name, value)) return;
    const auto id = DeviceId::parse(value);
    if (!id) return fails(ErrorCode::wrong_value, name);
    out = *id;
  }
  void integer(const char* name, std::int64_t& out, Need need, Range range = {}) {
    std::string_view token;
    if (!takes(name, need) || !read(name, Token::number, token)) return;
    const auto value = integer_of(token);
    if (!value) {
      // `1.0` and `1e2` are no integers (E4); digits beyond 64 bits are one that no field can have.
      const bool fraction = token.find_first_of(".eE") != std::string_view::npos;
      return fails(fraction ? ErrorCode::wrong_type : ErrorCode::wrong_value, name);
    }
    if (*value < range.least || *value > range.most) return fails(ErrorCode::wrong_value, name);
    out = *value;
  }
  void maybe_integer(const char* name, std::optional<std::int64_t>& out) {
    std::int64_t value = 0;
    const std::size_t before = seen_;
    integer(name, value, optional);
    if (seen_ != before) out = value;
  }
  void number(const char* name, Number& out, Need need) {
    if (takes(name, need)) read(name, Token::number, out.token);
  }
  void boolean(const char* name, bool& out, Need need) {
    std::string_view word;
    if (takes(name, need) && read(name, Token::boolean, word)) out = word == "true";
  }
  void any(const char* name, Json& out) {
    if (takes(name, optional)) out.text = *reader_.skip();
  }
  void object(const char* name, Json& out) {
    if (!takes(name, optional)) return;
    out.text = *reader_.skip();
    if (!out.text.starts_with('{')) fails(ErrorCode::wrong_type, name);
  }
  void actions(const char* name, Json& out) {
    if (!takes(name, optional)) return;
    out.text = *reader_.skip();
    if (const auto fault = check_actions(out.text)) fails(*fault, name);
  }
  void sensors(const char* name, Json& out, Need need, std::size_t most) {
    if (!takes(name, need)) return;
    out.text = *reader_.skip();
    if (const auto fault = check_sensors(out.text, most)) fails(*fault, name);
  }
  void caps(const char* name, Caps& out) {
    if (!takes(name, optional)) return;
    const auto parsed = parse_caps(*reader_.skip());
    if (!parsed) return fails(parsed.error().code, parsed.error().field);
    out = *parsed;
  }

 private:
  enum class Mode : std::uint8_t { member, finish };
  static constexpr std::size_t kNone = SIZE_MAX;

  template <class Message>
  void walk(Mode mode, Message& message) {
    mode_ = mode;
    index_ = kNone;
    taken_ = false;
    Fields<Message>::visit(*this, message);
  }

  // Whether this field is the member at hand. At the end: notes a required one that never came.
  [[nodiscard]] bool takes(const char* name, Need need) {
    ++index_;
    if (mode_ == Mode::finish) {
      if (need == required && (seen_ & (std::size_t{1} << index_)) == 0) {
        fails(ErrorCode::missing_field, name);
      }
      return false;
    }
    if (taken_ || !raw_equals(key_, name)) return false;
    taken_ = true;
    taken_index_ = index_;
    seen_ |= std::size_t{1} << index_;
    return true;
  }

  // The first field of the row that is wrong is the one that is named, whatever the order of the
  // members.
  void fails(ErrorCode code, const char* name) {
    const std::size_t at = mode_ == Mode::finish ? index_ : taken_index_;
    if (failed_at_ != kNone && failed_at_ <= at) return;
    failed_at_ = at;
    failure_ = Error{code, name, static_cast<std::uint32_t>(reader_.offset())};
  }

  bool read(const char* name, Token token, std::string_view& out) {
    const auto item = reader_.next();
    if (item->token == token) {
      out =
          token == Token::string && item->escaped ? decode_in_place(item->text, text_) : item->text;
      return true;
    }
    if (item->token == Token::begin_object || item->token == Token::begin_array) {
      (void)reader_.skip_rest();
    }
    fails(ErrorCode::wrong_type, name);
    return false;
  }
  bool read_text(const char* name, std::string_view& out) { return read(name, Token::string, out); }

  std::span<char> text_;
  JsonReader& reader_;
  std::string_view key_;
  std::string_view id_;
  Mode mode_ = Mode::member;
  std::size_t index_ = 0;
  std::size_t taken_index_ = 0;
  bool taken_ = false;
  std::size_t seen_ = 0;
  std::size_t failed_at_ = kNone;
  Error failure_;
};

// The strict pass: all of it is JSON, an object, and says its type.
[[nodiscard]] Expected<Item> type_in(std::string_view text) {
  JsonReader reader(text);
  const auto first = reader.next();
  if (!first) return tl::unexpected<Error>(first.error());
  const bool object = first->token == Token::begin_object;
  std::optional<Item> type;
  std::size_t depth = object || first->token == Token::begin_array ? 1 : 0;
  bool type_is_next = false;
  for (auto item = first; item->token != Token::end;) {
    item = reader.next();
    if (!item) return tl::unexpected<Error>(item.error());
    if (type_is_next) type = *item;
    type_is_next =
        object && depth == 1 && item->token == Token::key && raw_equals(item->text, "type");
    if (item->token == Token::begin_object || item->token == Token::begin_array) ++depth;
    if (item->token == Token::end_object || item->token == Token::end_array) --depth;
  }
  if (!object) return error(ErrorCode::not_an_object);
  if (!type) return error(ErrorCode::missing_field, "type");
  if (type->token != Token::string) return error(ErrorCode::wrong_type, "type");
  return *type;
}

template <class Message, class Variant>
[[nodiscard]] bool parse_as(std::string_view type, std::span<char> text, Expected<Variant>& result,
                            std::string_view& id) {
  if constexpr (std::is_same_v<Message, Unknown>) {
    return false;
  } else {
    if (!raw_equals(type, Fields<Message>::kType)) return false;
    JsonReader reader = JsonReader::checked({text.data(), text.size()});
    (void)reader.next();
    FieldParser parser(text, reader);
    auto message = parser.parse<Message>();
    id = parser.salvaged_id();
    if (message) {
      result = Variant(std::move(*message));
    } else {
      result = tl::unexpected<Error>(message.error());
    }
    return true;
  }
}

template <class... Messages>
[[nodiscard]] Expected<std::variant<Messages...>> dispatch(std::string_view type,
                                                           std::span<char> text,
                                                           std::string_view& id,
                                                           std::variant<Messages...>*) {
  Expected<std::variant<Messages...>> result = std::variant<Messages...>(Unknown{});
  (void)(parse_as<Messages>(type, text, result, id) || ...);
  return result;
}

template <class Variant>
[[nodiscard]] Expected<Variant> parse_message(std::span<char> text, Salvage* salvage) {
  const auto type = type_in({text.data(), text.size()});
  if (!type) return tl::unexpected<Error>(type.error());
  std::string_view id;
  auto result = dispatch(type->text, text, id, static_cast<Variant*>(nullptr));
  // No message has a field named `type`, so that it is as it was and can be decoded now.
  const std::string_view decoded = type->escaped ? decode_in_place(type->text, text) : type->text;
  if (result && std::holds_alternative<Unknown>(*result)) {
    std::get<Unknown>(*result).type = decoded;
  }
  if (salvage != nullptr) *salvage = Salvage{decoded, id};
  return result;
}

}  // namespace

Expected<DeviceMessage> parse_device_message(std::span<char> text, Salvage* salvage) {
  return parse_message<DeviceMessage>(text, salvage);
}

Expected<HubMessage> parse_hub_message(std::span<char> text, Salvage* salvage) {
  return parse_message<HubMessage>(text, salvage);
}

std::optional<HubMessage> parse_cut_hub_message(std::span<char> text) {
  JsonReader reader({text.data(), text.size()});
  const auto begin = reader.next();
  if (!begin || begin->token != Token::begin_object) return std::nullopt;
  Item type;
  Item turn;
  Item body;
  bool interim = false;
  // Members that are complete, and the text, which may be the one that is cut.
  for (auto key = reader.next(); key && key->token == Token::key; key = reader.next()) {
    const auto value = reader.next();
    const bool is_text = raw_equals(key->text, "text");
    if (!value) {
      if (is_text && reader.cut_string()) {
        const std::size_t from = *reader.cut_string();
        body = Item{Token::string, std::string_view(text.data() + from, reader.offset() - from),
                    true, 0};
      }
      break;
    }
    if (value->token == Token::begin_object || value->token == Token::begin_array) {
      if (!reader.skip_rest()) break;
      continue;
    }
    if (value->token == Token::boolean && raw_equals(key->text, "interim")) {
      interim = value->text == "true";
    }
    if (value->token != Token::string) continue;
    if (is_text) body = *value;
    if (raw_equals(key->text, "type")) type = *value;
    if (raw_equals(key->text, "turn")) turn = *value;
  }
  if (body.token != Token::string) return std::nullopt;
  const std::string_view shown = decode_in_place(body.text, text);
  const std::string_view of_turn = turn.escaped ? std::string_view() : turn.text;
  if (raw_equals(type.text, "reply")) return Reply{of_turn, shown, interim};
  if (raw_equals(type.text, "reply.delta")) return ReplyDelta{of_turn, shown};
  return std::nullopt;
}

}  // namespace gadget::protocol
