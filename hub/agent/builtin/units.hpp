// units.hpp - units of measure by their names, and quantities in them.
//
// Length, mass, volume (US kitchen measures), temperature, speed, area, time, data, energy.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hub/agent/builtin/time_phrases.hpp"
#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {

enum class Dimension : std::uint8_t {
  length,
  mass,
  volume,
  temperature,
  speed,
  area,
  time,
  data,
  energy,
  pressure,
  angle
};

struct Unit {
  std::string_view one;   // "foot"
  std::string_view many;  // "feet"
  Dimension dimension;
  double scale = 1;  // to the base unit of its dimension: m, g, ml, K, m/s, m2, s, byte, J, Pa, rad
  double offset = 0;  // base = value * scale + offset
};

// The unit that begins at `at`; the longest name wins ("fluid ounces" before "ounces").
[[nodiscard]] Phrase<const Unit*> parse_unit(std::span<const Token> tokens, std::size_t at);

struct Quantity {
  double value = 0;
  const Unit* unit = nullptr;
};

// "five ounces", "a mile", "half a cup", "five foot ten", "minus 40 degrees celsius".
[[nodiscard]] Phrase<Quantity> parse_quantity(std::span<const Token> tokens, std::size_t at);

// Nothing when the two do not measure the same thing. An ounce beside a volume is a fluid ounce.
struct Conversion {
  Quantity from, to;
};
[[nodiscard]] std::optional<Conversion> convert(Quantity from, const Unit& to);

// Grams of a millilitre of what is in the kitchen ("flour"); nothing when it is not known.
[[nodiscard]] std::optional<double> density(std::string_view ingredient);
// As convert(), from volume to mass or back through the density.
[[nodiscard]] std::optional<Conversion> convert_through(Quantity from, const Unit& to,
                                                        double grams_per_ml);

}  // namespace gadget::hub::builtin
