#include <algorithm>

#include "protocol/codec.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/utf8.hpp"

namespace gadget::protocol {
namespace {

[[nodiscard]] bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
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

// What is done with a value that only `hello` and `state` have: `member` is filled, or a fault
// returned. A function of its own, so that a device, which reads neither, need not hold the code.
using CheckValue = std::optional<Error> (*)(const Field& field, std::string_view json,
                                            std::byte* member);

[[nodiscard]] std::optional<Error> check_device_value(const Field& field, std::string_view json,
                                                      std::byte* member) {
  std::optional<ErrorCode> fault;
  if (field.kind == Kind::caps) {
    const auto parsed = parse_caps(json);
    if (!parsed) return parsed.error();
    *reinterpret_cast<Caps*>(member) = *parsed;
    return std::nullopt;
  }
  reinterpret_cast<Json*>(member)->text = json;
  if (field.kind == Kind::actions) {
    fault = check_actions(json);
  } else {
    fault = check_sensors(json, static_cast<std::size_t>(range_of(field).most));
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
      case Kind::nonce: {
        std::array<std::byte, kNonceBytes> bytes{};
        if (!base64_decode(text, bytes)) fails(ErrorCode::bad_base64);
        break;
      }
      case Kind::challenge_nonce:
        if (text.empty() || code_points(text) > kMaxNonceChars) fails(ErrorCode::wrong_value);
        break;
      case Kind::digest:
        if (text.size() != 2 * kSha256Bytes || !is_hex(text)) fails(ErrorCode::wrong_value);
        break;
      case Kind::maybe_text: member<std::optional<std::string_view>>(field) = text; return;
      case Kind::answer:
      case Kind::device_id: return take_device_text(field, text);
      default: break;
    }
    member<std::string_view>(field) = text;
  }

  // Texts that only devices send.
  void take_device_text(const Field& field, std::string_view text) {
    if (field.kind == Kind::answer) {
      if (text != "yes" && text != "no") fails(ErrorCode::wrong_value);
      member<Answer>(field) = text == "yes" ? Answer::yes : Answer::no;
    } else if (const auto id = DeviceId::parse(text)) {
      member<DeviceId>(field) = *id;
    } else {
      fails(ErrorCode::wrong_value);
    }
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
    const Range& range = range_of(field);
    if (*value < range.least || *value > range.most) return fails(ErrorCode::wrong_value);
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
    } else if (const auto fault = check_(field, json, message_ + field.offset)) {
      fails(fault->code, fault->field);
    }
  }

  // Whether the value at hand, which is item() then, is of this type.
  [[nodiscard]] bool read(Token token) {
    if (reader_.step() == token) return true;
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
};

// The strict pass: all of it is JSON, an object, and says its type.
[[nodiscard]] Expected<Item> type_in(std::string_view text) {
  JsonReader reader(text);
  std::optional<Item> type;
  std::size_t depth = 0;
  bool type_is_next = false;
  const Token first = reader.step();
  for (Token token = first; token != Token::end; token = reader.step()) {
    if (token == Token::fault) return tl::unexpected<Error>(reader.failure());
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

// One message that may come: its type, its fields, and how the variant becomes one.
struct Row {
  std::string_view type;
  std::span<const Field> fields;
  std::byte* (*emplace)(void* variant);  // returns the message within it
};

template <class Message, class Variant>
std::byte* emplace(void* variant) {
  return reinterpret_cast<std::byte*>(&static_cast<Variant*>(variant)->template emplace<Message>());
}

template <class Variant>
struct Rows;
template <class... Messages>
struct Rows<std::variant<Unknown, Messages...>> {
  static constexpr std::array<Row, sizeof...(Messages)> kRows{
      {{Fields<Messages>::kType, Fields<Messages>::kFields,
        emplace<Messages, std::variant<Unknown, Messages...>>}...}};
};

// Fills `variant`, which holds `unknown`, by the row of the text's type.
[[nodiscard]] std::optional<Error> parse_message(std::span<char> text, std::span<const Row> rows,
                                                 CheckValue check, void* variant, Unknown& unknown,
                                                 Salvage* salvage) {
  const auto type = type_in({text.data(), text.size()});
  if (!type) return type.error();
  const auto row = std::find_if(rows.begin(), rows.end(), [&type](const Row& one) {
    return raw_equals(type->text, one.type);
  });
  std::optional<Error> failure;
  std::string_view id;
  if (row != rows.end()) {
    FieldParser parser(text, row->fields, row->emplace(variant), check);
    failure = parser.parse();
    id = parser.salvaged_id();
  }
  // No message has a field named `type`, so that it is as it was and can be decoded now.
  const std::string_view name = decoded(*type, text);
  if (row == rows.end()) unknown.type = name;
  if (salvage != nullptr) *salvage = Salvage{name, id};
  return failure;
}

template <class Variant>
[[nodiscard]] Expected<Variant> parse_one_of(std::span<char> text, CheckValue check,
                                             Salvage* salvage) {
  Expected<Variant> result;
  const auto failure = parse_message(text, Rows<Variant>::kRows, check, &*result,
                                     std::get<Unknown>(*result), salvage);
  if (failure) result = tl::unexpected<Error>(*failure);
  return result;
}

}  // namespace

Expected<DeviceMessage> parse_device_message(std::span<char> text, Salvage* salvage) {
  return parse_one_of<DeviceMessage>(text, check_device_value, salvage);
}

Expected<HubMessage> parse_hub_message(std::span<char> text, Salvage* salvage) {
  return parse_one_of<HubMessage>(text, nullptr, salvage);
}

std::optional<HubMessage> parse_cut_hub_message(std::span<char> text) {
  constexpr std::array<std::string_view, 4> kNames{"type", "turn", "text", "interim"};
  constexpr std::size_t kText = 2;
  std::array<Item, kNames.size() + 1> found;  // of each, and of all others together
  const auto& [type, turn, body, interim, others] = found;
  JsonReader reader({text.data(), text.size()});
  if (reader.step() != Token::begin_object) return std::nullopt;
  // Members that are complete, and the text, which may be the one that is cut.
  while (reader.step() == Token::key) {
    std::size_t at = 0;
    while (at < kNames.size() && !raw_equals(reader.item().text, kNames[at])) ++at;
    if (reader.step() == Token::fault) {
      const auto from = reader.cut_string();
      if (from && at == kText) {  // no other member may be in part
        found[at] = Item{Token::string,
                         std::string_view(text.data() + *from, reader.offset() - *from), true, 0};
      }
      break;
    }
    found[at] = reader.item();
    if (!reader.skip_rest()) break;
  }
  if (body.token != Token::string) return std::nullopt;
  const std::string_view shown = decode_in_place(body.text, text);
  const bool has_turn = turn.token == Token::string && !turn.escaped;
  const std::string_view of_turn = has_turn ? turn.text : std::string_view();
  if (raw_equals(type.text, "reply")) {
    return Reply{of_turn, shown, interim.token == Token::boolean && interim.text == "true"};
  }
  if (raw_equals(type.text, "reply.delta")) return ReplyDelta{of_turn, shown};
  return std::nullopt;
}

}  // namespace gadget::protocol
