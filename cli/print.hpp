// print.hpp - what commands print: error lines, tables that fit the terminal, texts of devices made
// harmless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::cli {

inline constexpr std::string_view kProgramName = "hermes-gadget";

// "hermes-gadget: TEXT (HINT)" on the standard error stream.
void complain(std::string_view text, std::string_view hint = {});
// The same for a failure. Returns its exit code.
int complain(const Failure& failure);

// A text as it may be shown: control characters, bidirectional overrides and what is no UTF-8 are
// escaped, so that a device's name cannot move the cursor or pretend to be something else.
[[nodiscard]] std::string printable(std::string_view text);

// How many columns the standard output has: what COLUMNS says, else the terminal. 0: it is no
// terminal, lines may be of any length.
[[nodiscard]] std::size_t terminal_columns();
[[nodiscard]] std::size_t terminal_lines();
[[nodiscard]] bool is_terminal();

// Colours, where the standard output is a terminal that has them and NO_COLOR is not set; `text` as
// it is elsewhere.
enum class Ink : std::uint8_t { plain, bold, dim, green, yellow, red };
[[nodiscard]] std::string inked(Ink ink, std::string_view text);

class Table {
 public:
  explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  // As many cells as there are heads; each is made printable. `inks`: of the first cells.
  void row(std::vector<std::string> cells, std::vector<Ink> inks = {});
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  // Cells stand in columns; where `columns` (0: any) is exceeded, the widest column is cut, with an
  // ellipsis.
  [[nodiscard]] std::string text(std::size_t columns) const;
  void print() const;
  // Prints, and begins again below it: the next rows stand in the same columns, where they fit.
  void print_and_go_on();

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::vector<Ink>> inks_{{}};
  std::vector<std::size_t> least_;  // widths of what was printed before
};

}  // namespace gadget::cli
