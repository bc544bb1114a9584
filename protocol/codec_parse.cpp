#include <algorithm>

#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/utf8.hpp"

namespace gadget::protocol {
namespace {

[[nodiscard]] bool is_hex(std::string_view text) {
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

[[nodiscard]] const Range& range_of(const Field& field) { return kRanges[field.range]; }

// Every element is an object with a string `name`, and what else H6 names is of its type.
[[nodiscard]] std::optional<ErrorCode> check_action(JsonReader& reader) {
  if (reader.step() != Token::begin_object) return ErrorCode::wrong_type;
  bool named = false;
  while (reader.step() == Token::key) {
    const std::string_view key = reader.item().text;
    const bool is_name = raw_equals(key, "name");
    const bool is_text = is_name || raw_equals(key, "description");
    const bool is_params = raw_equals(key, "params");
    const Token value = reader.step();
    if (is_text && value != Token::string) return ErrorCode::wrong_type;
    if (is_params && value != Token::begin_object) return ErrorCode::wrong_type;
    named = named || is_name;
    reader.skip_rest();
  }
  if (!named) return ErrorCode::missing_field;
  return std::nullopt;
}

[[nodiscard]] std::optional<ErrorCode> check_actions(std::string_view text) {
  if (text.size() > kMaxActionsBytes) return ErrorCode::too_long;
  JsonReader count = JsonReader::checked(text);
  if (count.step() != Token::begin_array) return ErrorCode::wrong_type;
  // The array is walked twice: a reader cannot look ahead for its end.
  std::size_t actions = 0;
  while (count.step() != Token::end_array) {
    if (count.item().token != Token::begin_object) return ErrorCode::wrong_type;
    count.skip_rest();
    if (++actions > kMaxActions) return ErrorCode::too_long;
  }
  JsonReader reader = JsonReader::checked(text);
  reader.step();
  for (; actions > 0; --actions) {
    if (const auto fault = check_action(reader)) return fault;
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<ErrorCode> check_sensors(std::string_view text, std::size_t most) {
  JsonReader reader = JsonReader::checked(text);
  if (reader.step() != Token::begin_object) return ErrorCode::wrong_type;
  std::size_t sensors = 0;
  while (reader.step() == Token::key) {
    const Token value = reader.step();
    if (value == Token::begin_object || value == Token::begin_array) return ErrorCode::wrong_type;
    if (++sensors > most) return ErrorCode::too_long;
  }
  return std::nullopt;
}

// What is done with a value of a kind that only devices send (is_devices): `member` is filled, or a
// fault returned. A function of its own, so that a device, which reads none, need not hold the
// code.
using CheckValue = std::optional<Error> (*)(const Field& field, std::string_view value,
                                            std::byte* member);

[[nodiscard]] std::optional<ErrorCode> check_text(const Field& field, std::string_view text,
                                                  std::byte* member) {
  if (field.kind == Kind::nonce) {
    std::array<std::byte, kNonceBytes> bytes{};
    if (!base64_decode(text, bytes)) return ErrorCode::bad_base64;
    *reinterpret_cast<std::string_view*>(member) = text;
  } else if (field.kind == Kind::answer) {
    if (text != "yes" && text != "no") return ErrorCode::wrong_value;
    *reinterpret_cast<Answer*>(member) = text == "yes" ? Answer::yes : Answer::no;
  } else {
    const auto id = DeviceId::parse(text);
    if (!id) return ErrorCode::wrong_value;
    *reinterpret_cast<DeviceId*>(member) = *id;
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<Error> check_device_value(const Field& field, std::string_view value,
                                                      std::byte* member) {
  std::optional<ErrorCode> fault;
  switch (field.kind) {
    case Kind::caps: {
      const auto parsed = parse_caps(value);
      if (!parsed) return parsed.error();
      *reinterpret_cast<Caps*>(member) = *parsed;
      return std::nullopt;
    }
    case Kind::actions:
      reinterpret_cast<Json*>(member)->text = value;
      fault = check_actions(value);
      break;
    case Kind::sensors:
      reinterpret_cast<Json*>(member)->text = value;
      fault = check_sensors(value, range_of(field).most);
      break;
    default: fault = check_text(field, value, member);
  }
  if (!fault) return std::nullopt;
  return Error{*fault, field.name, 0};
}

// The text of a key or string, decoded within `buffer`, which holds it.
[[nodiscard]] std::string_view decoded(const Item& item, std::span<char> buffer) {
  return item.escaped ? decode_in_place(item.text, buffer) : item.text;
}

// Fills a message from the members of an object that check_json accepted, by its table.
class FieldParser {
 public:
  FieldParser(std::span<char> text, std::span<const Field> fields, std::byte* message,
              CheckValue check)
      : text_(text),
        fields_(fields),
        message_(message),
        check_(check),
        reader_(JsonReader::checked({text.data(), text.size()})) {}

  [[nodiscard]] std::optional<Error> parse() {
    reader_.step();
    std::uint32_t seen = 0;
    while (reader_.step() == Token::key) {
      const std::string_view key = reader_.item().text;
      for (at_ = 0; at_ < fields_.size() && !raw_equals(key, fields_[at_].name);) ++at_;
      if (at_ == fields_.size()) {
        reader_.skip();
        continue;
      }
      seen |= std::uint32_t{1} << at_;
      take(fields_[at_]);
    }
    for (at_ = 0; at_ < fields_.size(); ++at_) {
      if (fields_[at_].required && (seen >> at_ & 1U) == 0) fails(ErrorCode::missing_field);
    }
    return failure_;
  }

  // Of a text that was cut (E33): the members before the cut, and of a text that was cut itself as
  // much as is there. No other member may be in part.
  void parse_cut() {
    (void)parse();
    if (cut_ == nullptr || cut_->kind != Kind::text) return;
    const std::size_t from = *reader_.cut_string();
    const std::string_view raw(text_.data() + from, reader_.offset() - from);
    member<std::string_view>(*cut_) = decode_in_place(raw, text_);
  }

  // The message's `id`, when it was a text of whatever length, whatever else was wrong (E34).
  [[nodiscard]] std::string_view salvaged_id() const { return id_; }

 private:
  template <class T>
  [[nodiscard]] T& member(const Field& field) const {
    return *reinterpret_cast<T*>(message_ + field.offset);
  }

  void take(const Field& field) {
    switch (field.kind) {
      case Kind::integer:
      case Kind::maybe_integer:
      case Kind::number:
        if (read(Token::number)) take_number(field, reader_.item().text);
        return;
      case Kind::boolean:
        if (read(Token::boolean)) member<bool>(field) = reader_.item().text[0] == 't';
        return;
      case Kind::any:
      case Kind::object:
      case Kind::actions:
      case Kind::sensors:
      case Kind::caps: return take_value(field);
      default:
        if (read(Token::string)) take_text(field, decoded(reader_.item(), text_));
    }
  }

  void take_text(const Field& field, std::string_view text) {
    switch (field.kind) {
      case Kind::id:
        if (std::string_view(field.name) == "id") id_ = text;
        if (code_points(text) > kMaxIdCodePoints) return fails(ErrorCode::too_long);
        break;
      case Kind::challenge_nonce:
        if (text.empty() || code_points(text) > kMaxNonceChars) fails(ErrorCode::wrong_value);
        break;
      case Kind::digest:
        if (text.size() != 2 * kSha256Bytes || !is_hex(text)) fails(ErrorCode::wrong_value);
        break;
      case Kind::maybe_text: member<std::optional<std::string_view>>(field) = text; return;
      case Kind::nonce:
      case Kind::answer:
      case Kind::device_id: return take_device_value(field, text);
      default: break;
    }
    member<std::string_view>(field) = text;
  }

  // What only devices send.
  void take_device_value(const Field& field, std::string_view value) {
    const auto fault = check_(field, value, message_ + field.offset);
    if (fault) fails(fault->code, fault->field);
  }

  void take_number(const Field& field, std::string_view token) {
    if (field.kind == Kind::number) {
      member<Number>(field).token = token;
      return;
    }
    const auto value = integer_of(token);
    if (!value) {
      // `1.0` and `1e2` are no integers (E4); digits beyond 64 bits are one that no field can have.
      const bool fraction = token.find_first_of(".eE") != std::string_view::npos;
      return fails(fraction ? ErrorCode::wrong_type : ErrorCode::wrong_value);
    }
    if (!range_of(field).has(*value)) return fails(ErrorCode::wrong_value);
    if (field.kind == Kind::integer) {
      member<std::int64_t>(field) = *value;
    } else {
      member<std::optional<std::int64_t>>(field) = *value;
    }
  }

  void take_value(const Field& field) {
    reader_.skip();
    const std::string_view json = reader_.value();
    if (field.kind == Kind::any || field.kind == Kind::object) {
      member<Json>(field).text = json;
      if (field.kind == Kind::object && json[0] != '{') fails(ErrorCode::wrong_type);
    } else {
      take_device_value(field, json);
    }
  }

  // Whether the value at hand, which is item() then, is of this type.
  [[nodiscard]] bool read(Token token) {
    const Token is = reader_.step();
    if (is == token) return true;
    if (is == Token::fault && reader_.cut_string()) cut_ = &fields_[at_];
    reader_.skip_rest();
    fails(ErrorCode::wrong_type);
    return false;
  }

  // The first field of the row that is wrong is the one that is named, whatever the order of the
  // members.
  void fails(ErrorCode code, const char* name = nullptr) {
    if (failure_ && failed_at_ <= at_) return;
    failed_at_ = at_;
    failure_ = Error{code, name == nullptr ? fields_[at_].name : name,
                     static_cast<std::uint32_t>(reader_.offset())};
  }

  std::span<char> text_;
  std::span<const Field> fields_;
  std::byte* message_;
  CheckValue check_;
  JsonReader reader_;
  std::string_view id_;
  std::size_t at_ = 0;         // the field at hand
  std::size_t failed_at_ = 0;  // the one that failed, when `failure_` is set
  std::optional<Error> failure_;
  const Field* cut_ = nullptr;  // within whose value the text ends
};

// The strict pass: all of it is JSON, or may be `cut`; an object, and says its type.
[[nodiscard]] Expected<Item> type_in(std::string_view text, bool cut) {
  JsonReader reader(text);
  std::optional<Item> type;
  std::size_t depth = 0;
  bool type_is_next = false;
  const Token first = reader.step();
  for (Token token = first; token != Token::end; token = reader.step()) {
    if (token == Token::fault) {
      if (cut) break;
      return tl::unexpected<Error>(reader.failure());
    }
    if (type_is_next) type = reader.item();
    type_is_next = depth == 1 && token == Token::key && raw_equals(reader.item().text, "type");
    if (token == Token::begin_object || token == Token::begin_array) ++depth;
    if (token == Token::end_object || token == Token::end_array) --depth;
  }
  if (first != Token::begin_object) return error(ErrorCode::not_an_object);
  if (!type) return error(ErrorCode::missing_field, "type");
  if (type->token != Token::string) return error(ErrorCode::wrong_type, "type");
  return *type;
}

// Makes `room` message number `index` of its list, without any field, and returns where that lies.
using Become = std::byte* (*)(void* room, std::size_t index);

// What there is for each direction: the messages that may come, Unknown first, and how the room for
// them becomes one.
template <class Variant>
struct Messages;
template <class... Message>
struct Messages<std::variant<Message...>> {
  using Variant = std::variant<Message...>;
  static constexpr std::array<MessageInfo, sizeof...(Message)> kInfos{kInfo<Message>...};

  template <class One>
  static std::byte* emplace(Variant& variant) {
    return reinterpret_cast<std::byte*>(&variant.template emplace<One>());
  }
  // For a variant as the room.
  static std::byte* become(void* variant, std::size_t index) {
    static constexpr std::array<std::byte* (*)(Variant&), sizeof...(Message)> kEmplace{
        emplace<Message>...};
    return kEmplace[index](*static_cast<Variant*>(variant));
  }
  // The same message as a variant.
  static Variant copy(const HubMessageRoom& room) {
    static constexpr std::array<Variant (*)(const HubMessageRoom&), sizeof...(Message)> kCopy{
        [](const HubMessageRoom& from) { return Variant(from.get<Message>()); }...};
    return kCopy[room.index()](room);
  }
};

// Which of `infos` is of that type, given as it stands in the text; 0: none.
[[nodiscard]] std::size_t find_type(std::span<const MessageInfo> infos, std::string_view raw) {
  for (std::size_t i = 1; i < infos.size(); ++i) {
    if (raw_equals(raw, infos[i].type)) return i;
  }
  return 0;
}

// Fills `room` with the message.
[[nodiscard]] std::optional<Error> parse_message(std::span<char> text,
                                                 std::span<const MessageInfo> infos, Become become,
                                                 CheckValue check, void* room, Salvage* salvage) {
  const auto type = type_in({text.data(), text.size()}, false);
  if (!type) return type.error();
  const std::size_t index = find_type(infos, type->text);
  std::byte* const message = become(room, index);
  FieldParser parser(text, infos[index].fields(), message, check);
  const auto failure = parser.parse();
  // No message has a field named `type`, so that it is as it was and can be decoded now.
  const std::string_view name = decoded(*type, text);
  if (index == 0) reinterpret_cast<Unknown*>(message)->type = name;
  if (salvage != nullptr) *salvage = Salvage{name, parser.salvaged_id()};
  return failure;
}

std::byte* become_hub_message(void* room, std::size_t index) {
  return static_cast<HubMessageRoom*>(room)->become(index);
}

}  // namespace

Expected<DeviceMessage> parse_device_message(std::span<char> text, Salvage* salvage) {
  using List = Messages<DeviceMessage>;
  Expected<DeviceMessage> result;
  const auto failure =
      parse_message(text, List::kInfos, List::become, check_device_value, &*result, salvage);
  if (failure) result = tl::unexpected<Error>(*failure);
  return result;
}

std::optional<Error> read_hub_message(std::span<char> text, HubMessageRoom& out, Salvage* salvage) {
  return parse_message(text, Messages<HubMessage>::kInfos, become_hub_message, nullptr, &out,
                       salvage);
}

bool read_cut_hub_message(std::span<char> text, HubMessageRoom& out) {
  const auto type = type_in({text.data(), text.size()}, true);
  if (!type) return false;
  const auto& infos = Messages<HubMessage>::kInfos;
  const std::size_t index = find_type(infos, type->text);
  const bool is_reply = index == kPlace<Reply>;
  if (!is_reply && index != kPlace<ReplyDelta>) return false;
  FieldParser parser(text, infos[index].fields(), out.become(index), nullptr);
  parser.parse_cut();
  const auto shown = is_reply ? out.get<Reply>().text : out.get<ReplyDelta>().text;
  return shown.data() != nullptr;  // an empty one is in the text all the same
}

Expected<HubMessage> parse_hub_message(std::span<char> text, Salvage* salvage) {
  HubMessageRoom room;
  if (const auto failure = read_hub_message(text, room, salvage)) {
    return tl::unexpected<Error>(*failure);
  }
  return Messages<HubMessage>::copy(room);
}

std::optional<HubMessage> parse_cut_hub_message(std::span<char> text) {
  HubMessageRoom room;
  if (!read_cut_hub_message(text, room)) return std::nullopt;
  return Messages<HubMessage>::copy(room);
}

}  // namespace gadget::protocol
