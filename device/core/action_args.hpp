// action_args.hpp - what an action takes, written once as a table: its JSON Schema for the manifest
// (H6) and the check of what an agent sends (E37) both come from it.
//
//   constexpr ArgSpec kArgs[] = {
//       {.name = "percent", .type = ArgType::integer, .min = 0, .max = 100}};
//
// What an action names no argument for is ignored (T9), unless its table is closed. No heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class ArgType : std::uint8_t {
  integer,  // a whole number without point or exponent
  number,
  boolean,
  text,
  choice,  // one of `words`
};

// One argument. Views live as long as the Gadget.
struct ArgSpec {
  std::string_view name;
  ArgType type = ArgType::text;
  std::string_view description = {};  // written for the model; empty: none
  std::int32_t min = 0;               // integer, number; min == max: any
  std::int32_t max = 0;
  std::uint16_t max_length = 0;  // text, in characters; 0: any
  std::string_view words = {};   // choice: with one blank between them
  bool optional = false;
};

// Arguments of one action. Beyond: those that follow are neither told nor taken.
inline constexpr std::size_t kMaxArgs = 16;

// All arguments of an action.
struct ArgTable {
  std::span<const ArgSpec> args = {};
  bool closed = false;  // refuses arguments of other names
};

// Writes the JSON Schema object.
void write_schema(const ArgTable& table, protocol::JsonWriter& out);

// Whether `args` (a JSON value, or empty as `{}`) fits. Returns what is wrong as a sentence, which
// may lie in `room`; empty: it fits. Never inlined: its reader would lie on the stack of the
// action.
[[nodiscard, gnu::noinline]] std::string_view find_fault(const ArgTable& table, protocol::Json args,
                                                         std::span<char> room);

// The arguments of one call, checked by find_fault(). Each is looked up when it is asked for;
// nothing when it was not given. Borrows the message: valid during Actions::run().
class ActionArgs {
 public:
  explicit ActionArgs(protocol::Json json) : json_(json) {}

  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view name) const;
  // Which of `words`, from 0 on.
  [[nodiscard]] std::optional<std::size_t> choice(std::string_view name,
                                                  std::string_view words) const;
  // A text, decoded into `room`; nothing also when it is longer than that. Six bytes for each
  // character of max_length are always enough.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view name,
                                                     std::span<char> room) const;
  // All of it as it was sent; may be empty.
  [[nodiscard]] protocol::Json json() const { return json_; }

 private:
  [[nodiscard]] std::optional<protocol::Item> find(std::string_view name,
                                                   protocol::Token token) const;
  protocol::Json json_;
};

// Word number `index` of `words`; empty beyond the last.
[[nodiscard]] std::string_view word_at(std::string_view words, std::size_t index);

}  // namespace gadget::device
