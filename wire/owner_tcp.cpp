#include "wire/owner_tcp.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>

#include "wire/link.hpp"
#include "wire/owner_http.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

// After running out of file descriptors: others may close meanwhile.
constexpr auto kAcceptPause = std::chrono::milliseconds{100};

}  // namespace

struct OwnerTcpServer::State {
  explicit State(const asio::any_io_executor& executor) : acceptor(executor) {}

  Result<void> listen(const std::string& host, std::uint16_t port);
  static asio::awaitable<void> accept(std::shared_ptr<State> self);

  Tcp::acceptor acceptor;
  std::shared_ptr<OwnerHttp> http = std::make_shared<OwnerHttp>();
  bool stopped = false;
};

bool is_loopback(const std::string& host) {
  ErrorCode error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

Result<void> OwnerTcpServer::State::listen(const std::string& host, std::uint16_t port) {
  if (!is_loopback(host)) {
    return fail(FailureCode::invalid_argument, "the owner's API cannot listen on \"" + host + "\"",
                "it is for this machine only: 127.0.0.1 or ::1, and a port");
  }
  ErrorCode error;
  const Tcp::endpoint endpoint{asio::ip::make_address(host), port};
  acceptor.open(endpoint.protocol(), error);
  if (!error) {
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
    acceptor.bind(endpoint, error);
  }
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  const std::string where = "port " + std::to_string(port) + " on " + host;
  if (error == asio::error::address_in_use) {
    return fail(FailureCode::unavailable, where + " is in use", "port 0 picks a free one");
  }
  if (error) return fail(FailureCode::io, where + ": " + error.message());
  return {};
}

asio::awaitable<void> OwnerTcpServer::State::accept(std::shared_ptr<State> self) {
  asio::steady_timer pause{self->acceptor.get_executor()};
  while (!self->stopped) {
    auto [error, native] = co_await self->acceptor.async_accept(kAwait);
    if (self->stopped) co_return;
    if (!error) {
      ErrorCode gone;
      const auto remote = native.remote_endpoint(gone);
      if (gone) continue;
      auto socket = Socket::make(Socket::Native{std::move(native)});
      asio::co_spawn(self->acceptor.get_executor(),
                     serve_owner(self->http, std::move(socket), remote.address().to_string()),
                     asio::detached);
      continue;
    }
    pause.expires_after(kAcceptPause);
    auto [waited] = co_await pause.async_wait(kAwait);
    static_cast<void>(waited);
  }
}

OwnerTcpServer::OwnerTcpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

OwnerTcpServer::~OwnerTcpServer() { stop(); }

Result<std::unique_ptr<OwnerTcpServer>> OwnerTcpServer::open(const asio::any_io_executor& executor,
                                                             const std::string& host,
                                                             std::uint16_t port, OwnerGate gate,
                                                             OwnerCall call) {
  auto state = std::make_shared<State>(executor);
  if (auto listening = state->listen(host, port); !listening) {
    return tl::unexpected(std::move(listening.error()));
  }
  state->http->call = std::move(call);
  state->http->gate = std::move(gate);
  state->http->most_waiting = kOwnerWaitingSockets;
  asio::co_spawn(executor, State::accept(state), asio::detached);
  return std::unique_ptr<OwnerTcpServer>{new OwnerTcpServer{std::move(state)}};
}

std::uint16_t OwnerTcpServer::port() const {
  ErrorCode ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

std::string OwnerTcpServer::url() const {
  ErrorCode ignored;
  const auto endpoint = state_->acceptor.local_endpoint(ignored);
  const auto host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

void OwnerTcpServer::stop() {
  if (std::exchange(state_->stopped, true)) return;
  ErrorCode ignored;
  state_->acceptor.close(ignored);
  state_->http->close_all();
}

}  // namespace gadget::wire
