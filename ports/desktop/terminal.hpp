// terminal.hpp - a virtual gadget at a terminal: typed lines are sent, what the screen says is
// printed as it comes. Works over a pipe, too: each line then waits until the one before is
// answered, and the end of the input ends the gadget.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "ports/desktop/board.hpp"

namespace gadget::ports::desktop {

class Terminal {
 public:
  struct Style {
    bool interactive = true;  // somebody types
    std::string voice;        // of :say
  };

  Terminal(Board& board, Style style) : board_(board), style_(std::move(style)) {}

  void line(std::string text);  // somebody typed this
  void end_of_input() { ended_ = true; }
  void noticed(device::Fact fact, std::string_view text);
  // After each tick of the board. The exit code when it is over.
  [[nodiscard]] std::optional<int> run();

 private:
  void act(const std::string& text);
  void command(std::string_view text);
  void say(std::string_view name, std::string_view rest);
  void print(std::string_view text);
  void print_reply(std::string_view text, bool complete);
  void end_reply();
  [[nodiscard]] bool settled() const;

  Board& board_;
  Style style_;
  std::deque<std::string> lines_;
  bool ended_ = false;
  bool quit_ = false;
  bool talking_ = false;           // :say or :wav holds TALK until all was heard
  std::string reply_;              // what of the present reply is printed
  device::Millis idle_since_ = 0;  // nothing happens any more; 0: something does
};

}  // namespace gadget::ports::desktop
