// load.cpp - values from texts, files, the environment and the command line.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <toml++/toml.h>

#include "base/files.hpp"
#include "hub/config/options.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kVersionKey = "config_version";

tl::unexpected<Failure> wrong(std::string text, std::string hint = {}) {
  return fail(FailureCode::invalid_argument, std::move(text), std::move(hint));
}

std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

// "speech.profile" and "[speech] profile" are "speech_profile".
std::string flat(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

Result<void> set_text(Config& config, const Option& option, std::string_view value) {
  const std::string key(option.key);
  if (const auto* field = std::get_if<TextField>(&option.field)) {
    config.*field->member = std::string(value);
  } else if (const auto* secret = std::get_if<SecretField>(&option.field)) {
    config.*secret->member = std::string(value);
  } else if (const auto* choice = std::get_if<ChoiceField>(&option.field)) {
    if (std::find(choice->choices.begin(), choice->choices.end(), value) == choice->choices.end()) {
      std::string all;
      for (const auto& one : choice->choices) all += (all.empty() ? "" : ", ") + std::string(one);
      return wrong(key + " cannot be " + quote(value), "it is one of: " + all);
    }
    config.*choice->member = std::string(value);
  } else {
    return wrong(key + " is not a text");
  }
  return {};
}

Result<void> set_number(Config& config, const Option& option, std::int64_t value) {
  const auto* field = std::get_if<NumberField>(&option.field);
  if (field == nullptr) return wrong(std::string(option.key) + " is not a number");
  if (value < field->min || value > field->max) {
    return wrong(std::string(option.key) + " cannot be " + std::to_string(value),
                 "it is " + std::to_string(field->min) + " to " + std::to_string(field->max));
  }
  config.*field->member = value;
  return {};
}

Result<void> set_switch(Config& config, const Option& option, bool value) {
  const auto* field = std::get_if<SwitchField>(&option.field);
  if (field == nullptr) return wrong(std::string(option.key) + " is not true or false");
  config.*field->member = value;
  return {};
}

Result<void> set_list(Config& config, const Option& option, std::vector<std::string> items) {
  const auto& field = std::get<ListField>(option.field);
  for (const std::string& item : items) {
    if (!field.fits(item)) {
      return wrong(std::string(option.key) + " cannot hold " + quote(item),
                   "each is " + std::string(field.what));
    }
  }
  config.*field.member = std::move(items);
  return {};
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return items;
}

Result<const Option*> known(std::string_view key) {
  if (const Option* option = find_option(key)) return option;
  const std::string_view nearest = nearest_key(key);
  return wrong(
      "there is no setting " + quote(key),
      nearest.empty() ? "see: hermes-gadget config" : "did you mean " + std::string(nearest) + "?");
}

Result<void> set_node(Config& config, const Option& option, const toml::node& node) {
  const std::string key(option.key);
  if (const auto text = node.value_exact<std::string>()) return set_text(config, option, *text);
  if (const auto number = node.value_exact<std::int64_t>()) {
    return set_number(config, option, *number);
  }
  if (const auto on = node.value_exact<bool>()) return set_switch(config, option, *on);
  const toml::array* array = node.as_array();
  if (!std::holds_alternative<ListField>(option.field) || array == nullptr)
    return wrong(key + " has a value of another kind");
  std::vector<std::string> items;
  for (const toml::node& element : *array) {
    const auto item = element.value_exact<std::string>();
    if (!item) return wrong(key + " is a list of texts");
    items.push_back(*item);
  }
  return set_list(config, option, std::move(items));
}

// Prefixes what went wrong with where it stands.
Failure at(Failure failure, std::string_view name, const toml::source_position& where) {
  failure.text = std::string(name) + ":" + std::to_string(where.line) + ": " + failure.text;
  return failure;
}

Result<void> set_table(Config& config, const toml::table& table, const std::string& prefix,
                       std::string_view name) {
  for (const auto& [raw_key, node] : table) {
    const std::string key = prefix + flat(raw_key.str());
    if (const toml::table* inner = node.as_table()) {
      if (auto done = set_table(config, *inner, key + "_", name); !done) return done;
      continue;
    }
    if (key == kVersionKey) continue;
    auto done = known(key).and_then(
        [&, &value = node](const Option* option) { return set_node(config, *option, value); });
    if (!done) return tl::unexpected(at(std::move(done.error()), name, raw_key.source().begin));
  }
  return {};
}

// A newer file may mean other things by the same keys, so it is refused whole (design rule 14).
Result<void> check_version(const toml::table& table, std::string_view name) {
  const toml::node* node = table.get(kVersionKey);
  if (node == nullptr) return {};
  const auto version = node->value_exact<std::int64_t>();
  if (!version || *version < 1) {
    return wrong(std::string(name) + ": config_version is a whole number, 1 or more");
  }
  if (*version > kConfigVersion) {
    return fail(FailureCode::refused,
                std::string(name) + " is of config_version " + std::to_string(*version) +
                    "; this program reads version " + std::to_string(kConfigVersion),
                "use the newer program that it was written for");
  }
  return {};
}

Result<void> check_together(const Config& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return wrong(std::string(config.tls_cert.empty() ? "tls_key" : "tls_cert") +
                     " is set, but not " + (config.tls_cert.empty() ? "tls_cert" : "tls_key"),
                 "wss:// needs both");
  }
  const bool is_plain = std::all_of(config.path.begin(), config.path.end(),
                                    [](char c) { return c > ' ' && c < '\x7f'; });
  if (!config.path.starts_with('/') || !is_plain ||
      config.path.find_first_of("?#") != std::string::npos) {
    return wrong("path cannot be " + quote(config.path),
                 "it begins with a slash and has no query, such as /gadget");
  }
  if (config.host.empty()) return wrong("host is empty", "127.0.0.1 is this machine only");
  return {};
}

Result<void> read_file(Config& config, const std::filesystem::path& given) {
  const std::filesystem::path file = given.empty() ? files::default_config_file() : given;
  auto text = files::read(file, kMaxConfigBytes);
  if (!text) {
    if (given.empty() && text.error().code == FailureCode::not_found) return {};
    return tl::unexpected(std::move(text.error()));
  }
  return read_toml(config, *text, file.string());
}

}  // namespace

std::filesystem::path Config::state_folder() const {
  return state.empty() ? files::default_state_folder() : std::filesystem::path(state);
}

Result<Setting> parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return wrong("--set " + quote(text) + " is not KEY=VALUE", "such as --set heartbeat_s=30");
  }
  return Setting{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<void> set(Config& config, std::string_view key, std::string_view value) {
  auto option = known(flat(key));
  if (!option) return tl::unexpected(std::move(option.error()));
  if (std::holds_alternative<NumberField>((*option)->field)) {
    std::int64_t number = 0;
    const auto end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) {
      return wrong(std::string(key) + " cannot be " + quote(value), "it is a whole number");
    }
    return set_number(config, **option, number);
  }
  if (std::holds_alternative<SwitchField>((*option)->field)) {
    if (value != "true" && value != "false") {
      return wrong(std::string(key) + " cannot be " + quote(value), "it is true or false");
    }
    return set_switch(config, **option, value == "true");
  }
  if (std::holds_alternative<ListField>((*option)->field)) {
    return set_list(config, **option, split_list(value));
  }
  return set_text(config, **option, value);
}

Result<void> read_toml(Config& config, std::string_view text, std::string_view name) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return tl::unexpected(at({FailureCode::invalid_argument, std::string(error.description()),
                              "the file is TOML: KEY = VALUE, texts in quotes"},
                             name, error.source().begin));
  }
  if (auto fits = check_version(table, name); !fits) return fits;
  return set_table(config, table, {}, name);
}

Result<Config> load_config(const ConfigSources& sources) {
  Config config;
  if (auto done = read_file(config, sources.file); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (const char* token = std::getenv(kAccessTokenVariable); token != nullptr && *token != '\0') {
    config.access_token = token;
  }
  for (const Setting& setting : sources.set) {
    if (auto done = set(config, setting.key, setting.value); !done) {
      return tl::unexpected(std::move(done.error()));
    }
  }
  for (const Setting& setting : sources.set) {
    const Option* option = find_option(flat(setting.key));
    if (std::holds_alternative<SecretField>(option->field)) config.token_is_visible = true;
  }
  for (const Setting& setting : sources.direct) {
    if (auto done = set(config, setting.key, setting.value); !done) {
      return tl::unexpected(std::move(done.error()));
    }
  }
  if (auto fits = check_together(config); !fits) return tl::unexpected(std::move(fits.error()));
  return config;
}

}  // namespace gadget::hub
