// worker_process.hpp - the voice worker as a child process with a Unix socket. Used by hibari.cpp's
// thread only.
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "base/failure.hpp"

namespace gadget::speech {

// A file descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

class WorkerProcess {
 public:
  // Starts PYTHON with the worker's text and a socket in a private folder. Errors: io, naming the
  // step. The child gets SIGKILL when the calling thread ends.
  [[nodiscard]] static Result<WorkerProcess> start(const std::string& python,
                                                   const std::filesystem::path& packages,
                                                   const std::string& script);
  WorkerProcess() = default;
  ~WorkerProcess() { end(); }
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Readable when the worker says something on stderr; at its end when the worker has died.
  [[nodiscard]] int output() const { return output_.get(); }
  // A new connection, non-blocking; it is in the worker's backlog until the worker serves. Errors:
  // io.
  [[nodiscard]] Result<Descriptor> connect() const;
  // Kills and reaps the child, removes the folder. Says how it ended, for the log. `died`: it seems
  // to end by itself just now; then it gets a moment for that, so that the log has its own exit
  // code.
  std::string end(bool died = false);

 private:
  pid_t pid_ = 0;
  Descriptor input_;   // its standard input: our life
  Descriptor output_;  // its standard output and error
  std::filesystem::path folder_;
};

}  // namespace gadget::speech
