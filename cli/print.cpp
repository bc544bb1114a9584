#include "cli/print.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "protocol/utf8.hpp"

namespace gadget::cli {
namespace {

// A column is not cut below this; a terminal so narrow wraps instead.
constexpr std::size_t kLeastColumn = 8;

// C0, DEL, C1; U+200B-200F, U+2028-202E, U+2060-206F: what moves the cursor or the reading order.
bool is_harmful(std::string_view character) {
  if (character.size() == 1) {
    return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7f;
  }
  if (character.size() == 2) {
    return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
  }
  return character.size() == 3 && character >= "\xe2\x80\x8b" && character <= "\xe2\x81\xaf" &&
         !(character >= "\xe2\x80\x90" && character <= "\xe2\x80\xa7") &&
         !(character >= "\xe2\x80\xb0" && character <= "\xe2\x81\x9f");
}

std::string cut(std::string_view text, std::size_t columns) {
  if (protocol::code_points(text) <= columns) return std::string(text);
  return std::string(protocol::cut_code_points(text, columns - 1)) + "\xe2\x80\xa6";
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

std::size_t terminal_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t columns) const {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], protocol::code_points(row[i]));
    }
  }
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (columns != 0 && total > columns) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeastColumn) break;
    --*widest;
    --total;
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = cut(row[i], widths[i]);
      line += cell;
      line.append(widths[i] - protocol::code_points(cell) + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void Table::print() const { put(stdout, text(terminal_columns())); }

}  // namespace gadget::cli
