#include "speech/worker_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"

namespace gadget::speech {
namespace {

constexpr int kListenerInChild = 3;  // the descriptor under which the worker finds its socket

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter there
#endif

tl::unexpected<Failure> io_failure(const char* step) {
  return fail(FailureCode::io,
              std::string("cannot start the voice worker: ") + step + ": " + std::strerror(errno));
}

// In the child, before exec: from here on a socket is a Unix socket. Async-signal-safe.
bool forbid_network() {
  if (kArchitecture == 0) return true;
  std::array<sock_filter, 8> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The child's side of fork(): only what is safe between fork and exec in a process with threads.
[[noreturn]] void become_worker(pid_t parent, int input, int output, int listener,
                                const char* const* arguments, const char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died in between
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Out of the way of the numbers that they are about to get.
  const int in = fcntl(input, F_DUPFD, 10);
  const int out = fcntl(output, F_DUPFD, 10);
  const int socket = fcntl(listener, F_DUPFD, 10);
  const bool wired = dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
                     dup2(socket, kListenerInChild) == kListenerInChild;
  if (!wired) _exit(126);
  // Nothing else of ours is the worker's business: no other socket, no lock.
  if (syscall(SYS_close_range, kListenerInChild + 1, ~0U, 0) != 0) {
    for (int fd = kListenerInChild + 1; fd < 1024; ++fd) close(fd);
  }
  if (!forbid_network()) {
    constexpr char kText[] = "the kernel does not allow to forbid the network (seccomp)\n";
    (void)!write(2, kText, sizeof kText - 1);
  }
  execve(arguments[0], const_cast<char* const*>(arguments), const_cast<char* const*>(environment));
  constexpr char kText[] = "cannot run the python that the voice was installed for: ";
  (void)!write(2, kText, sizeof kText - 1);
  (void)!write(2, arguments[0], std::strlen(arguments[0]));
  (void)!write(2, "\n", 1);
  _exit(127);
}

constexpr char kFolderPrefix[] = "hermes-gadget-voice-";
// A folder that is younger may belong to a worker that is just being started.
constexpr auto kStale = std::chrono::minutes{1};

sockaddr_un address_of(const std::filesystem::path& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "voice.sock").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

Result<Descriptor> connect_to(const std::filesystem::path& folder) {
  Descriptor fd{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const auto address = address_of(folder);
  if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(FailureCode::io,
                std::string("cannot reach the voice worker: ") + std::strerror(errno));
  }
  return fd;
}

// What a hub that was killed could not remove: folders of ours in which nobody listens.
void remove_stale(const std::filesystem::path& base) {
  std::error_code error;
  const auto old = std::filesystem::file_time_type::clock::now() - kStale;
  for (const auto& entry : std::filesystem::directory_iterator(base, error)) {
    const auto& path = entry.path();
    struct stat info {};
    if (!path.filename().string().starts_with(kFolderPrefix) || lstat(path.c_str(), &info) != 0 ||
        !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) {
      continue;
    }
    if (entry.last_write_time(error) < old && !connect_to(path)) {
      std::filesystem::remove_all(path, error);
    }
  }
}

// Not in the cache: a socket's path must be short, and this one lives as long as the worker.
Result<std::filesystem::path> private_folder() {
  constexpr std::size_t kLongestBase = 60;
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  std::filesystem::path base = "/tmp";
  if (runtime != nullptr && runtime[0] == '/' && std::strlen(runtime) < kLongestBase &&
      access(runtime, W_OK) == 0) {
    base = runtime;
  }
  remove_stale(base);
  std::string pattern = (base / (kFolderPrefix + std::string("XXXXXX"))).string();
  if (mkdtemp(pattern.data()) == nullptr) return io_failure("a private folder");
  return std::filesystem::path(pattern);
}

}  // namespace

void Descriptor::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

Result<WorkerProcess> WorkerProcess::start(const std::string& python,
                                           const std::filesystem::path& packages,
                                           const std::string& script) {
  auto folder = private_folder();
  if (!folder) return tl::unexpected<Failure>(std::move(folder.error()));
  WorkerProcess self;
  self.folder_ = *folder;
  const auto script_path = self.folder_ / "worker.py";
  if (auto written = files::write(script_path, script, true); !written) {
    return tl::unexpected<Failure>(std::move(written.error()));
  }

  Descriptor listener{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto address = address_of(self.folder_);
  if (!listener ||
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.get(), 16) != 0) {
    return io_failure("its socket");
  }
  std::array<int, 2> input{-1, -1};
  std::array<int, 2> output{-1, -1};
  if (pipe2(input.data(), O_CLOEXEC) != 0) return io_failure("a pipe");
  Descriptor child_input{input[0]};
  self.input_.reset(input[1]);
  if (pipe2(output.data(), O_CLOEXEC) != 0) return io_failure("a pipe");
  self.output_.reset(output[0]);
  Descriptor child_output{output[1]};
  fcntl(self.output_.get(), F_SETFL, O_NONBLOCK);

  const std::string script_text = script_path.string();
  const std::string packages_text = packages.string();
  const std::string listener_text = std::to_string(kListenerInChild);
  // -I -S: nothing of the user's or the system's packages; -B: no files written.
  const std::array<const char*, 9> arguments{
      python.c_str(),        "-I",    "-S",   "-B", script_text.c_str(), packages_text.c_str(),
      listener_text.c_str(), nullptr, nullptr};
  const std::array<const char*, 6> environment{"LANG=C.UTF-8",           "HOME=/nonexistent",
                                               "PATH=/usr/bin:/bin",     "OMP_NUM_THREADS=1",
                                               "OPENBLAS_NUM_THREADS=1", nullptr};
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return io_failure("fork");
  if (pid == 0) {
    become_worker(parent, child_input.get(), child_output.get(), listener.get(), arguments.data(),
                  environment.data());
  }
  self.pid_ = pid;
  return self;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      folder_(std::exchange(other.folder_, {})) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, 0);
    input_ = std::move(other.input_);
    output_ = std::move(other.output_);
    folder_ = std::exchange(other.folder_, {});
  }
  return *this;
}

Result<Descriptor> WorkerProcess::connect() const { return connect_to(folder_); }

std::string WorkerProcess::end(bool died) {
  std::string how;
  if (pid_ > 0) {
    int status = 0;
    pid_t reaped = 0;
    for (int i = 0; died && reaped == 0 && i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      reaped = waitpid(pid_, &status, WNOHANG);
    }
    if (reaped == 0) {
      kill(pid_, SIGKILL);  // it has nothing to save
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                              : "exit code " + std::to_string(WEXITSTATUS(status));
    pid_ = 0;
  }
  input_.reset();
  output_.reset();
  if (!folder_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    folder_.clear();
  }
  return how;
}

}  // namespace gadget::speech
