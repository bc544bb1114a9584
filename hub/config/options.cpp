#include "hub/config/options.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/address.hpp"
#include "protocol/limits.hpp"

namespace gadget::hub {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

constexpr std::array<std::string_view, 4> kProfiles{"auto", "full", "small", "minimal"};
constexpr std::array<std::string_view, 3> kAgents{"builtin", "echo", "hermes"};
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

// The longest utterance that may be allowed: ten minutes of speech are 19 MB at 16 kHz.
constexpr std::int64_t kMaxUtteranceLimitS = 600;
// What `turns` can look back at takes 8 MB at most, whatever this says.
constexpr std::int64_t kMaxTurnsKept = 100'000;
// More loops than a machine has cores only get in each other's way.
constexpr std::int64_t kMaxLoops = 64;
// More sockets than this need more file descriptors than a process may have.
constexpr std::int64_t kMaxSocketsLimit = 1'000'000;

// A host as a browser names it: letters, digits, dots and dashes, or IPv6 in brackets. No
// wildcards.
bool is_host(std::string_view text) {
  std::string host;
  std::uint16_t port = 0;
  if (!split_host(text, host, port)) return false;
  if (text.starts_with('[')) return !canonical_address(host).empty();
  return host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_") == std::string::npos;
}
bool is_origin(std::string_view text) {
  if (text == "file://") return true;  // known without being said
  Origin origin;
  return parse_origin(text, origin) && is_host(text.substr(text.find("://") + 3));
}
bool is_numeric_address(std::string_view text) { return !canonical_address(text).empty(); }

const std::array kOptions{
    Option{
        "host", TextField{&Config::host}, Takes::at_start,
        "The address that devices connect to: a name or a number of this machine. The default is "
        "reachable from this machine only; 0.0.0.0 is every network that it is on."},
    Option{"port", NumberField{&Config::port, 0, 65'535}, Takes::at_start,
           "The TCP port. 0 picks a free one; the line `ready ws://...` says which."},
    Option{"path", TextField{&Config::path}, Takes::at_start,
           "The path of the device URL. It begins with a slash."},
    Option{"state", TextField{&Config::state}, Takes::at_start,
           "The folder of keys, approvals, lists and the owner's socket. Empty: the default folder "
           "(XDG_STATE_HOME/hermes-gadget, or ~/.local/state/hermes-gadget)."},
    Option{
        "agent", ChoiceField{&Config::agent, kAgents}, Takes::at_start,
        "Who answers: `builtin` (works without a network), `hermes` (Hermes Agent by its plugin, "
        "which then also says who may talk; docs/hermes.md) or `echo` (repeats, for tests)."},
    Option{"server_name", TextField{&Config::server_name}, Takes::by_reload,
           "The name that the hub gives itself when it welcomes a device."},
    Option{
        "timezone", TextField{&Config::timezone}, Takes::by_reload,
        "The time zone of alarms and of the time that is told, such as Europe/Berlin. Empty: the "
        "system's."},
    Option{"access_token", SecretField{&Config::access_token}, Takes::by_reload,
           "A word that every device must send before it may even enrol. Better in the environment "
           "variable GADGET_ACCESS_TOKEN: others see a command line. Empty: none."},
    Option{"tls_cert", TextField{&Config::tls_cert}, Takes::at_start,
           "The certificate chain (PEM) for wss://. Needs tls_key. Empty: ws://, which hides "
           "nothing."},
    Option{"tls_key", TextField{&Config::tls_key}, Takes::at_start,
           "The private key (PEM) of tls_cert."},
    Option{"hosts",
           ListField{&Config::hosts, is_host,
                     "a name, with a port or without, such as gadget.lan:8443"},
           Takes::by_reload,
           "Further names under which browsers reach this hub, such as gadget.lan or "
           "gadget.lan:8443. A page asked for under another name is refused."},
    Option{"origins",
           ListField{&Config::origins, is_origin,
                     "a scheme and a name, such as https://panel.example"},
           Takes::by_reload,
           "Further web origins whose pages may connect as a device, such as "
           "https://panel.example. Devices that are no browser send none and are not concerned."},
    Option{
        "proxies",
        ListField{&Config::proxies, is_numeric_address, "a numeric address, such as 192.168.1.2"},
        Takes::by_reload,
        "Numeric addresses of reverse proxies in front of this hub: behind them a device's "
        "address is taken from X-Forwarded-For."},
    Option{
        "heartbeat_s",
        NumberField{&Config::heartbeat_s, protocol::kMinHubHeartbeatS, protocol::kMaxHubHeartbeatS},
        Takes::by_reload,
        "Seconds between two pings; a device that is silent for three of them is gone. At most "
        "55, because proxies cut a connection that is idle for 60 s."},
    Option{"max_utterance_s", NumberField{&Config::max_utterance_s, 1, kMaxUtteranceLimitS},
           Takes::by_reload,
           "Seconds after which a recording ends; what was heard until then is used."},
    Option{"max_unauthenticated", NumberField{&Config::max_unauthenticated, 1, kMaxSocketsLimit},
           Takes::by_reload,
           "How many connections may be open that have not shown their key yet. At the limit the "
           "oldest goes."},
    Option{"max_unauthenticated_per_address",
           NumberField{&Config::max_unauthenticated_per_address, 1, kMaxSocketsLimit},
           Takes::by_reload, "The same for one address. At the limit newcomers get HTTP 503."},
    Option{
        "speech_profile", ChoiceField{&Config::speech_profile, kProfiles}, Takes::at_start,
        "Which engines hear and speak: `full` (Moonshine base, natural voice), `small` (Moonshine "
        "tiny, Flite), `minimal` (PocketSphinx, Flite), `auto` (the best that is installed). What "
        "is not installed is replaced by the next best; see `hermes-gadget speech check`."},
    Option{"speak_replies", SwitchField{&Config::speak_replies}, Takes::by_reload,
           "Whether answers are spoken on devices that have a speaker."},
    Option{
        "hub_loops", NumberField{&Config::hub_loops, 1, kMaxLoops}, Takes::at_start,
        "How many event loops the hub runs on, each a thread. With 1 the one loop does all. With "
        "more, the first one keeps the hub's state and the others the connections: reading and "
        "writing, TLS, WebSocket. Raise it when one processor is not enough (see operate.md); "
        "more than there are cores helps nobody. Also written hub.loops."},
    Option{"metrics_listen", TextField{&Config::metrics_listen}, Takes::at_start,
           "Where /metrics (Prometheus) and /healthz are served, such as 127.0.0.1:9464. Whoever "
           "reaches that address can read them. Empty: nowhere."},
    Option{"log_level", ChoiceField{&Config::log_level, kLevels}, Takes::by_reload,
           "What is logged on the standard error stream: debug, info, warning or error. Only debug "
           "shows what people say."},
    Option{"turns_kept", NumberField{&Config::turns_kept, 0, kMaxTurnsKept}, Takes::at_start,
           "How many turns `hermes-gadget turns` can look back at, in memory only. 0: none."},
    Option{"turn_texts", SwitchField{&Config::turn_texts}, Takes::by_reload,
           "Whether what was asked and answered is kept with them, for the owner to read. Tell the "
           "people who use the devices."},
    Option{
        "owner_listen", TextField{&Config::owner_listen}, Takes::at_start,
        "Where the owner's API is served over HTTP besides the socket in the state folder, such "
        "as 127.0.0.1:8780. This machine only, and only with the owner's token. Empty: nowhere."},
    Option{"owner_token_file", TextField{&Config::owner_token_file}, Takes::at_start,
           "The file with the owner's token, readable by its user only. The environment variable "
           "GADGET_OWNER_TOKEN counts before it. Empty: owner.token in the state folder, which the "
           "hub makes."},
};

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr std::string_view hex = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      out += "\\u00";
      out += hex[code >> 4U];
      out += hex[code & 0xfU];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// How many letters must change to make `a` into `b` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const Option> options() { return kOptions; }

const Option* find_option(std::string_view key) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(),
                                  [&](const Option& option) { return option.key == key; });
  return found == kOptions.end() ? nullptr : &*found;
}

std::vector<std::string_view> changed_keys(const Config& before, const Config& after) {
  std::vector<std::string_view> changed;
  for (const Option& option : kOptions) {
    const auto* const secret = std::get_if<SecretField>(&option.field);
    const bool same = secret != nullptr ? before.*secret->member == after.*secret->member
                                        : value_text(option, before) == value_text(option, after);
    if (!same) changed.push_back(option.key);
  }
  return changed;
}

void keep_what_waits(const Config& now, Config& next) {
  for (const Option& option : kOptions) {
    if (option.takes == Takes::by_reload) continue;
    std::visit([&](const auto& field) { next.*field.member = now.*field.member; }, option.field);
  }
}

bool taken_by_reload(std::string_view key) {
  const Option* const option = find_option(key);
  return option != nullptr && option->takes == Takes::by_reload;
}

std::string_view nearest_key(std::string_view wrong) {
  std::string_view nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Option& option : kOptions) {
    // A unit that was left out is the likeliest mistake: "heartbeat" for "heartbeat_s".
    const bool begins = wrong.size() >= 4 && option.key.starts_with(wrong);
    const std::size_t distance = begins ? 1 : edit_distance(wrong, option.key);
    if (distance < least) {
      least = distance;
      nearest = option.key;
    }
  }
  return least <= std::max<std::size_t>(2, wrong.size() / 3) ? nearest : std::string_view();
}

std::string value_text(const Option& option, const Config& config) {
  return std::visit(
      Overloaded{
          [&](const TextField& field) { return literal(config.*field.member); },
          [&](const SecretField& field) {
            return std::string((config.*field.member).empty() ? "false" : "true");
          },
          [&](const ChoiceField& field) { return literal(config.*field.member); },
          [&](const NumberField& field) { return std::to_string(config.*field.member); },
          [&](const SwitchField& field) {
            return std::string(config.*field.member ? "true" : "false");
          },
          [&](const ListField& field) {
            std::string out = "[";
            for (const std::string& item : config.*field.member) {
              out += (out.size() > 1 ? ", " : "") + literal(item);
            }
            return out + "]";
          },
      },
      option.field);
}

}  // namespace gadget::hub
