#include "wire/client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>

#include "wire/connect.hpp"
#include "wire/deadline.hpp"
#include "wire/link.hpp"
#include "wire/websocket_stream.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

}  // namespace

UpgradeOptions::UpgradeOptions() : subprotocols(1, "hermes-gadget.v1") {}

asio::awaitable<Result<std::shared_ptr<Socket>>> connect_socket(ConnectOptions options) {
  ignore_broken_pipes();
  const auto executor = co_await asio::this_coro::executor;
  const auto where = host_header(options.host, options.port);
  Tcp::resolver::results_type found;
  ErrorCode bad_address;
  if (const auto address = asio::ip::make_address(options.host, bad_address); !bad_address) {
    found = Tcp::resolver::results_type::create(Tcp::endpoint{address, options.port}, "", "");
  } else {
    Tcp::resolver resolver{executor};
    auto [error, results] =
        co_await resolver.async_resolve(options.host, std::to_string(options.port), kAwait);
    if (error) {
      co_return fail(FailureCode::not_found,
                     "the host \"" + options.host + "\" is not known: " + error.message());
    }
    found = results;
  }
  ErrorCode error;
  for (const auto& entry : found) {
    const auto endpoint = entry.endpoint();
    Tcp::socket native{executor};
    native.open(endpoint.protocol(), error);
    if (error) continue;
    if (options.receive_buffer_bytes > 0) {
      native.set_option(asio::socket_base::receive_buffer_size(options.receive_buffer_bytes),
                        error);
    }
    const Deadline deadline{executor, options.timeout, [&native] {
                              ErrorCode ignored;
                              native.close(ignored);
                            }};
    auto [failed] = co_await native.async_connect(endpoint, kAwait);
    if (deadline.passed()) {
      error = asio::error::timed_out;
      continue;
    }
    error = failed;
    if (!error) {
      auto socket = Socket::make(Socket::Native{std::move(native)});
      if (options.tls) {
        auto trusted = co_await secure(socket, options);
        if (!trusted) co_return tl::unexpected(trusted.error());
      }
      co_return socket;
    }
  }
  if (error == asio::error::timed_out) {
    co_return fail(FailureCode::timeout, where + " does not answer");
  }
  co_return fail(FailureCode::io, "cannot connect to " + where + ": " + error.message());
}

asio::awaitable<Result<void>> secure(std::shared_ptr<Socket> socket, ConnectOptions options) {
  const Deadline deadline{socket->executor(), options.timeout, [socket] { socket->close(); }};
  auto shaken = await_completion([socket, &options](Completion done) {
    socket->start_client_tls(options.tls, options.host, std::move(done));
  });
  auto [error, bytes] = co_await std::move(shaken);
  if (!error) co_return Result<void>{};
  if (deadline.passed()) {
    co_return fail(FailureCode::timeout,
                   "TLS with " + host_header(options.host, options.port) + " took too long");
  }
  auto text = socket->tls_failure().empty() ? error.message() : socket->tls_failure();
  co_return fail(FailureCode::refused,
                 "TLS with " + host_header(options.host, options.port) + " failed: " + text);
}

std::string host_header(const std::string& host, std::uint16_t port) {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

asio::awaitable<tl::expected<Upgraded, UpgradeRefused>> open_websocket(ConnectOptions connect,
                                                                       UpgradeOptions upgrade) {
  const auto timeout = connect.timeout;
  auto host = host_header(connect.host, connect.port);
  auto socket = co_await connect_socket(std::move(connect));
  if (!socket) co_return tl::unexpected(UpgradeRefused{socket.error(), 0, 0});
  const auto open = *socket;
  const Deadline deadline{open->executor(), timeout, [open] { open->close(); }};
  auto answer = co_await request_websocket(open, std::move(host), std::move(upgrade));
  if (!answer && deadline.passed()) {
    answer.error().failure = Failure{FailureCode::timeout, "the upgrade took too long", {}};
  }
  co_return answer;
}

}  // namespace gadget::wire
