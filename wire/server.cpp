#include "wire/server.hpp"

#include <list>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <sys/socket.h>

#include "wire/http_io.hpp"
#include "wire/link.hpp"
#include "wire/socket.hpp"
#include "wire/websocket_stream.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

// How often step timeouts are looked at while somebody is in a step: a step may last so much
// longer.
constexpr auto kSweepEvery = std::chrono::milliseconds{200};
// After running out of file descriptors: others may close meanwhile.
constexpr auto kAcceptPause = std::chrono::milliseconds{100};
// Sockets turned away at once that are told so; beyond, under a flood, they are just closed.
constexpr std::size_t kPoliteRefusals = 64;

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct Listener::State : std::enable_shared_from_this<Listener::State> {
  // A socket between accept and upgrade. Lives in its coroutine.
  struct Step {
    std::shared_ptr<Socket> socket;
    std::int64_t deadline_ms = 0;
    bool expired = false;
    bool evicted = false;
    bool upgraded = false;
  };

  State(const asio::any_io_executor& executor, ListenOptions given, ListenerCalls given_calls)
      : options(std::move(given)),
        calls(std::move(given_calls)),
        acceptor(executor),
        sweep_timer(executor) {
    if (!options.lobby) options.lobby = Lobby::make();
    if (!options.now_ms) options.now_ms = steady_ms;
  }

  Result<void> listen();
  static asio::awaitable<void> accept(std::shared_ptr<State> self);
  static asio::awaitable<void> serve(std::shared_ptr<State> self, Tcp::socket native);
  static asio::awaitable<bool> shake_hands(std::shared_ptr<State> self, Step& step,
                                           std::string_view peer);
  static asio::awaitable<void> refuse(std::shared_ptr<State> self, std::shared_ptr<Socket> socket);
  static asio::awaitable<void> answer(std::shared_ptr<State> self, Step& step,
                                      const HttpRequest& request, HttpResponse response);
  static asio::awaitable<void> upgrade(std::shared_ptr<State> self, Step& step, HttpRequest request,
                                       Upgrade decision, Lobby::Place place,
                                       std::shared_ptr<std::function<void()>> evict);

  void observe(ListenerEvent::Kind kind, std::string_view peer, std::string_view text = {},
               unsigned status = 0) const {
    if (calls.observe) calls.observe({kind, peer, status, text});
  }
  void begin(Step& step) { step.deadline_ms = options.now_ms() + options.step_timeout.count(); }
  void sweep();
  void arm_sweep();

  ListenOptions options;
  ListenerCalls calls;
  Tcp::acceptor acceptor;
  asio::steady_timer sweep_timer;
  std::list<Step*> steps;
  bool sweeping = false;
  bool stopped = false;
  std::size_t refusing = 0;
};

Result<void> Listener::State::listen() {
  const auto where = "port " + std::to_string(options.port) + " on " + options.host;
  ErrorCode error;
  auto address = asio::ip::make_address(options.host, error);
  if (error) {
    Tcp::resolver resolver{acceptor.get_executor()};
    const auto found = resolver.resolve(options.host, "", Tcp::resolver::passive, error);
    if (error || found.empty()) {
      return fail(FailureCode::invalid_argument,
                  "the host \"" + options.host + "\" is not an address of this machine",
                  "0.0.0.0 listens on all of its networks, 127.0.0.1 on none");
    }
    address = found.begin()->endpoint().address();
  }
  const Tcp::endpoint endpoint{address, options.port};
  acceptor.open(endpoint.protocol(), error);
  if (error) return fail(FailureCode::io, where + ": " + error.message());
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  const auto share = [this] {
    const int one = 1;
    ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  };
  if (options.port_use == PortUse::further) share();
  acceptor.bind(endpoint, error);
  if (!error && options.port_use == PortUse::first) share();
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::address_in_use) {
    return fail(FailureCode::unavailable, where + " is in use", "--port 0 picks a free one");
  }
  if (error == boost::system::errc::address_not_available) {
    return fail(FailureCode::invalid_argument,
                "the host \"" + options.host + "\" is not an address of this machine",
                "0.0.0.0 listens on all of its networks, 127.0.0.1 on none");
  }
  if (error == asio::error::access_denied) {
    return fail(FailureCode::refused, where + " needs privileges", "ports from 1024 do not");
  }
  if (error) return fail(FailureCode::io, where + ": " + error.message());
  return {};
}

asio::awaitable<void> Listener::State::accept(std::shared_ptr<State> self) {
  asio::steady_timer pause{self->acceptor.get_executor()};
  while (!self->stopped) {
    auto [error, native] = co_await self->acceptor.async_accept(kAwait);
    if (self->stopped) co_return;
    if (!error) {
      asio::co_spawn(self->acceptor.get_executor(), serve(self, std::move(native)), asio::detached);
      continue;
    }
    self->observe(ListenerEvent::Kind::accept_failed, "", error.message());
    pause.expires_after(kAcceptPause);
    auto [waited] = co_await pause.async_wait(kAwait);
    static_cast<void>(waited);
  }
}

// The life of one socket until it is answered or upgraded.
asio::awaitable<void> Listener::State::serve(std::shared_ptr<State> self, Tcp::socket native) {
  ErrorCode error;
  const auto remote = native.remote_endpoint(error);
  if (error) co_return;  // gone already
  const auto peer = remote.address().to_string();
  Step step;
  step.socket = Socket::make(Socket::Native{std::move(native)});

  // Runs on this executor; what it does changes as the socket becomes a WebSocket.
  auto evict = std::make_shared<std::function<void()>>([self, &step] {
    step.evicted = true;
    step.socket->close();
  });
  auto place = self->options.lobby->enter(peer, [evict, executor = self->acceptor.get_executor()] {
    asio::post(executor, [evict] {
      if (*evict) (*evict)();
    });
  });
  if (!place) {
    *evict = nullptr;
    self->observe(ListenerEvent::Kind::refused_address_full, peer);
    co_await refuse(self, step.socket);
    co_return;
  }
  const auto here = self->steps.insert(self->steps.end(), &step);
  self->begin(step);
  self->arm_sweep();

  if (co_await shake_hands(self, step, peer)) {
    self->begin(step);
    auto read = co_await read_head(step.socket, kRequestHeadBytes);
    read.request.peer_address = peer;
    read.request.peer_port = remote.port();
    read.request.tls = step.socket->is_tls();
    if (step.evicted || self->stopped) {
      self->observe(ListenerEvent::Kind::evicted, peer);
    } else if (step.expired) {
      self->observe(ListenerEvent::Kind::timeout, peer, "request head");
      auto response = plain_response(408, "The request took too long.");
      co_await answer(self, step, read.request, std::move(response));
    } else if (read.status == 1) {
      self->observe(ListenerEvent::Kind::gone, peer, read.text);
    } else if (read.status != 0) {
      self->observe(ListenerEvent::Kind::bad_request, peer, read.text, read.status);
      auto response = plain_response(read.status, std::string{status_text(read.status)});
      co_await answer(self, step, read.request, std::move(response));
    } else {
      auto decision = self->calls.decide(read.request);
      if (auto* response = std::get_if<HttpResponse>(&decision)) {
        co_await answer(self, step, read.request, std::move(*response));
      } else {
        co_await upgrade(self, step, std::move(read.request),
                         std::get<Upgrade>(std::move(decision)), std::move(place), evict);
      }
    }
  }
  self->steps.erase(here);
  if (!step.upgraded) *evict = nullptr;
}

asio::awaitable<bool> Listener::State::shake_hands(std::shared_ptr<State> self, Step& step,
                                                   std::string_view peer) {
  if (!self->options.tls) co_return true;
  const auto context = self->options.tls->context();
  const auto socket = step.socket;
  auto started = await_completion(
      [socket, context](Completion done) { socket->start_server_tls(context, std::move(done)); });
  auto [error, bytes] = co_await std::move(started);
  if (!error) co_return true;
  const auto kind = step.expired   ? ListenerEvent::Kind::timeout
                    : step.evicted ? ListenerEvent::Kind::evicted
                                   : ListenerEvent::Kind::tls_failed;
  self->observe(kind, peer, step.expired ? "TLS" : step.socket->tls_failure());
  step.socket->retire();  // an alert may be on its way
  co_return false;
}

// E3: the address holds too many sockets already. With TLS there is nothing to say it in.
asio::awaitable<void> Listener::State::refuse(std::shared_ptr<State> self,
                                              std::shared_ptr<Socket> socket) {
  if (self->options.tls || self->refusing >= kPoliteRefusals) {
    socket->close();
    co_return;
  }
  ++self->refusing;
  auto response = plain_response(503, "Too many connections from this address.");
  response.headers.push_back({"Retry-After", std::to_string(kRetryAfterSeconds)});
  auto bytes = serialize(response, false);
  co_await write_all(socket, std::move(bytes));
  socket->retire();
  // What lingers still counts, so that a flood does not pile up sockets.
  asio::steady_timer linger{self->acceptor.get_executor(), kLinger};
  auto [waited] = co_await linger.async_wait(kAwait);
  static_cast<void>(waited);
  --self->refusing;
}

asio::awaitable<void> Listener::State::answer(std::shared_ptr<State> self, Step& step,
                                              const HttpRequest& request, HttpResponse response) {
  step.expired = false;
  self->begin(step);
  auto bytes = serialize(response, request.method == "HEAD");
  const bool written = co_await write_all(step.socket, std::move(bytes));
  step.socket->retire();
  if (written) {
    self->observe(ListenerEvent::Kind::answered, request.peer_address, request.target,
                  response.status);
  }
}

asio::awaitable<void> Listener::State::upgrade(std::shared_ptr<State> self, Step& step,
                                               HttpRequest request, Upgrade decision,
                                               Lobby::Place place,
                                               std::shared_ptr<std::function<void()>> evict) {
  if (auto bad = bad_upgrade(request)) {
    co_await answer(self, step, request, std::move(*bad));
    co_return;
  }
  if (!decision.lobby_address.empty() && !place.move_to(decision.lobby_address)) {
    self->observe(ListenerEvent::Kind::refused_address_full, decision.lobby_address);
    auto response = plain_response(503, "Too many connections from this address.");
    response.headers.push_back({"Retry-After", std::to_string(kRetryAfterSeconds)});
    co_await answer(self, step, request, std::move(response));
    co_return;
  }
  const auto key = request.header("Sec-WebSocket-Key");
  auto stream = co_await accept_websocket(step.socket, key, decision.subprotocol);
  if (!stream || step.evicted || step.expired || self->stopped) {
    self->observe(ListenerEvent::Kind::gone, request.peer_address, "during the upgrade");
    step.socket->close();
    co_return;
  }
  step.upgraded = true;
  *evict = eviction(stream);
  keep_place(*stream, std::move(place));
  self->calls.arrived(WebSocket{std::move(stream)}, std::move(request),
                      std::move(decision.subprotocol));
}

void Listener::State::sweep() {
  const auto now = options.now_ms();
  const auto live = steps;  // cancelling does not change the list, but nothing forbids it to
  for (Step* step : live) {
    if (step->expired || now < step->deadline_ms) continue;
    step->expired = true;
    step->socket->cancel();
  }
}

void Listener::State::arm_sweep() {
  if (sweeping || steps.empty() || stopped) return;
  sweeping = true;
  sweep_timer.expires_after(kSweepEvery);
  sweep_timer.async_wait([self = shared_from_this()](ErrorCode error) {
    self->sweeping = false;
    if (error) return;
    self->sweep();
    self->arm_sweep();
  });
}

Listener::Listener(std::shared_ptr<State> state) : state_(std::move(state)) {}

Listener::~Listener() { stop(); }

Result<std::unique_ptr<Listener>> Listener::open(const asio::any_io_executor& executor,
                                                 ListenOptions options, ListenerCalls calls) {
  ignore_broken_pipes();
  auto state = std::make_shared<State>(executor, std::move(options), std::move(calls));
  if (auto listening = state->listen(); !listening) return tl::unexpected(listening.error());
  asio::co_spawn(executor, State::accept(state), asio::detached);
  return std::unique_ptr<Listener>{new Listener{std::move(state)}};
}

std::uint16_t Listener::port() const {
  ErrorCode ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

std::string Listener::address() const {
  ErrorCode ignored;
  return state_->acceptor.local_endpoint(ignored).address().to_string();
}

void Listener::stop() {
  if (std::exchange(state_->stopped, true)) return;
  ErrorCode ignored;
  state_->acceptor.close(ignored);
  state_->sweep_timer.cancel();
  const auto live = state_->steps;
  for (auto* step : live) step->socket->close();
}

void Listener::sweep() { state_->sweep(); }

std::string_view name(ListenerEvent::Kind kind) {
  using enum ListenerEvent::Kind;
  switch (kind) {
    case refused_address_full: return "refused_address_full";
    case evicted: return "evicted";
    case tls_failed: return "tls_failed";
    case timeout: return "timeout";
    case bad_request: return "bad_request";
    case gone: return "gone";
    case answered: return "answered";
    case accept_failed: return "accept_failed";
  }
  return "unknown";
}

}  // namespace gadget::wire
