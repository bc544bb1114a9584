// error.hpp - how protocol/ and device/ report a failure: a value without heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tl/expected.hpp>

namespace gadget::protocol {

enum class ErrorCode : std::uint8_t {
  syntax,            // not JSON by RFC 8259
  invalid_utf8,      // not UTF-8
  truncated,         // the text ends inside a value
  too_deep,          // nested deeper than kMaxJsonDepth (E4)
  too_many_members,  // an object with more than kMaxJsonMembers (E4)
  duplicate_key,     // the same key twice in one object (E4)
  trailing_text,     // something follows the outermost value
  not_an_object,     // a message that is no JSON object (T4)
  missing_field,     // a required field is absent (T11)
  wrong_type,        // a field of another JSON type, null included (E4)
  wrong_value,       // the right type, but a value that the field cannot have
  too_long,          // an id beyond kMaxIdCodePoints, actions beyond their limits (E6)
  too_short,         // a binary message below its header (T5)
  unknown_channel,   // a binary message of a channel that v1 has not
  bad_base64,        // not the strict form of E5
  buffer_full,       // the caller's buffer is too small
};

// What went wrong, and where. `field` points to a literal, or to a static string; never null.
struct Error {
  ErrorCode code = ErrorCode::syntax;
  const char* field = "";
  std::uint32_t offset = 0;
};

template <class T>
using Expected = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> error(ErrorCode code, const char* field = "",
                                                 std::size_t offset = 0) {
  return tl::unexpected<Error>(Error{code, field, static_cast<std::uint32_t>(offset)});
}

// The stable name of a code: "missing_field".
[[nodiscard]] std::string_view name(ErrorCode code);

// A sentence for the `message` of an `error`: "device_id is missing". Returns the part of `out`
// that was written; what does not fit is cut.
[[nodiscard]] std::string_view describe(const Error& error, std::span<char> out);

}  // namespace gadget::protocol
