// width.hpp - how many columns of a terminal a text takes: two for the scripts of East Asia and for
// emoji, none for marks that stand on the letter before.
//
// Independent of the locale. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gadget::cli {

[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most `columns` of it; where something is missing, the last one is an ellipsis. REQUIRES:
// columns > 0.
[[nodiscard]] std::string cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace gadget::cli
