// owner_client.hpp - asks the hub that runs on a state folder (hub/owner/owner_api.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/failure.hpp"

namespace gadget::cli {

// What every owner command takes.
struct OwnerArgs {
  std::string state;    // empty: the default folder
  std::string hub_url;  // of the owner's API over TCP; empty: the socket in the state folder
  bool json = false;
  [[nodiscard]] std::filesystem::path folder() const;
};

// The environment variable that counts where --hub-url and --state are not given.
inline constexpr const char* kHubUrlVariable = "GADGET_HUB_URL";

// "http://127.0.0.1:8780", "http://[::1]:8780/": its numeric host and its port. Error:
// invalid_argument.
struct HubUrl {
  std::string host;
  std::uint16_t port = 0;
};
[[nodiscard]] Result<HubUrl> parse_hub_url(std::string_view text);

struct Answer {
  std::string text;            // as the hub sent it, one line
  boost::json::object object;  // the same, parsed
};

// How long the hub may take for what it does at once.
inline constexpr auto kAnswerTimeout = std::chrono::seconds{10};
// For what waits for a person or a device; the hub has limits of its own.
inline constexpr auto kNoTimeout = std::chrono::seconds{0};

// Errors: no_hub, and whatever the hub answers, with its code, text and hint.
// An answer that is no JSON.
[[nodiscard]] Result<std::string> get_bytes(const OwnerArgs& owner, std::string_view target);
[[nodiscard]] Result<Answer> get(const OwnerArgs& owner, std::string_view target);
[[nodiscard]] Result<Answer> post(const OwnerArgs& owner, std::string_view target,
                                  const boost::json::object& body,
                                  std::chrono::milliseconds timeout = kAnswerTimeout);

// An answer that goes on: `event` gets the data of each server-sent event; false ends it. Blocks
// until then, or until the hub ends it (io).
[[nodiscard]] Result<void> follow(const OwnerArgs& owner, std::string_view target,
                                  const std::function<bool(const boost::json::object&)>& event);

// Sends a file as it is; what belongs to it stands in the query of `target` (percent_encoded()).
[[nodiscard]] Result<Answer> post_file(const OwnerArgs& owner, std::string_view target,
                                       std::string_view file, std::chrono::milliseconds timeout);
[[nodiscard]] std::string percent_encoded(std::string_view text);

// The member as text; empty when there is none.
[[nodiscard]] std::string text_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] bool flag_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::int64_t number_of(const boost::json::object& object, std::string_view key);
// The objects of an array member.
[[nodiscard]] std::vector<boost::json::object> rows_of(const boost::json::object& object,
                                                       std::string_view key);

}  // namespace gadget::cli
