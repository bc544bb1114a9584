// encode.hpp - messages as text for one device: shaped to its charset, cut to what it can take (R9,
// E33).
//
// Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "protocol/codec.hpp"
#include "protocol/messages.hpp"

namespace gadget::hub {

// What the device of these caps can show: valid UTF-8 without control characters, folded to ASCII
// when that is its charset. `plain` means every character as it stands; `screen` may hold Markdown.
[[nodiscard]] std::string plain(std::string_view text, protocol::Charset charset);
[[nodiscard]] std::string screen(std::string_view markdown, protocol::Charset charset);

// A name for storing, logging and printing: one line, no control characters, at most `max` code
// points (E6).
[[nodiscard]] std::string one_line(std::string_view text, std::size_t max);

// Bytes that a text takes inside a JSON string as JsonWriter writes it.
[[nodiscard]] std::size_t json_bytes(std::string_view text);

// At most so many bytes of JSON, cut at a character, with an ellipsis (E33). `text` is valid UTF-8.
[[nodiscard]] std::string fit_json(std::string_view text, std::size_t max_json_bytes);

// The message as text; empty when it does not fit into `buffer`, which holds any message of the hub
// whose texts were cut before.
template <class Message>
[[nodiscard]] std::string encode(const Message& message, std::span<char> buffer) {
  const auto text = protocol::write_message(message, buffer);
  return text ? std::string(*text) : std::string();
}

// The same with one text of it cut so that the whole is at most `max_bytes`.
template <class Message>
[[nodiscard]] std::string encode_fitting(Message message, std::string_view Message::*member,
                                         std::size_t max_bytes, std::span<char> buffer) {
  const std::string_view text = message.*member;
  message.*member = ".";  // an empty text would be left out
  const std::size_t around = encode(message, buffer).size() - 1;
  const std::string cut = fit_json(text, max_bytes > around ? max_bytes - around : 0);
  message.*member = cut;
  return encode(message, buffer);
}

}  // namespace gadget::hub
