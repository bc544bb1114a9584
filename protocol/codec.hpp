// codec.hpp - text messages to types and back (T4, T9, T11, E4-E7).
//
//   hub:     auto message = parse_device_message(bytes);   // decodes strings inside `bytes`
//   device:  if (!read_hub_message(bytes, room)) use(room.get<Reply>());
//   both:    auto text = write_message(Text{.id = "1", .text = "hello"}, buffer);
//
// No heap, no I/O; safe from any thread. The views of a parsed message live as long as the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/messages.hpp"

namespace gadget::protocol {

// What could be read of a message that is malformed, for those that are answered all the same (E34)
// and for logs.
struct Salvage {
  std::string_view type;  // empty: not even that
  std::string_view id;
};

// Parses what a device sent. Errors are malformed messages (E1); an unknown type is `Unknown`, no
// error. The checks come in the order of H7: JSON, type, then the fields in the order of their row.
[[nodiscard]] Expected<DeviceMessage> parse_device_message(std::span<char> text,
                                                           Salvage* salvage = nullptr);

// A message of a hub, in room that all types of them share. What a device parses into: a variant
// would bring code along for each of its types.
class HubMessageRoom {
 public:
  // Which type it is, by its place in HubMessage; 0: Unknown.
  [[nodiscard]] std::size_t index() const { return index_; }
  // REQUIRES: it is of this type.
  template <class Message>
  [[nodiscard]] const Message& get() const {
    return *reinterpret_cast<const Message*>(bytes_.data());
  }
  // Makes it a message of that type without any field, and returns where it lies.
  std::byte* become(std::size_t index) {
    bytes_ = {};
    index_ = index;
    return bytes_.data();
  }

 private:
  std::size_t index_ = 0;
  alignas(HubMessage) std::array<std::byte, sizeof(HubMessage)> bytes_;  // see become()
};

// Parses what a hub sent into `out`; returns what is wrong with it. Never inlined, as the next one:
// a device's stack ends where a message is dealt with.
[[nodiscard, gnu::noinline]] std::optional<Error> read_hub_message(std::span<char> text,
                                                                   HubMessageRoom& out,
                                                                   Salvage* salvage = nullptr);

// The beginning of a message that was too long for the device (E33): a `reply` or `reply.delta`
// with as much of its text as is there. False: any other. `text` is the prefix that was kept.
[[nodiscard, gnu::noinline]] bool read_cut_hub_message(std::span<char> text, HubMessageRoom& out);

// The same two for hosts, as a variant.
[[nodiscard]] Expected<HubMessage> parse_hub_message(std::span<char> text,
                                                     Salvage* salvage = nullptr);
[[nodiscard]] std::optional<HubMessage> parse_cut_hub_message(std::span<char> text);

// What the writer knows of a type of message: its name and fields. One for each type of
// messages.hpp.
struct MessageInfo;
template <class Message>
[[nodiscard]] const MessageInfo& info_of();  // instantiated in codec_write.cpp

// Writes a message, its `type` included. REQUIRES: `message` is of the type that `info` belongs to.
// Error: `buffer_full`.
[[nodiscard]] Expected<std::string_view> write_message(const MessageInfo& info, const void* message,
                                                       std::span<char> out);
// The same, of a message whose type is known here.
template <class Message>
[[nodiscard]] Expected<std::string_view> write_message(const Message& message,
                                                       std::span<char> out) {
  return write_message(info_of<Message>(), &message, out);
}

// The `type` of a message: "audio.start". Of Unknown: the type it came with.
template <class Message>
[[nodiscard]] std::string_view type_of(const Message& message);

// ---- Caps, actions, sensors: the parts of `hello` that hold more than one level
// ------------------------------------------

// Reads caps (H4). Errors name the member. `json` is text that check_json accepted.
[[nodiscard]] Expected<Caps> parse_caps(std::string_view json);
// Writes all members that are set.
void write_caps(const Caps& caps, JsonWriter& out);

// A JSON string as it stands in the text, between the quotes; the text around it stays valid JSON.
struct RawString {
  std::string_view raw;
  // Writes the decoded form, which is never longer than `raw`. REQUIRES: out.size() >= raw.size().
  std::string_view decode(std::span<char> out) const;
};

struct ActionManifest {
  RawString name;
  RawString description;  // "" when absent
  Json params;            // empty when absent
};

// Iterates over hello.actions after parse_device_message: every element is well-formed then (H6).
class ActionReader {
 public:
  explicit ActionReader(Json actions) : reader_(JsonReader::checked(actions.text)) {}
  [[nodiscard]] std::optional<ActionManifest> next();

 private:
  JsonReader reader_;
  bool begun_ = false;
};

struct Reading {
  enum class Kind : std::uint8_t { removed, boolean, number, text };
  RawString name;
  Kind kind = Kind::removed;
  std::string_view value;  // the token; of a text its raw characters
};

// Iterates over the readings of hello.sensors or state.sensors (S1).
class ReadingReader {
 public:
  explicit ReadingReader(Json sensors) : reader_(JsonReader::checked(sensors.text)) {}
  [[nodiscard]] std::optional<Reading> next();

 private:
  JsonReader reader_;
  bool begun_ = false;
};

}  // namespace gadget::protocol
