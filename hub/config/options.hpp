// options.hpp - the table of all keys. Private to hub/config.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hub/config/config.hpp"

namespace gadget::hub {

struct TextField {
  std::string Config::*member;
};
struct SecretField {  // never printed, not taken from a command line
  std::string Config::*member;
};
struct ChoiceField {
  std::string Config::*member;
  std::span<const std::string_view> choices;
};
struct NumberField {
  std::int64_t Config::*member;
  std::int64_t min, max;
};
struct SwitchField {
  bool Config::*member;
};
struct ListField {
  std::vector<std::string> Config::*member;
  bool (*fits)(std::string_view item);  // whether it can ever be of use
  std::string_view what;                // what each item is, for whoever wrote another one
};
using Field =
    std::variant<TextField, SecretField, ChoiceField, NumberField, SwitchField, ListField>;

// Whether a running hub takes a new value over (SIGHUP), or only the next start.
enum class Takes : std::uint8_t { at_start, by_reload };

struct Option {
  std::string_view key;
  Field field;
  Takes takes;
  std::string_view about;  // whole sentences, one paragraph
};

[[nodiscard]] std::span<const Option> options();
[[nodiscard]] const Option* find_option(std::string_view key);
// The key that `wrong` was probably meant to be; empty when none is near.
[[nodiscard]] std::string_view nearest_key(std::string_view wrong);

// The value of an option as TOML and JSON write it alike.
[[nodiscard]] std::string value_text(const Option& option, const Config& config);

}  // namespace gadget::hub
