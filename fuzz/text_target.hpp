// text_target.hpp - what both directions of text messages must keep, whatever comes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/codec.hpp"
#include "protocol/utf8.hpp"

namespace gadget::fuzz {

template <class Message>
void check_parts(const Message&) {}

inline void check_parts(const protocol::Hello& hello) {
  std::string buffer(hello.actions.text.size() + hello.sensors.text.size() + 1, '\0');
  protocol::ActionReader actions(hello.actions);
  while (const auto action = actions.next()) (void)action->name.decode(buffer);
  protocol::ReadingReader readings(hello.sensors);
  while (const auto reading = readings.next()) (void)reading->name.decode(buffer);
}

// Parses; then writes what was parsed and parses that: it must be taken, and be written the same.
template <class Parse>
void check_text(const std::uint8_t* data, std::size_t size, Parse parse) {
  std::vector<char> text(data, data + size);
  protocol::Salvage salvage;
  const auto message = parse(text, &salvage);
  if (!message) return;
  std::visit(
      [&](const auto& value) {
        using Message = std::decay_t<decltype(value)>;
        if constexpr (!std::is_same_v<Message, protocol::Unknown>) {
          check_parts(value);
          std::vector<char> first(8 * size + 4096);
          const auto written = protocol::write_message(value, first);
          if (!written) __builtin_trap();
          std::vector<char> again(written->begin(), written->end());
          const auto second = parse(again, nullptr);
          if (!second || !std::holds_alternative<Message>(*second)) __builtin_trap();
          std::vector<char> third(first.size());
          const auto rewritten = protocol::write_message(std::get<Message>(*second), third);
          if (!rewritten || *rewritten != *written) __builtin_trap();
        }
      },
      *message);
}

}  // namespace gadget::fuzz
