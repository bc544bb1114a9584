#include "speech/pins.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace gadget::speech {
namespace {

constexpr std::string_view kGroup = "# group: ";
constexpr std::string_view kHash = "--hash=sha256:";
constexpr std::size_t kHexDigits = 64;

// "# 13 MB, Apache-2.0"
bool read_comment(std::string_view comment, Pin& pin) {
  const auto* const end = comment.data() + comment.size();
  const auto [rest, error] = std::from_chars(comment.data(), end, pin.megabytes);
  const std::string_view tail(rest, static_cast<std::size_t>(end - rest));
  constexpr std::string_view kUnit = " MB, ";
  if (error != std::errc{} || !tail.starts_with(kUnit)) return false;
  pin.licence = tail.substr(kUnit.size());
  return !pin.licence.empty();
}

Result<Pin> read_pin(const std::string& line, const std::string& group) {
  Pin pin;
  pin.group = group;
  const auto comment = line.find("# ");
  std::istringstream words(line.substr(0, comment));
  std::string word;
  words >> word;
  const auto equals = word.find("==");
  bool good = equals != std::string::npos && comment != std::string::npos && !group.empty() &&
              read_comment(std::string_view(line).substr(comment + 2), pin);
  if (good) {
    pin.name = word.substr(0, equals);
    pin.version = word.substr(equals + 2);
  }
  while (good && words >> word) {
    good = word.starts_with(kHash) && word.size() == kHash.size() + kHexDigits;
    if (good) pin.sha256.push_back(word.substr(kHash.size()));
  }
  if (good && !pin.sha256.empty()) return pin;
  return fail(FailureCode::internal, "the list of pinned packages has a bad line: " + line);
}

}  // namespace

Result<std::vector<Pin>> parse_pins(std::string_view text) {
  std::vector<Pin> pins;
  std::istringstream lines{std::string(text)};
  std::string group;
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    joined += line;
    if (!joined.empty() && joined.back() == '\\') {
      joined.back() = ' ';
      continue;
    }
    if (joined.starts_with(kGroup)) {
      group = joined.substr(kGroup.size());
    } else if (!joined.empty() && joined.front() != '#') {
      auto pin = read_pin(joined, group);
      if (!pin) return tl::unexpected<Failure>(std::move(pin.error()));
      pins.push_back(std::move(*pin));
    }
    joined.clear();
  }
  return pins;
}

std::string requirement(const Pin& pin) {
  std::string line = pin.name + "==" + pin.version;
  for (const auto& hash : pin.sha256) line += " " + std::string(kHash) + hash;
  return line + "\n";
}

std::string wheel_name(const Pin& pin) {
  auto name = pin.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace gadget::speech
