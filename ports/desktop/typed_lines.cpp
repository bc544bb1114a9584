#include "ports/desktop/typed_lines.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace gadget::ports::desktop {
namespace {

constexpr std::size_t kMaxLineBytes = 64 * 1024;  // of one line; the rest is a line of its own

}  // namespace

TypedLines::TypedLines(std::function<void(std::string)> line, std::function<void()> end)
    : line_(std::move(line)), end_(std::move(end)) {
  if (pipe(stop_) != 0) stop_[0] = stop_[1] = -1;  // stdin is then read until it ends
  thread_ = std::thread([this] { read(); });
}

TypedLines::~TypedLines() {
  if (stop_[1] >= 0) close(stop_[1]);
  thread_.join();
  if (stop_[0] >= 0) close(stop_[0]);
}

void TypedLines::read() {
  std::string line;
  std::array<char, 4096> bytes{};
  for (;;) {
    std::array<pollfd, 2> wait{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stop_[0], POLLIN, 0}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) break;
    if (wait[1].revents != 0) return;
    if (wait[0].revents == 0) continue;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      const char c = bytes[static_cast<std::size_t>(i)];
      if (c != '\n') line += c;
      if (c == '\n' || line.size() == kMaxLineBytes) line_(std::exchange(line, {}));
    }
  }
  if (!line.empty()) line_(std::move(line));
  end_();
}

}  // namespace gadget::ports::desktop
