#include "hub/firmware/version.hpp"

#include <algorithm>

namespace gadget::hub {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view cleaned(std::string_view version) {
  if (version.size() > 1 && (version[0] == 'v' || version[0] == 'V') && is_digit(version[1])) {
    version.remove_prefix(1);
  }
  return version.substr(0, version.find('+'));
}

// Takes a run of digits, or of anything else up to the next digit, dot or hyphen, off the front.
std::string_view take_part(std::string_view& text) {
  const bool number = is_digit(text.front());
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end]) == number && text[end] != '.' &&
         text[end] != '-') {
    ++end;
  }
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end);
  return part;
}

int sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

int compare_parts(std::string_view left, std::string_view right) {
  const bool numbers = is_digit(left.front()) && is_digit(right.front());
  if (!numbers) return sign(left.compare(right));
  const auto significant = [](std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  const std::string_view a = significant(left);
  const std::string_view b = significant(right);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return sign(a.compare(b));
}

// Dotted parts, one by one. The shorter one is older: 1.2 < 1.2.1.
int compare_dotted(std::string_view left, std::string_view right) {
  for (;;) {
    while (!left.empty() && left.front() == '.') left.remove_prefix(1);
    while (!right.empty() && right.front() == '.') right.remove_prefix(1);
    if (left.empty() || right.empty()) {
      return left.empty() && right.empty() ? 0 : left.empty() ? -1 : 1;
    }
    if (const int order = compare_parts(take_part(left), take_part(right)); order != 0) {
      return order;
    }
  }
}

}  // namespace

int compare_versions(std::string_view left, std::string_view right) {
  left = cleaned(left);
  right = cleaned(right);
  const std::size_t left_dash = std::min(left.find('-'), left.size());
  const std::size_t right_dash = std::min(right.find('-'), right.size());
  const int order = compare_dotted(left.substr(0, left_dash), right.substr(0, right_dash));
  if (order != 0) return order;
  const std::string_view left_pre = left.substr(left_dash);
  const std::string_view right_pre = right.substr(right_dash);
  if (left_pre.empty() || right_pre.empty()) {
    return left_pre.empty() && right_pre.empty() ? 0 : left_pre.empty() ? 1 : -1;
  }
  return compare_dotted(left_pre, right_pre);
}

}  // namespace gadget::hub
