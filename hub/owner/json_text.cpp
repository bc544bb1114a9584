#include "hub/owner/json_text.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace gadget::hub {
namespace {

namespace json = boost::json;

// The depth is bounded by whoever parsed the value.
void append(std::string& out, const json::value& value) {
  if (const json::object* object = value.if_object()) {
    out += '{';
    for (const auto& [key, member] : *object) {
      if (out.back() != '{') out += ',';
      out += json::serialize(json::string(key)) + ":";
      append(out, member);
    }
    out += '}';
  } else if (const json::array* array = value.if_array()) {
    out += '[';
    for (const json::value& element : *array) {
      if (out.back() != '[') out += ',';
      append(out, element);
    }
    out += ']';
  } else if (const double* number = value.if_double()) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number);
    out.append(digits.data(), end.ptr);
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::string json_text(const json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace gadget::hub
