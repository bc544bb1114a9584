// progress.hpp - how far something is: a bar that redraws itself on a terminal, else a line a step.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gadget::cli {

// The line of a bar: "[#####.....]  50 %  TEXT", cut to `columns`. Without a part: TEXT alone.
[[nodiscard]] std::string progress_line(std::string_view text, std::optional<double> part,
                                        std::size_t columns);

class Progress {
 public:
  enum class Kind { none, lines, bar };
  [[nodiscard]] static Kind fitting();  // a bar on a terminal
  explicit Progress(Kind kind) : kind_(kind) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  // `part`: 0 to 1. `text` is printable (print.hpp). Where there is no terminal, a text is printed
  // when `step` is another one.
  void show(const std::string& step, const std::string& text, std::optional<double> part);
  void end();  // takes the bar away

 private:
  Kind kind_;
  std::string shown_;
};

}  // namespace gadget::cli
