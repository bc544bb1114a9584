#include "cli/print.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/width.hpp"
#include "protocol/utf8.hpp"

namespace gadget::cli {
namespace {

// A column is not cut below this; a terminal so narrow wraps instead.
constexpr std::size_t kLeastColumn = 8;

// C0, DEL, C1; U+061C, U+FEFF; U+200B-200F, U+2028-202E, U+2060-206F: what moves the cursor or the
// reading order.
bool is_harmful(std::string_view character) {
  if (character.size() == 1) {
    return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7f;
  }
  if (character.size() == 2) {
    return (character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0) ||
           character == "\xd8\x9c";
  }
  if (character == "\xef\xbb\xbf") return true;
  return character.size() == 3 && character >= "\xe2\x80\x8b" && character <= "\xe2\x81\xaf" &&
         !(character >= "\xe2\x80\x90" && character <= "\xe2\x80\xa7") &&
         !(character >= "\xe2\x80\xb0" && character <= "\xe2\x81\x9f");
}

void put(std::FILE* file, std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace

void complain(std::string_view text, std::string_view hint) {
  std::string line = std::string(kProgramName) + ": " + printable(text);
  if (!hint.empty()) line += " (" + printable(hint) + ")";
  put(stderr, line + "\n");
}

int complain(const Failure& failure) {
  complain(failure.text, failure.hint);
  return exit_code(failure.code);
}

std::string printable(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t size = protocol::utf8_character_bytes(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    text.remove_prefix(character.size());
    if (size != 0 && !is_harmful(character)) {
      out += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += hex[byte >> 4U];
      out += hex[byte & 0xfU];
    }
  }
  return out;
}

bool is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

std::size_t terminal_columns() {
  if (const char* said = std::getenv("COLUMNS")) {
    std::size_t columns = 0;
    const std::string_view text(said);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (read.ec == std::errc{} && columns > 0) return columns;
  }
  winsize size{};
  if (!is_terminal()) return 0;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::size_t terminal_lines() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 24;
  return size.ws_row;
}

std::string inked(Ink ink, std::string_view text) {
  static const bool has_colours = [] {
    const char* const terminal = std::getenv("TERM");
    const char* const never = std::getenv("NO_COLOR");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return is_terminal() && !dumb && (never == nullptr || *never == '\0');
  }();
  if (ink == Ink::plain || !has_colours) return std::string(text);
  constexpr std::array<std::string_view, 6> kCodes{"0", "1", "2", "32", "33", "31"};
  return "\x1b[" + std::string(kCodes[static_cast<std::size_t>(ink)]) + "m" + std::string(text) +
         "\x1b[0m";
}

void Table::row(std::vector<std::string> cells, std::vector<Ink> inks) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
  inks_.push_back(std::move(inks));
}

std::string Table::text(std::size_t columns) const {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths = least_;
  widths.resize(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (columns != 0 && total > columns) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeastColumn) break;
    --*widest;
    --total;
  }
  const std::size_t first = least_.empty() ? 0 : 1;  // heads stand once
  std::string out;
  for (std::size_t n = first; n < rows_.size(); ++n) {
    std::string gap;
    for (std::size_t i = 0; i < rows_[n].size(); ++i) {
      const std::string cell = cut_to_columns(rows_[n][i], std::max<std::size_t>(1, widths[i]));
      const Ink ink = n == 0 ? Ink::bold : i < inks_[n].size() ? inks_[n][i] : Ink::plain;
      if (!cell.empty()) {
        out += gap + inked(ink, cell);
        gap.clear();
      }
      gap.append(widths[i] - std::min(widths[i], columns_of(cell)) + kGap, ' ');
    }
    out += '\n';
  }
  return out;
}

void Table::print() const { put(stdout, text(terminal_columns())); }

void Table::print_and_go_on() {
  print();
  least_.resize(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      least_[i] = std::max(least_[i], columns_of(row[i]));
  }
  rows_.resize(1);
  inks_.resize(1);
}

}  // namespace gadget::cli
