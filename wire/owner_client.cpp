// The owner's side of the owner socket: plain blocking calls, so that a command starts in no time.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "wire/owner_path.hpp"
#include "wire/owner_tcp.hpp"
#include "wire/tls.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::wire {
namespace {

using Clock = std::chrono::steady_clock;

// Longest answer that is taken: a list of 100,000 devices has room.
constexpr std::size_t kAnswerBytes = 256UL * 1024 * 1024;

std::string system_text() { return std::string{std::strerror(errno)}; }

std::string host_header(const OwnerPlace& place) {
  const bool v6 = place.host.find(':') != std::string::npos;
  return (v6 ? "[" + place.host + "]" : place.host) + ":" + std::to_string(place.port);
}

class Connection {
 public:
  Connection(int fd, std::chrono::milliseconds timeout)
      : fd_(fd), forever_(timeout.count() == 0), until_(Clock::now() + timeout) {}
  ~Connection() {
    if (fd_ >= 0) ::close(fd_);
  }
  Connection(Connection&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), forever_(other.forever_), until_(other.until_) {}
  Connection& operator=(Connection&&) = delete;

  [[nodiscard]] Result<void> send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      // The hub may have answered already and closed (413): its answer counts.
      if (sent < 0 && errno == EPIPE) return {};
      if (sent < 0) return fail(FailureCode::io, "the hub cannot be asked: " + system_text());
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }

  // Appends what comes. False: the hub has ended its answer.
  [[nodiscard]] Result<bool> receive(std::string& into) const {
    for (;;) {
      int wait = -1;
      if (!forever_) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
        wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
      }
      pollfd ready{fd_, POLLIN, 0};
      const int polled = ::poll(&ready, 1, wait);
      if (polled < 0 && errno == EINTR) continue;
      if (polled == 0) return fail(FailureCode::timeout, "the hub did not answer in time");
      char piece[16 * 1024];
      const auto count = ::recv(fd_, piece, sizeof piece, 0);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0 && errno == ECONNRESET) return false;
      if (count < 0) return fail(FailureCode::io, "the hub's answer broke off: " + system_text());
      into.append(piece, static_cast<std::size_t>(count));
      return count > 0;
    }
  }

 private:
  int fd_;
  bool forever_;
  Clock::time_point until_;
};

Result<Connection> connect_socket(const std::filesystem::path& state_dir,
                                  std::chrono::milliseconds timeout) {
  const auto nobody = [&] {
    return fail(FailureCode::no_hub, "no hub runs on " + state_dir.string(),
                "start one: hermes-gadget hub --state " + state_dir.string());
  };
  const OwnerPath path{state_dir};
  if (path.fd() < 0 && errno != EACCES) return nobody();
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(FailureCode::io, "no socket can be opened: " + system_text());
  Connection connection{fd, timeout};
  const auto address = path.address();
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return connection;
  }
  if (errno == EACCES || errno == EPERM) {
    return fail(FailureCode::refused, state_dir.string() + " belongs to somebody else",
                "run this as the user that the hub runs as");
  }
  if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) return nobody();
  return fail(FailureCode::io,
              "the hub on " + state_dir.string() + " cannot be reached: " + system_text());
}

// A token goes to this machine only: nothing on the way could read it.
Result<Connection> connect_tcp(const OwnerPlace& place, std::chrono::milliseconds timeout) {
  const std::string where = host_header(place);
  if (!is_loopback(place.host)) {
    return fail(FailureCode::invalid_argument,
                place.host + " is no loopback address: the token would be seen on the way",
                "run the command on the hub's machine, or through a tunnel that ends on 127.0.0.1");
  }
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &found) != 0) {
    return fail(FailureCode::invalid_argument, where + " is no address");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list{found, ::freeaddrinfo};
  const int fd = ::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(FailureCode::io, "no socket can be opened: " + system_text());
  Connection connection{fd, timeout};
  if (::connect(fd, list->ai_addr, list->ai_addrlen) == 0) return connection;
  if (errno == ECONNREFUSED) {
    return fail(FailureCode::no_hub, "no hub answers on " + where,
                "its setting owner_listen says where it does");
  }
  return fail(FailureCode::io, "the hub on " + where + " cannot be reached: " + system_text());
}

struct Head {
  OwnerAnswer answer;
  std::optional<std::size_t> length;  // of the body; none: in chunks
};

std::string lowered(std::string_view text) {
  std::string out{text};
  for (auto& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Takes the head off `bytes` once it is complete.
std::optional<Head> take_head(std::string& bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  Head head;
  std::string_view rest{bytes.data(), end};
  if (rest.size() >= 12) std::from_chars(rest.data() + 9, rest.data() + 12, head.answer.status);
  while (!rest.empty()) {
    const auto line_end = rest.find("\r\n");
    const auto line = rest.substr(0, line_end);
    rest = line_end == std::string_view::npos ? std::string_view{} : rest.substr(line_end + 2);
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const auto name = lowered(line.substr(0, colon));
    const auto value = line.substr(colon + 2);
    if (name == "content-type") head.answer.content_type = value;
    if (name == "content-length") {
      std::size_t length = 0;
      std::from_chars(value.data(), value.data() + value.size(), length);
      head.length = length;
    }
  }
  bytes.erase(0, end + 4);
  return head;
}

// Takes the next whole chunk off `bytes`; an empty one is the last.
std::optional<std::string> take_chunk(std::string& bytes) {
  const auto line = bytes.find("\r\n");
  if (line == std::string::npos) return std::nullopt;
  std::size_t size = 0;
  std::from_chars(bytes.data(), bytes.data() + line, size, 16);
  if (size > kAnswerBytes || bytes.size() < line + 2 + size + 2) return std::nullopt;
  auto chunk = bytes.substr(line + 2, size);
  bytes.erase(0, line + 2 + size + 2);
  return chunk;
}

const auto kBrokenOff = [] {
  return fail(FailureCode::io, "the hub's answer broke off", "it may have been stopped");
};

Result<OwnerAnswer> ask(const OwnerPlace& place, std::string_view method, std::string_view target,
                        std::string_view body, std::string_view body_type,
                        std::chrono::milliseconds timeout,
                        const std::function<bool(std::string_view)>& piece) {
  ignore_broken_pipes();
  auto connection =
      place.port == 0 ? connect_socket(place.state_dir, timeout) : connect_tcp(place, timeout);
  if (!connection) return tl::unexpected(connection.error());
  std::string request{method};
  request.append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  request.append(place.port == 0 ? "owner" : host_header(place)).append("\r\n");
  if (!place.token.empty()) {
    request.append("Authorization: Bearer ").append(place.token).append("\r\n");
  }
  if (!body.empty()) request.append("Content-Type: ").append(body_type).append("\r\n");
  request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  for (const std::string_view part : {std::string_view(request), body}) {
    if (auto sent = connection->send(part); !sent) return tl::unexpected(sent.error());
  }

  std::string bytes;
  std::optional<Head> head;
  for (;;) {
    if (!head) head = take_head(bytes);
    if (head && head->length && bytes.size() >= *head->length) {
      head->answer.body = bytes.substr(0, *head->length);
      return std::move(head->answer);
    }
    while (head && !head->length) {
      const auto chunk = take_chunk(bytes);
      if (!chunk) break;
      if (chunk->empty()) return std::move(head->answer);
      if (!piece || head->answer.status != 200) {
        head->answer.body += *chunk;
      } else if (!piece(*chunk)) {
        return std::move(head->answer);
      }
    }
    if (bytes.size() > kAnswerBytes) return fail(FailureCode::io, "the hub's answer does not end");
    const auto more = connection->receive(bytes);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return kBrokenOff();
  }
}

}  // namespace

Result<OwnerAnswer> owner_request(const OwnerPlace& place, std::string_view method,
                                  std::string_view target, std::string_view body,
                                  std::chrono::milliseconds timeout, std::string_view body_type) {
  return ask(place, method, target, body, body_type, timeout, nullptr);
}

Result<OwnerAnswer> owner_stream(const OwnerPlace& place, std::string_view method,
                                 std::string_view target, std::string_view body,
                                 const std::function<bool(std::string_view)>& piece) {
  return ask(place, method, target, body, kJsonType, std::chrono::milliseconds{0}, piece);
}

}  // namespace gadget::wire
