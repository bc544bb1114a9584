#include "protocol/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gadget::protocol {
namespace {

struct Row {
  std::string_view name;
  std::string_view phrase;  // follows the field's name
};

// In the order of ErrorCode.
constexpr std::array kRows{
    Row{"syntax", "is not JSON"},
    Row{"invalid_utf8", "is not UTF-8"},
    Row{"truncated", "ends too early"},
    Row{"too_deep", "is nested too deeply"},
    Row{"too_many_members", "has an object with too many members"},
    Row{"duplicate_key", "has a key twice"},
    Row{"trailing_text", "has text after its end"},
    Row{"not_an_object", "is not an object"},
    Row{"missing_field", "is missing"},
    Row{"wrong_type", "has a wrong type"},
    Row{"wrong_value", "has a wrong value"},
    Row{"too_long", "is too long"},
    Row{"too_short", "is too short"},
    Row{"unknown_channel", "has an unknown channel"},
    Row{"bad_base64", "is not base64 of the right length"},
    Row{"buffer_full", "does not fit"},
};
static_assert(kRows.size() == static_cast<std::size_t>(ErrorCode::buffer_full) + 1);

}  // namespace

std::string_view name(ErrorCode code) { return kRows[static_cast<std::size_t>(code)].name; }

std::string_view describe(const Error& error, std::span<char> out) {
  std::size_t size = 0;
  const auto put = [&](std::string_view text) {
    const std::size_t take = std::min(text.size(), out.size() - size);
    std::memcpy(out.data() + size, text.data(), take);
    size += take;
  };
  put(*error.field == '\0' ? std::string_view("the message") : std::string_view(error.field));
  put(" ");
  put(kRows[static_cast<std::size_t>(error.code)].phrase);
  return {out.data(), size};
}

}  // namespace gadget::protocol
