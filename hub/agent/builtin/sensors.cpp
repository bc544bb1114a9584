#include <algorithm>
#include <array>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

// What people ask for whether a device has it or not.
constexpr std::array<std::string_view, 9> kKnown = {"temperature", "humidity", "battery",
                                                    "brightness",  "pressure", "noise",
                                                    "moisture",    "co2",      "signal"};

constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"c", "degrees Celsius"},
    {"degc", "degrees Celsius"},
    {"celsius", "degrees Celsius"},
    {"f", "degrees Fahrenheit"},
    {"fahrenheit", "degrees Fahrenheit"},
    {"k", "kelvin"},
    {"pct", "percent"},
    {"percent", "percent"},
    {"hpa", "hectopascals"},
    {"pa", "pascals"},
    {"kpa", "kilopascals"},
    {"mbar", "millibars"},
    {"lux", "lux"},
    {"lx", "lux"},
    {"v", "volts"},
    {"volts", "volts"},
    {"mv", "millivolts"},
    {"a", "amperes"},
    {"ma", "milliamperes"},
    {"w", "watts"},
    {"kw", "kilowatts"},
    {"wh", "watt hours"},
    {"kwh", "kilowatt hours"},
    {"ppm", "parts per million"},
    {"ppb", "parts per billion"},
    {"db", "decibels"},
    {"dbm", "decibel milliwatts"},
    {"mm", "millimeters"},
    {"cm", "centimeters"},
    {"m", "meters"},
    {"km", "kilometers"},
    {"kmh", "kilometers per hour"},
    {"kg", "kilograms"},
    {"g", "grams"},
    {"s", "seconds"},
    {"ms", "milliseconds"},
    {"min", "minutes"},
    {"h", "hours"},
    {"hz", "hertz"},
    {"rpm", "turns per minute"},
    {"deg", "degrees"},
    {"l", "liters"},
};

// Words around the name of a sensor that say nothing.
bool glue(std::string_view w) {
  constexpr std::array<std::string_view, 13> kGlue = {"the",     "a",    "of",  "level", "sensor",
                                                      "your",    "room", "air", "value", "reading",
                                                      "current", "in",   "is"};
  return std::find(kGlue.begin(), kGlue.end(), w) != kGlue.end();
}

std::string_view unit_of(std::string_view word) {
  for (const auto& [key, unit] : kUnits) {
    if (key == word) return unit;
  }
  return {};
}

std::vector<std::string> words_of(std::string_view sensor) {
  auto words = plain_words(sensor);
  if (words.size() > 1 && !unit_of(words.back()).empty()) words.pop_back();
  return words;
}

}  // namespace

SensorName sensor_name(std::string_view name) {
  const auto all = plain_words(name);
  const auto words = words_of(name);
  SensorName out;
  for (const auto& w : words) {
    if (!out.spoken.empty()) out.spoken += ' ';
    out.spoken += w == "temp"   ? "temperature"
                  : w == "batt" ? "battery"
                  : w == "hum"  ? "humidity"
                                : w;
  }
  if (all.size() > words.size()) out.unit = std::string(unit_of(all.back()));
  if (out.spoken.empty()) out.spoken = std::string(name);
  return out;
}

std::optional<std::vector<std::string>> match_sensors(std::string_view what,
                                                      const Context& context) {
  std::vector<std::string> asked;
  for (const auto& w : plain_words(what)) {
    if (!glue(w)) asked.push_back(w);
  }
  if (asked.empty() || asked.size() > 4) return std::nullopt;
  std::vector<std::string> found;
  for (const auto& sensor : context.sensors) {
    const auto words = words_of(sensor);
    const bool all = std::all_of(asked.begin(), asked.end(), [&](const std::string& w) {
      return std::any_of(words.begin(), words.end(), [&](const std::string& have) {
        return have == w || thing(have) == thing(w) || singular(have) == singular(w);
      });
    });
    if (all) found.push_back(sensor);
  }
  if (!found.empty()) return found;
  if (asked.size() == 1 &&
      std::find(kKnown.begin(), kKnown.end(), thing(asked[0])) != kKnown.end()) {
    return found;
  }
  return std::nullopt;
}

}  // namespace gadget::hub::builtin
