// owner_client.hpp - asks the hub that runs on a state folder (hub/owner/owner_api.hpp).
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/failure.hpp"

namespace gadget::cli {

// What every owner command takes.
struct OwnerArgs {
  std::string state;  // empty: the default folder
  bool json = false;
  [[nodiscard]] std::filesystem::path folder() const;
};

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
