// frames.hpp - fields of the bridge's frames. Private to hub/bridge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace gadget::hub {

// A text field; nullopt when it is absent or no text.
[[nodiscard]] inline std::optional<std::string> text_of(const boost::json::object& frame,
                                                        std::string_view key) {
  const auto* value = frame.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

// A boolean field; `absent` when there is none.
[[nodiscard]] inline bool flag_of(const boost::json::object& frame, std::string_view key,
                                  bool absent) {
  const auto* value = frame.if_contains(key);
  return value != nullptr && value->is_bool() ? value->get_bool() : absent;
}

[[nodiscard]] inline std::optional<double> number_of(const boost::json::object& frame,
                                                     std::string_view key) {
  const auto* value = frame.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

}  // namespace gadget::hub
