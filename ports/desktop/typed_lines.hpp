// typed_lines.hpp - the lines of stdin, from a thread of its own: a terminal, a pipe or a file.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace gadget::ports::desktop {

class TypedLines {
 public:
  // `line` and then `end` are called from that thread.
  TypedLines(std::function<void(std::string)> line, std::function<void()> end);
  ~TypedLines();  // stops reading, also within a line

 private:
  void read();

  std::function<void(std::string)> line_;
  std::function<void()> end_;
  int stop_[2] = {-1, -1};  // a pipe: what is written to it ends the thread
  std::thread thread_;
};

}  // namespace gadget::ports::desktop
