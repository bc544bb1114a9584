// child.hpp - a program under test: started, listened to, and ended.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/failure.hpp"

namespace gadget::conformance {

class Child {
 public:
  // `arguments[0]` is the program. Its stderr goes to `log`. Errors: not_found, io.
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& arguments,
                                           const std::filesystem::path& log);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();  // SIGKILL when it still runs

  // The next line of its stdout; nothing when it ended or the time ran out.
  [[nodiscard]] std::optional<std::string> line(std::chrono::milliseconds wait);
  // Writes a line to its stdin.
  Result<void> write_line(std::string_view text);
  // Sends a signal and waits for the end; SIGKILL after `wait`. The exit code, or 128 + signal.
  int stop(int signal, std::chrono::milliseconds wait);
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child() = default;
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
};

}  // namespace gadget::conformance
