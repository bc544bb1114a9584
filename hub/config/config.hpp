// config.hpp - what the owner may set: one table of keys, from which come the file's reader,
// `--set`, `hermes-gadget config` and docs/config.md.
//
// Names are flat and carry their unit; the same in the file (TOML) and in `--set KEY=VALUE`. What
// comes later wins: default, file, environment (GADGET_ACCESS_TOKEN), `--set`, an option of its
// own. Plain values; safe from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::hub {

// The version of the file's format that this program reads; a newer one is refused.
inline constexpr std::int64_t kConfigVersion = 1;
// Longest configuration file. Beyond: invalid_argument.
inline constexpr std::size_t kMaxConfigBytes = 256 * 1024;
// The environment variable that holds the access token (H7), so that no command line shows it.
inline constexpr const char* kAccessTokenVariable = "GADGET_ACCESS_TOKEN";

struct Config {
  std::string host = "127.0.0.1";
  std::int64_t port = 8765;
  std::string path = "/gadget";
  std::string state;  // empty: the default folder
  std::string agent = "builtin";
  std::string server_name = "hermes-gadget";
  std::string timezone;           // empty: the system's
  std::string access_token;       // H7; empty: none
  bool token_is_visible = false;  // it came by a command line: worth a warning
  std::string tls_cert, tls_key;
  std::vector<std::string> hosts;    // E9: further names of this hub
  std::vector<std::string> origins;  // E9: further origins that may connect
  std::vector<std::string> proxies;  // E3: peers whose X-Forwarded-For counts
  std::int64_t heartbeat_s = 20;
  std::int64_t max_utterance_s = 60;
  std::int64_t max_unauthenticated = 1024;
  std::int64_t max_unauthenticated_per_address = 256;
  std::string speech_profile = "auto";
  bool speak_replies = true;
  std::int64_t hub_loops = 1;
  std::string metrics_listen;  // empty: no metrics
  std::string log_level = "info";
  std::string owner_listen;      // empty: the owner's API is on the socket only
  std::string owner_token_file;  // empty: STATE/owner.token
  std::int64_t turns_kept = 1000;
  bool turn_texts = false;

  [[nodiscard]] std::filesystem::path state_folder() const;
};

// One value from the command line: `--set heartbeat_s=30`, or `--port 0` as {"port", "0"}.
struct Setting {
  std::string key;
  std::string value;
};

// Splits KEY=VALUE. Error: invalid_argument.
[[nodiscard]] Result<Setting> parse_setting(std::string_view text);

// Sets one key from its text. Errors (invalid_argument) name the key; an unknown one comes with the
// nearest that exists.
[[nodiscard]] Result<void> set(Config& config, std::string_view key, std::string_view value);

// Reads a file's text; `name` is for messages, which say the line. Errors: invalid_argument,
// refused (a newer config_version).
[[nodiscard]] Result<void> read_toml(Config& config, std::string_view text, std::string_view name);

struct ConfigSources {
  std::filesystem::path file;   // empty: the default one, which need not exist
  std::vector<Setting> set;     // `--set`, in order
  std::vector<Setting> direct;  // options of their own (--host --port ...)
};

// All sources, in their order, and what must fit together.
[[nodiscard]] Result<Config> load_config(const ConfigSources& sources);

// The keys whose values differ.
[[nodiscard]] std::vector<std::string_view> changed_keys(const Config& before, const Config& after);
// Whether a running hub takes a new value of that key over (SIGHUP); else it counts at its next
// start.
[[nodiscard]] bool taken_by_reload(std::string_view key);
// Gives the keys of `next` that are not taken by a reload the values that they have in `now`.
void keep_what_waits(const Config& now, Config& next);

// Every key with its meaning, default and present value, as a TOML file that changes nothing: what
// is not default stands, the rest is commented. The access token is never shown.
[[nodiscard]] std::string to_toml(const Config& config);
// docs/config.md.
[[nodiscard]] std::string config_guide();
// hermes-gadget.toml(5), in the language of man.
[[nodiscard]] std::string config_manual(std::string_view version);
// A JSON object of key to value; the access token is shown as true or false.
[[nodiscard]] std::string to_json(const Config& config);

}  // namespace gadget::hub
