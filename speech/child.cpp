#include "speech/child.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "speech/worker_process.hpp"

extern char** environ;

namespace gadget::speech {
namespace {

// Reads what there is; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 16 * 1024> bytes;
  const auto got = read(fd, bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(bytes.data(), static_cast<std::size_t>(got));
  if (into.size() > 2 * kMaxChildOutput) into.erase(0, into.size() - kMaxChildOutput);
  return got > 0;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<Ran> run_child(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  if (pipe2(out.data(), O_CLOEXEC) != 0) return fail(FailureCode::io, "cannot make a pipe");
  Descriptor out_read{out[0]};
  Descriptor out_write{out[1]};
  if (pipe2(err.data(), O_CLOEXEC) != 0) return fail(FailureCode::io, "cannot make a pipe");
  Descriptor err_read{err[0]};
  Descriptor err_write{err[1]};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err_write.get(), 2);
  auto words = arguments;
  std::vector<std::string> settings = environment;  // first wins, so ours come after
  for (char** entry = environ; *entry != nullptr; ++entry) settings.emplace_back(*entry);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                 pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(FailureCode::unavailable,
                "cannot run " + arguments[0] + ": " + std::strerror(error));
  }
  out_write.reset();
  err_write.reset();

  Ran ran;
  while (out_read || err_read) {
    std::array<pollfd, 2> fds{{{out_read.get(), POLLIN, 0}, {err_read.get(), POLLIN, 0}}};
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    if (fds[0].revents != 0 && !drain(out_read.get(), ran.out)) out_read.reset();
    if (fds[1].revents != 0 && !drain(err_read.get(), ran.err)) err_read.reset();
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ran.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ran;
}

}  // namespace gadget::speech
