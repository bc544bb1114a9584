// process_test_support.hpp - runs the real program in tests: its lines, its exit code, its end.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gadget::testing {

// How long anything may take on a busy machine under a sanitizer. Nothing waits so long that works.
inline constexpr auto kPatience = std::chrono::seconds{30};

class Process {
 public:
  explicit Process(std::vector<std::string> words,
                   std::map<std::string, std::string> environment = {}) {
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (!ended_) {
      ::kill(pid_, SIGKILL);
      (void)wait();
    }
    ::close(out_);
    ::close(err_);
  }

  // Reads until the standard output has a whole line; nullopt when it ended or time is over.
  std::optional<std::string> line() {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      if (const auto end = out_text.find('\n', read_); end != std::string::npos) {
        std::string found = out_text.substr(read_, end - read_);
        read_ = end + 1;
        return found;
      }
      if (std::chrono::steady_clock::now() >= until || !pump(100)) return std::nullopt;
    }
  }
  // Takes what has been written so far into out_text and err_text.
  void poll() {
    while (pump(0, false)) {
    }
  }
  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  // Reads both streams to their ends. Returns the exit code; 128 and the signal when one ended it.
  int wait() {
    if (ended_) return code_;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (pump(100)) {
      if (std::chrono::steady_clock::now() >= until) {
        ::kill(pid_, SIGKILL);
        break;
      }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return code_;
  }

  std::string out_text, err_text;

 private:
  // False when both streams have ended, or unless `patient` when nothing was there.
  bool pump(int wait_ms, bool patient = true) {
    pollfd files[2] = {{out_open_ ? out_ : -1, POLLIN, 0}, {err_open_ ? err_ : -1, POLLIN, 0}};
    if (::poll(files, 2, wait_ms) <= 0 && !patient) return false;
    if (files[0].revents != 0) out_open_ = take(out_, out_text);
    if (files[1].revents != 0) err_open_ = take(err_, err_text);
    return out_open_ || err_open_;
  }
  static bool take(int file, std::string& into) {
    char chunk[4096];
    const ssize_t got = ::read(file, chunk, sizeof chunk);
    if (got > 0) into.append(chunk, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  bool out_open_ = true, err_open_ = true, ended_ = false;
  int code_ = -1;
  std::size_t read_ = 0;
};

struct Ran {
  int code = -1;
  std::string out, err;
};

inline Ran run(std::vector<std::string> words,
               std::map<std::string, std::string> environment = {}) {
  Process process(std::move(words), std::move(environment));
  const int code = process.wait();
  return {code, process.out_text, process.err_text};
}

}  // namespace gadget::testing
