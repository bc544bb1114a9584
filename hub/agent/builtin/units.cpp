#include "hub/agent/builtin/units.hpp"

#include <cmath>
#include <utility>

namespace gadget::hub::builtin {
namespace {

using enum Dimension;

constexpr double kFahrenheitScale = 5.0 / 9.0;

constexpr Unit kUnits[] = {
    {"millimeter", "millimeters", length, 0.001},
    {"centimeter", "centimeters", length, 0.01},
    {"meter", "meters", length, 1},
    {"kilometer", "kilometers", length, 1000},
    {"inch", "inches", length, 0.0254},
    {"foot", "feet", length, 0.3048},
    {"yard", "yards", length, 0.9144},
    {"mile", "miles", length, 1609.344},
    {"nautical mile", "nautical miles", length, 1852},
    {"light year", "light years", length, 9.4607304725808e15},
    {"milligram", "milligrams", mass, 0.001},
    {"gram", "grams", mass, 1},
    {"kilogram", "kilograms", mass, 1000},
    {"tonne", "tonnes", mass, 1e6},
    {"ounce", "ounces", mass, 28.349523125},
    {"pound", "pounds", mass, 453.59237},
    {"stone", "stone", mass, 6350.29318},
    {"ton", "tons", mass, 907184.74},
    {"milliliter", "milliliters", volume, 1},
    {"centiliter", "centiliters", volume, 10},
    {"deciliter", "deciliters", volume, 100},
    {"liter", "liters", volume, 1000},
    {"teaspoon", "teaspoons", volume, 4.92892159375},
    {"tablespoon", "tablespoons", volume, 14.78676478125},
    {"fluid ounce", "fluid ounces", volume, 29.5735295625},
    {"cup", "cups", volume, 236.5882365},
    {"pint", "pints", volume, 473.176473},
    {"quart", "quarts", volume, 946.352946},
    {"gallon", "gallons", volume, 3785.411784},
    {"cubic meter", "cubic meters", volume, 1e6},
    {"degree Celsius", "degrees Celsius", temperature, 1, 273.15},
    {"degree Fahrenheit", "degrees Fahrenheit", temperature, kFahrenheitScale,
     273.15 - 32 * kFahrenheitScale},
    {"kelvin", "kelvin", temperature, 1},
    {"meter per second", "meters per second", speed, 1},
    {"kilometer per hour", "kilometers per hour", speed, 1.0 / 3.6},
    {"mile per hour", "miles per hour", speed, 0.44704},
    {"knot", "knots", speed, 1852.0 / 3600},
    {"foot per second", "feet per second", speed, 0.3048},
    {"square meter", "square meters", area, 1},
    {"square foot", "square feet", area, 0.09290304},
    {"square inch", "square inches", area, 0.00064516},
    {"square kilometer", "square kilometers", area, 1e6},
    {"square mile", "square miles", area, 2589988.110336},
    {"acre", "acres", area, 4046.8564224},
    {"hectare", "hectares", area, 10'000},
    {"millisecond", "milliseconds", time, 0.001},
    {"second", "seconds", time, 1},
    {"minute", "minutes", time, 60},
    {"hour", "hours", time, 3600},
    {"day", "days", time, 86'400},
    {"week", "weeks", time, 604'800},
    {"year", "years", time, 31'557'600},
    {"bit", "bits", data, 0.125},
    {"byte", "bytes", data, 1},
    {"kilobyte", "kilobytes", data, 1e3},
    {"megabyte", "megabytes", data, 1e6},
    {"gigabyte", "gigabytes", data, 1e9},
    {"terabyte", "terabytes", data, 1e12},
    {"kibibyte", "kibibytes", data, 1024},
    {"mebibyte", "mebibytes", data, 1048576},
    {"gibibyte", "gibibytes", data, 1073741824},
    {"joule", "joules", energy, 1},
    {"kilojoule", "kilojoules", energy, 1000},
    {"calorie", "calories", energy, 4184},
    {"kilocalorie", "kilocalories", energy, 4184},
    {"watt hour", "watt hours", energy, 3600},
    {"kilowatt hour", "kilowatt hours", energy, 3.6e6},
    {"pascal", "pascals", pressure, 1},
    {"hectopascal", "hectopascals", pressure, 100},
    {"bar", "bars", pressure, 1e5},
    {"psi", "psi", pressure, 6894.757293168},
    {"degree", "degrees", angle, 0.017453292519943295},
    {"radian", "radians", angle, 1},
};

// What else people say or write for a unit, by its singular name above.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"mm", "millimeter"},
    {"cm", "centimeter"},
    {"km", "kilometer"},
    {"kms", "kilometer"},
    {"k m", "kilometer"},
    {"m", "meter"},
    {"ft", "foot"},
    {"foot", "foot"},
    {"yd", "yard"},
    {"mi", "mile"},
    {"mg", "milligram"},
    {"g", "gram"},
    {"kg", "kilogram"},
    {"kgs", "kilogram"},
    {"kilo", "kilogram"},
    {"kilos", "kilogram"},
    {"oz", "ounce"},
    {"lb", "pound"},
    {"lbs", "pound"},
    {"metric ton", "tonne"},
    {"metric tons", "tonne"},
    {"ml", "milliliter"},
    {"mils", "milliliter"},
    {"cl", "centiliter"},
    {"dl", "deciliter"},
    {"l", "liter"},
    {"tsp", "teaspoon"},
    {"tbsp", "tablespoon"},
    {"fl oz", "fluid ounce"},
    {"fluid oz", "fluid ounce"},
    {"celsius", "degree Celsius"},
    {"degrees celsius", "degree Celsius"},
    {"degree celsius", "degree Celsius"},
    {"centigrade", "degree Celsius"},
    {"degrees centigrade", "degree Celsius"},
    {"c", "degree Celsius"},
    {"degrees c", "degree Celsius"},
    {"fahrenheit", "degree Fahrenheit"},
    {"degrees fahrenheit", "degree Fahrenheit"},
    {"degree fahrenheit", "degree Fahrenheit"},
    {"f", "degree Fahrenheit"},
    {"degrees f", "degree Fahrenheit"},
    {"degrees kelvin", "kelvin"},
    {"mph", "mile per hour"},
    {"miles an hour", "mile per hour"},
    {"m p h", "mile per hour"},
    {"kph", "kilometer per hour"},
    {"kmh", "kilometer per hour"},
    {"kilometers an hour", "kilometer per hour"},
    {"meters a second", "meter per second"},
    {"cubic meters", "cubic meter"},
    {"sq ft", "square foot"},
    {"sq m", "square meter"},
    {"ms", "millisecond"},
    {"kb", "kilobyte"},
    {"mb", "megabyte"},
    {"gb", "gigabyte"},
    {"tb", "terabyte"},
    {"kcal", "kilocalorie"},
    {"kj", "kilojoule"},
    {"kwh", "kilowatt hour"},
    {"hpa", "hectopascal"},
    {"table spoon", "tablespoon"},
    {"table spoons", "tablespoon"},
    {"tea spoon", "teaspoon"},
    {"tea spoons", "teaspoon"},
    {"kilo meters", "kilometer"},
    {"kilo grams", "kilogram"},
    {"centi meters", "centimeter"},
    {"milli liters", "milliliter"},
};

const Unit* by_name(std::string_view one) {
  for (const auto& u : kUnits) {
    if (u.one == one) return &u;
  }
  return nullptr;
}

// How many tokens from `at` spell `name` (words apart by one blank); 0 when they do not.
std::size_t spelled(std::span<const Token> t, std::size_t at, std::string_view name) {
  std::size_t from = 0;
  std::size_t n = 0;
  while (from < name.size()) {
    const auto space = std::min(name.find(' ', from), name.size());
    if (at + n >= t.size() || t[at + n].text != name.substr(from, space - from)) return 0;
    ++n;
    from = space + 1;
  }
  return n;
}

// Units that are said one after the other; "ten miles two kilometers" is a "to" that was misheard.
bool goes_with(std::string_view large, std::string_view small) {
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"foot", "inch"},   {"yard", "foot"},     {"pound", "ounce"},    {"stone", "pound"},
      {"hour", "minute"}, {"minute", "second"}, {"day", "hour"},       {"meter", "centimeter"},
      {"week", "day"},    {"kilogram", "gram"}, {"kilometer", "meter"}};
  for (const auto& [a, b] : kPairs) {
    if (a == large && b == small) return true;
  }
  return false;
}

constexpr std::pair<std::string_view, double> kDensities[] = {
    {"water", 1.0},        {"milk", 1.03},           {"flour", 0.53},  {"sugar", 0.845},
    {"brown sugar", 0.93}, {"powdered sugar", 0.51}, {"butter", 0.96}, {"oil", 0.92},
    {"olive oil", 0.92},   {"rice", 0.85},           {"honey", 1.42},  {"salt", 1.22},
    {"oats", 0.38},        {"cocoa", 0.42},          {"cream", 1.0},   {"yogurt", 1.03},
};

}  // namespace

Phrase<const Unit*> parse_unit(std::span<const Token> t, std::size_t at) {
  Phrase<const Unit*> best{nullptr, 0};
  const auto take = [&](const Unit* unit, std::size_t length) {
    if (unit != nullptr && length > best.length) best = {unit, length};
  };
  for (const auto& u : kUnits) {
    take(&u, spelled(t, at, u.many));
    take(&u, spelled(t, at, u.one));
  }
  for (const auto& [alias, one] : kAliases) {
    if (const auto n = spelled(t, at, alias); n > best.length) take(by_name(one), n);
  }
  return best;
}

Phrase<Quantity> parse_quantity(std::span<const Token> t, std::size_t at) {
  auto next = at;
  double sign = 1;
  if (next < t.size() && (t[next].is("minus") || t[next].is("negative") || t[next].is("-"))) {
    sign = -1;
    ++next;
  }
  double value = 0;
  if (next < t.size() && t[next].number()) {
    value = t[next].value;
    ++next;
    if (next < t.size() && t[next].is("of")) ++next;
    if (next < t.size() && (t[next].is("a") || t[next].is("an")) && t[next - 1].is("of")) ++next;
  } else if (next + 1 < t.size() && t[next].is("half") &&
             (t[next + 1].is("a") || t[next + 1].is("an"))) {
    value = 0.5;
    next += 2;
  } else if (next < t.size() && (t[next].is("a") || t[next].is("an") || t[next].is("one"))) {
    value = 1;
    ++next;
    if (next < t.size() && t[next].is("half")) {
      value = 0.5;
      ++next;
    } else if (next < t.size() && t[next].is("quarter")) {
      value = 0.25;
      ++next;
    }
  } else {
    return {};
  }
  const auto unit = parse_unit(t, next);
  if (!unit || !std::isfinite(value)) return {};
  next += unit.length;
  Quantity q{sign * value, unit.value};
  // five foot ten, six feet two inches, ten pounds four ounces, nine stone five
  if (next < t.size() && t[next].number()) {
    const auto smaller = parse_unit(t, next + 1);
    if (smaller && goes_with(q.unit->one, smaller.value->one)) {
      q.value += sign * t[next].value * smaller.value->scale / q.unit->scale;
      next += 1 + smaller.length;
    } else if (q.unit->one == "foot" && t[next].value < 12) {
      q.value += sign * t[next].value / 12;
      ++next;
    }
  }
  return {q, next - at};
}

std::optional<Conversion> convert(Quantity from, const Unit& to) {
  const Unit* target = &to;
  if (from.unit->dimension == volume && to.one == "ounce") target = by_name("fluid ounce");
  if (from.unit->one == "ounce" && to.dimension == volume) from.unit = by_name("fluid ounce");
  if (from.unit->one == "degree" && to.dimension == temperature) {
    from.unit = by_name(to.one == "degree Celsius" ? "degree Fahrenheit" : "degree Celsius");
  }
  if (from.unit->dimension != target->dimension) return std::nullopt;
  const double base = from.value * from.unit->scale + from.unit->offset;
  const double value = (base - target->offset) / target->scale;
  if (!std::isfinite(value)) return std::nullopt;
  return Conversion{from, {value, target}};
}

std::optional<double> density(std::string_view ingredient) {
  for (const auto& [name, value] : kDensities) {
    if (name == ingredient) return value;
  }
  return std::nullopt;
}

std::optional<Conversion> convert_through(Quantity from, const Unit& to, double grams_per_ml) {
  if (from.unit->dimension == volume && to.dimension == mass) {
    return Conversion{from, {from.value * from.unit->scale * grams_per_ml / to.scale, &to}};
  }
  if (from.unit->dimension == mass && to.dimension == volume) {
    return Conversion{from, {from.value * from.unit->scale / grams_per_ml / to.scale, &to}};
  }
  return convert(from, to);
}

}  // namespace gadget::hub::builtin
