// The hub's side of the owner socket.
#include "wire/unix_socket.hpp"

#include <cerrno>
#include <exception>
#include <list>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "wire/deadline.hpp"
#include "wire/http_io.hpp"
#include "wire/link.hpp"
#include "wire/owner_path.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

constexpr std::size_t kOwnerHeadBytes = 8 * 1024;
// For the whole request: it comes from this machine.
constexpr auto kOwnerRequestTimeout = std::chrono::seconds{10};
constexpr auto kAcceptPause = std::chrono::milliseconds{100};

std::string system_text() { return std::string{std::strerror(errno)}; }

std::string json_failure(std::string_view text) {
  return "{\"error\":\"" + std::string{text} + "\"}";
}

std::size_t body_limit(const HttpRequest& head) {
  return head.header("content-type") == kFileType ? kOwnerFileBytes : kOwnerBodyBytes;
}

// Returns when the client has left. Clients send nothing after their request, so readable means
// left.
asio::awaitable<void> until_client_leaves(std::shared_ptr<Socket> socket) {
  auto [error] = co_await socket->native().async_wait(Socket::Native::wait_read, kAwait);
  static_cast<void>(error);
}

std::string chunk(std::string_view bytes) {
  char size[20];
  const int digits = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  std::string out{size, static_cast<std::size_t>(digits)};
  out.append(bytes).append("\r\n");
  return out;
}

}  // namespace

struct OwnerServer::State : std::enable_shared_from_this<OwnerServer::State> {
  State(const asio::any_io_executor& executor, const std::filesystem::path& state_dir,
        OwnerCall given)
      : folder(state_dir), path(state_dir), call(std::move(given)), acceptor(executor) {}

  Result<void> listen();
  static asio::awaitable<void> accept(std::shared_ptr<State> self);
  static asio::awaitable<void> serve(std::shared_ptr<State> self, std::shared_ptr<Socket> socket);
  static asio::awaitable<void> answer(std::shared_ptr<State> self, std::shared_ptr<Socket> socket,
                                      HttpRequest request);
  static asio::awaitable<void> go_on(std::shared_ptr<Socket> socket, OwnerResponse response);

  std::filesystem::path folder;
  OwnerPath path;
  OwnerCall call;
  Local::acceptor acceptor;
  std::list<std::shared_ptr<Socket>> open;
  bool listening = false;
  bool stopped = false;
};

Result<void> OwnerServer::State::listen() {
  if (path.fd() < 0) {
    return fail(FailureCode::io,
                "the state directory " + folder.string() + " cannot be opened: " + system_text());
  }
  const auto taken = [] {
    return fail(FailureCode::refused, "another hub already runs on this state directory",
                "stop it, or give --state another one");
  };
  // The lock decides between two hubs that start at the same time; it ends with the process,
  // however that ends.
  if (::flock(path.fd(), LOCK_EX | LOCK_NB) != 0) return taken();
  const auto address = path.address();
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answered = probe >= 0 && ::connect(probe, where, sizeof address) == 0;
  if (probe >= 0) ::close(probe);
  if (answered) return taken();

  const std::string name{kOwnerSocketName};
  ::unlinkat(path.fd(), name.c_str(), 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // The mode of the socket before it is bound becomes that of its file: nobody else can connect in
  // between.
  const bool bound = fd >= 0 && ::fchmod(fd, S_IRUSR | S_IWUSR) == 0 &&
                     ::bind(fd, where, sizeof address) == 0 && ::listen(fd, SOMAXCONN) == 0;
  if (!bound) {
    const auto text = system_text();
    if (fd >= 0) ::close(fd);
    return fail(FailureCode::io,
                "the owner socket in " + folder.string() + " cannot be made: " + text);
  }
  listening = true;
  ErrorCode error;
  acceptor.assign(Local{}, fd, error);
  if (error) return fail(FailureCode::io, "the owner socket: " + error.message());
  return {};
}

asio::awaitable<void> OwnerServer::State::accept(std::shared_ptr<State> self) {
  asio::steady_timer pause{self->acceptor.get_executor()};
  while (!self->stopped) {
    auto [error, native] = co_await self->acceptor.async_accept(kAwait);
    if (self->stopped) co_return;
    if (!error) {
      auto socket = Socket::make(Socket::Native{std::move(native)});
      asio::co_spawn(self->acceptor.get_executor(), serve(self, std::move(socket)), asio::detached);
      continue;
    }
    pause.expires_after(kAcceptPause);
    auto [waited] = co_await pause.async_wait(kAwait);
    static_cast<void>(waited);
  }
}

asio::awaitable<void> OwnerServer::State::serve(std::shared_ptr<State> self,
                                                std::shared_ptr<Socket> socket) {
  const auto here = self->open.insert(self->open.end(), socket);
  ReadRequest read;
  {
    const Deadline deadline{socket->executor(), kOwnerRequestTimeout,
                            [socket] { socket->close(); }};
    read = co_await read_request(socket, kOwnerHeadBytes, body_limit);
  }
  if (read.status == 0) {
    co_await answer(self, socket, std::move(read.request));
  } else if (read.status != 1) {
    HttpResponse refusal{
        read.status, "application/json", {}, json_failure(status_text(read.status))};
    auto bytes = serialize(refusal, false);
    co_await write_all(socket, std::move(bytes));
  }
  socket->retire();
  self->open.erase(here);
}

asio::awaitable<void> OwnerServer::State::answer(std::shared_ptr<State> self,
                                                 std::shared_ptr<Socket> socket,
                                                 HttpRequest request) {
  OwnerResponse response;
  try {
    response = co_await self->call(std::move(request));
  } catch (const std::exception&) {  // a library threw where we did not expect it
    response = OwnerResponse{};
    response.status = 500;
    response.body = json_failure("internal");
  }
  if (response.more) {
    co_await go_on(socket, std::move(response));
    co_return;
  }
  HttpResponse whole{
      response.status, std::move(response.content_type), {}, std::move(response.body)};
  auto bytes = serialize(whole, false);
  co_await write_all(socket, std::move(bytes));
}

// An answer in chunks, for as long as there are more and the client stays.
asio::awaitable<void> OwnerServer::State::go_on(std::shared_ptr<Socket> socket,
                                                OwnerResponse response) {
  using namespace asio::experimental::awaitable_operators;
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(status_text(response.status)).append("\r\nContent-Type: ");
  head.append(response.content_type).append("\r\nTransfer-Encoding: chunked\r\n\r\n");
  if (!response.body.empty()) head += chunk(response.body);
  bool there = co_await write_all(socket, std::move(head));
  try {
    while (there) {
      auto next = response.more();
      auto gone = until_client_leaves(socket);
      auto first = co_await (std::move(next) || std::move(gone));
      if (first.index() == 1) co_return;
      auto& piece = std::get<0>(first);
      if (!piece) break;
      if (piece->empty()) continue;  // an empty chunk would be the end
      auto bytes = chunk(*piece);
      there = co_await write_all(socket, std::move(bytes));
    }
  } catch (const std::exception&) {
    co_return;  // the client sees that the answer broke off
  }
  if (there) co_await write_all(socket, "0\r\n\r\n");
}

OwnerServer::OwnerServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

OwnerServer::~OwnerServer() { stop(); }

Result<std::unique_ptr<OwnerServer>> OwnerServer::open(const asio::any_io_executor& executor,
                                                       const std::filesystem::path& state_dir,
                                                       OwnerCall call) {
  auto state = std::make_shared<State>(executor, state_dir, std::move(call));
  if (auto listening = state->listen(); !listening) return tl::unexpected(listening.error());
  asio::co_spawn(executor, State::accept(state), asio::detached);
  return std::unique_ptr<OwnerServer>{new OwnerServer{std::move(state)}};
}

void OwnerServer::stop() {
  if (std::exchange(state_->stopped, true)) return;
  ErrorCode ignored;
  state_->acceptor.close(ignored);
  for (const auto& socket : state_->open) socket->close();
  const std::string name{kOwnerSocketName};
  if (state_->listening) ::unlinkat(state_->path.fd(), name.c_str(), 0);
  ::flock(state_->path.fd(), LOCK_UN);
}

}  // namespace gadget::wire
