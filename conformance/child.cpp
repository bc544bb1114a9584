#include "conformance/child.hpp"

#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace gadget::conformance {
using std::chrono::milliseconds;
using std::chrono::steady_clock;

Result<Child> Child::start(const std::vector<std::string>& arguments,
                           const std::filesystem::path& log) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
    return fail(FailureCode::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  Child child;
  const int failed = ::posix_spawnp(&child.pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  child.in_ = in[1];
  child.out_ = out[0];
  if (failed != 0) {
    child.pid_ = -1;
    return fail(FailureCode::not_found,
                "cannot start " + arguments[0] + ": " + std::strerror(failed));
  }
  return child;
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) stop(SIGKILL, milliseconds{1'000});
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0) ::close(out_);
}

std::optional<std::string> Child::line(milliseconds wait) {
  const auto deadline = steady_clock::now() + wait;
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string first = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return first;
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
    pollfd poll_out{out_, POLLIN, 0};
    if (left <= 0 || ::poll(&poll_out, 1, static_cast<int>(left)) <= 0) return std::nullopt;
    char chunk[4096];
    const ssize_t got = ::read(out_, chunk, sizeof chunk);
    if (got <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
}

Result<void> Child::write_line(std::string_view text) {
  std::string line(text);
  line += '\n';
  if (::write(in_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return fail(FailureCode::io, "the program has ended");
  }
  return {};
}

int Child::stop(int signal, milliseconds wait) {
  if (pid_ <= 0) return 0;
  ::kill(pid_, signal);
  const auto deadline = steady_clock::now() + wait;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (steady_clock::now() > deadline) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(milliseconds{2});
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gadget::conformance
