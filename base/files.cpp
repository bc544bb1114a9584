#include "base/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gadget::files {
namespace fs = std::filesystem;
namespace {

std::string reason() { return std::strerror(errno); }

fs::path xdg(const char* variable, const char* fallback_below_home) {
  if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/') {
    return fs::path(value);
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr && *home != '\0' ? home : "/tmp") / fallback_below_home;
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t put = ::write(file, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

Result<void> replace(const fs::path& path, std::string_view content, bool secret) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return fail(FailureCode::io, "cannot write " + path.string() + ": " + reason());
  }
  const auto give_up = [&]() {
    Failure failure{FailureCode::io, "cannot write " + path.string() + ": " + reason(), {}};
    ::unlink(temporary.c_str());
    return tl::unexpected<Failure>(std::move(failure));
  };
  if (!write_all(file.get(), content)) return give_up();
  if (::fchmod(file.get(), secret ? 0600 : 0644) != 0) return give_up();
  if (::fsync(file.get()) != 0) return give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up();
  return {};
}

Result<void> write_into(const fs::path& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() >= 0 && write_all(file.get(), content)) return {};
  return fail(FailureCode::io, "cannot write " + path.string() + ": " + reason());
}

}  // namespace

Result<std::string> read(const fs::path& path, std::size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return fail(errno == ENOENT ? FailureCode::not_found : FailureCode::io,
                "cannot read " + path.string() + ": " + reason());
  }
  std::string content;
  char chunk[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(FailureCode::io, "cannot read " + path.string() + ": " + reason());
    }
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > limit_bytes) {
      return fail(FailureCode::invalid_argument,
                  path.string() + " is larger than " + std::to_string(limit_bytes) + " bytes");
    }
    content.append(chunk, static_cast<std::size_t>(got));
  }
}

Result<void> write(const fs::path& path, std::string_view content, bool secret) {
  // Renamed over /dev/null or /dev/stdout, a file would take its place for the whole machine.
  std::error_code error;
  const auto type = fs::status(path, error).type();
  const bool is_replaceable = type == fs::file_type::regular || type == fs::file_type::directory ||
                              type == fs::file_type::not_found || type == fs::file_type::none;
  if (!is_replaceable) return write_into(path, content);
  const fs::path target = fs::canonical(path, error);
  return replace(error ? path : target, content, secret);
}

Result<void> make_private_folder(const fs::path& path) {
  std::error_code error;
  const bool existed = fs::is_directory(path, error);
  if (!existed) {
    fs::create_directories(path, error);
    if (error) {
      return fail(FailureCode::io,
                  "cannot make the folder " + path.string() + ": " + error.message(),
                  "choose another one with --state");
    }
    fs::permissions(path, fs::perms::owner_all, error);
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    return fail(FailureCode::io, "the folder " + path.string() + " cannot be written: " + reason(),
                "choose another one with --state, or change its owner");
  }
  return {};
}

fs::path default_state_folder() { return xdg("XDG_STATE_HOME", ".local/state") / "hermes-gadget"; }
fs::path default_cache_folder() { return xdg("XDG_CACHE_HOME", ".cache") / "hermes-gadget"; }
fs::path default_config_file() {
  return xdg("XDG_CONFIG_HOME", ".config") / "hermes-gadget" / "hub.toml";
}

}  // namespace gadget::files
