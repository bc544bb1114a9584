// The hub's side of the owner socket.
#include "wire/unix_socket.hpp"

#include <cerrno>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "wire/link.hpp"
#include "wire/owner_http.hpp"
#include "wire/owner_path.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

constexpr auto kAcceptPause = std::chrono::milliseconds{100};

std::string system_text() { return std::string{std::strerror(errno)}; }

}  // namespace

struct OwnerServer::State : std::enable_shared_from_this<OwnerServer::State> {
  State(const asio::any_io_executor& executor, const std::filesystem::path& state_dir,
        OwnerCall given)
      : folder(state_dir), path(state_dir), acceptor(executor) {
    http->call = std::move(given);
  }

  Result<void> listen();
  static asio::awaitable<void> accept(std::shared_ptr<State> self);

  std::filesystem::path folder;
  OwnerPath path;
  Local::acceptor acceptor;
  std::shared_ptr<OwnerHttp> http = std::make_shared<OwnerHttp>();
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
      asio::co_spawn(self->acceptor.get_executor(), serve_owner(self->http, std::move(socket), {}),
                     asio::detached);
      continue;
    }
    pause.expires_after(kAcceptPause);
    auto [waited] = co_await pause.async_wait(kAwait);
    static_cast<void>(waited);
  }
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
  state_->http->close_all();
  const std::string name{kOwnerSocketName};
  if (state_->listening) ::unlinkat(state_->path.fd(), name.c_str(), 0);
  ::flock(state_->path.fd(), LOCK_UN);
}

}  // namespace gadget::wire
