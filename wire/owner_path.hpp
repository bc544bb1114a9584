// owner_path.hpp - inside wire/: a socket's path that fits into sockaddr_un, however long the
// folder's is.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/unix_socket.hpp"

namespace gadget::wire {

class OwnerPath {
 public:
  // Opens the folder. fd() is negative when that failed; errno says why.
  explicit OwnerPath(const std::filesystem::path& state_dir)
      : folder_(::open(state_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    const auto direct = (state_dir / kOwnerSocketName).string();
    path_ = direct.size() < sizeof(sockaddr_un::sun_path)
                ? direct
                : "/proc/self/fd/" + std::to_string(folder_) + "/" + std::string{kOwnerSocketName};
  }
  ~OwnerPath() {
    if (folder_ >= 0) ::close(folder_);
  }
  OwnerPath(const OwnerPath&) = delete;
  OwnerPath& operator=(const OwnerPath&) = delete;

  [[nodiscard]] int fd() const { return folder_; }
  [[nodiscard]] sockaddr_un address() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    return address;
  }

 private:
  int folder_;
  std::string path_;
};

}  // namespace gadget::wire
