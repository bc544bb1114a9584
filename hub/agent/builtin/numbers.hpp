// numbers.hpp - number words become numbers: "one hundred and seven", "three and a half", "two
// dozen".
//
// Works on a token list in place; linear in its length. Safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {

// Joins what makes one number into one token: cardinals, decimals ("three point one four"), mixed
// ("two and a half"), fractions ("two thirds", "a third of"), ordinals ("the twenty third"). Side
// by side small numbers stay apart ("six thirty" is a time).
void compose_numbers(std::vector<Token>& tokens);

}  // namespace gadget::hub::builtin
