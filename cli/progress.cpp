#include "cli/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/print.hpp"

namespace gadget::cli {
namespace {

constexpr std::size_t kBarColumns = 20;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

std::string progress_line(std::string_view text, std::optional<double> part, std::size_t columns) {
  std::string line;
  if (part) {
    const double whole = std::clamp(*part, 0.0, 1.0);
    const auto full = static_cast<std::size_t>(whole * static_cast<double>(kBarColumns));
    const std::string percent = std::to_string(std::lround(std::floor(whole * 100)));
    line = "[" + std::string(full, '#') + std::string(kBarColumns - full, '.') + "] " +
           std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + " %  ";
  }
  line += text;
  if (line.size() <= columns) return line;
  // A character is not cut in its middle.
  std::size_t end = columns;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  line.resize(end);
  return line;
}

Progress::Kind Progress::fitting() { return terminal_columns() > 0 ? Kind::bar : Kind::lines; }

void Progress::show(const std::string& step, const std::string& text, std::optional<double> part) {
  if (kind_ == Kind::none) return;
  if (kind_ == Kind::lines) {
    if (step == shown_) return;
    shown_ = step;
    std::printf("%s\n", text.c_str());
  } else {
    // The last column stays free, so that no terminal wraps.
    std::string line = progress_line(text, part, std::max<std::size_t>(terminal_columns(), 2) - 1);
    if (line == shown_) return;
    shown_ = std::move(line);
    std::printf("%s%s", kClearLine, shown_.c_str());
  }
  std::fflush(stdout);
}

void Progress::end() {
  if (kind_ == Kind::bar && !shown_.empty()) std::fputs(kClearLine, stdout);
  std::fflush(stdout);
  kind_ = Kind::none;
}

}  // namespace gadget::cli
