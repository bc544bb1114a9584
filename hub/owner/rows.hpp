// rows.hpp - JSON of the owner API: the fields of a request, the rows of an answer. Private to
// hub/owner.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "hub/core/hub.hpp"

namespace gadget::hub {

// How long a card stays when its sender does not say (E35).
inline constexpr Millis kDefaultCardMs = 15'000;
// The same for a picture.
inline constexpr Millis kDefaultPictureMs = 30'000;
// Deepest nesting of a request. Beyond: invalid_argument.
inline constexpr std::size_t kMaxOwnerJsonDepth = 32;

// The body of a request: a JSON object. Errors (invalid_argument) name the field.
class Fields {
 public:
  [[nodiscard]] static Result<Fields> parse(std::string_view body);  // empty: no fields

  // The query of a target, "device=kitchen&ttl_s=5": texts, percent-decoded; those named `numbers`
  // are numbers.
  [[nodiscard]] static Result<Fields> parse_query(std::string_view query,
                                                  std::initializer_list<std::string_view> numbers);

  [[nodiscard]] Result<std::string> text(std::string_view key) const;
  [[nodiscard]] Result<std::string> text_or(std::string_view key, std::string_view absent) const;
  [[nodiscard]] Result<double> number(std::string_view key) const;
  // Seconds in the request, milliseconds here.
  [[nodiscard]] Result<Millis> milliseconds_or(std::string_view key, Millis absent) const;
  // "true" or "false", as a query has them; absent: false.
  [[nodiscard]] Result<bool> yes_or_no(std::string_view key) const;
  // A whole number of a query, 0 to 999,999,999.
  [[nodiscard]] Result<std::int64_t> whole_or(std::string_view key, std::int64_t absent) const;
  // An object as JSON text; a text that holds one is taken as it stands.
  [[nodiscard]] Result<std::string> json_object_or(std::string_view key,
                                                   std::string_view absent) const;
  // The device that `device` names, by id or name.
  [[nodiscard]] Result<DeviceId> device(Hub& hub) const;

 private:
  explicit Fields(boost::json::object object) : object_(std::move(object)) {}
  boost::json::object object_;
};

[[nodiscard]] boost::json::object device_object(const DeviceId& id);
// A device as a row of `devices`, and with all that is known of it.
[[nodiscard]] boost::json::object device_row(const DeviceStatus& device);
[[nodiscard]] boost::json::object device_details(const DeviceStatus& device);
// Digits only; nothing for anything else, and for more than fits.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
[[nodiscard]] Result<boost::json::object> pairing_rows(Hub& hub);
[[nodiscard]] tl::unexpected<Failure> no_such_call(std::string_view path);

}  // namespace gadget::hub
