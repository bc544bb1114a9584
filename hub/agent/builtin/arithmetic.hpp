// arithmetic.hpp - sums as people say or write them: "17 times 23", "15 percent of 80",
// "(2+3)*4^2".
//
// Bounded: nesting, length and the size of numbers. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hub/agent/builtin/time_phrases.hpp"
#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {

// Nested brackets, roots and signs; deeper is not understood.
inline constexpr int kMaxNesting = 24;
// Beyond this a result is "too large to say" instead of a row of digits.
inline constexpr double kMaxResult = 1e15;

struct Sum {
  enum class Problem : std::uint8_t { none, division_by_zero, negative_root, too_large };
  double value = 0;
  Problem problem = Problem::none;
  bool operation = false;  // false for a number alone
  std::string spoken;      // "17 times 23"
};

// The longest sum that begins at `at`.
[[nodiscard]] Phrase<Sum> parse_sum(std::span<const Token> tokens, std::size_t at);

}  // namespace gadget::hub::builtin
