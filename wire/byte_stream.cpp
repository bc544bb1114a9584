#include "wire/byte_stream.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "wire/connect.hpp"
#include "wire/deadline.hpp"
#include "wire/link.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;

// How long close() may take to send what is queued.
constexpr auto kCloseFlush = std::chrono::seconds{1};
constexpr std::size_t kReadBytes = 16 * 1024;

}  // namespace

// One connection. The ByteStream lets go of it on close and abort; what is still running then finds
// no owner.
struct ByteStream::State : std::enable_shared_from_this<ByteStream::State> {
  State(asio::any_io_executor where, ByteStreamOptions given)
      : executor(std::move(where)), options(std::move(given)), timer(executor) {}

  static asio::awaitable<void> run(std::shared_ptr<State> self);
  static asio::awaitable<void> read(std::shared_ptr<State> self);
  void start_write();
  void end(Failure failure);
  [[nodiscard]] std::size_t queued() const { return queue.size() + writing.size() - written; }

  asio::any_io_executor executor;
  ByteStreamOptions options;
  asio::steady_timer timer;
  // Null: nobody listens any more. Shared, so that a callback may destroy the ByteStream that it
  // belongs to.
  std::shared_ptr<const ByteStreamCalls> calls;
  std::shared_ptr<Socket> socket;  // once open
  std::string queue;
  std::string writing;
  std::size_t written = 0;
  bool write_runs = false;
  bool close_when_empty = false;
};

asio::awaitable<void> ByteStream::State::run(std::shared_ptr<State> self) {
  ConnectOptions connect;
  connect.host = self->options.host;
  connect.port = self->options.port;
  connect.tls = self->options.tls;
  connect.timeout = self->options.connect_timeout;
  auto socket = co_await connect_socket(std::move(connect));
  if (self->calls == nullptr) {
    if (socket) (*socket)->close();
    co_return;
  }
  self->timer.cancel();
  if (!socket) {
    self->end(socket.error());
    co_return;
  }
  self->socket = *socket;
  if (const auto calls = self->calls; calls->opened) calls->opened();
  co_await read(self);
}

asio::awaitable<void> ByteStream::State::read(std::shared_ptr<State> self) {
  std::vector<std::byte> piece(kReadBytes);
  Link link{self->socket};
  while (self->calls != nullptr) {
    auto [error, bytes] = co_await link.async_read_some(asio::buffer(piece), kAwait);
    if (self->calls == nullptr) co_return;
    if (error) {
      self->end(
          {FailureCode::io, error == asio::error::eof ? "end of stream" : error.message(), {}});
      co_return;
    }
    if (const auto calls = self->calls; calls->received) calls->received({piece.data(), bytes});
  }
}

// What is queued in one go leaves in one write.
void ByteStream::State::start_write() {
  if (write_runs || !socket) return;
  write_runs = true;
  asio::post(executor, [self = shared_from_this()] {
    if (self->written == self->writing.size()) {
      self->writing.clear();
      self->written = 0;
      self->writing.swap(self->queue);
    }
    Socket::Buffers buffers;
    buffers.list[0] = asio::buffer(self->writing) + self->written;
    buffers.count = 1;
    self->socket->start_write(buffers, Completion{[self](ErrorCode error, std::size_t bytes) {
                                self->write_runs = false;
                                self->written += bytes;
                                if (error) {
                                  self->queue.clear();
                                  self->written = self->writing.size();
                                  if (self->close_when_empty) self->socket->close();
                                  return;  // the read will end and say why
                                }
                                if (self->queued() > 0) return self->start_write();
                                if (self->close_when_empty) {
                                  self->timer.cancel();
                                  self->socket->retire();
                                } else if (const auto listener = self->calls;
                                           listener && listener->drained) {
                                  listener->drained();
                                }
                              }});
  });
}

void ByteStream::State::end(Failure failure) {
  const auto listener = std::exchange(calls, nullptr);
  timer.cancel();
  if (socket) socket->close();
  if (listener && listener->ended) listener->ended(failure);
}

ByteStream::ByteStream(const asio::any_io_executor& executor, ByteStreamCalls calls)
    : executor_(executor), calls_(std::make_shared<ByteStreamCalls>(std::move(calls))) {}

ByteStream::~ByteStream() { close(); }

void ByteStream::connect(ByteStreamOptions options) {
  abort();
  state_ = std::make_shared<State>(executor_, std::move(options));
  state_->calls = calls_;
  // Guards the whole of it: a name server that does not answer cannot be cancelled, but need not be
  // waited for.
  state_->timer.expires_after(state_->options.connect_timeout);
  state_->timer.async_wait([state = state_](ErrorCode error) {
    if (error || state->socket) return;
    state->end({FailureCode::timeout,
                host_header(state->options.host, state->options.port) + " does not answer",
                {}});
  });
  asio::co_spawn(executor_, State::run(state_), asio::detached);
}

bool ByteStream::write(std::span<const std::byte> bytes) {
  if (!is_open() || bytes.size() > room()) return false;
  if (bytes.empty()) return true;
  state_->queue.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  state_->start_write();
  return true;
}

std::size_t ByteStream::room() const {
  if (!is_open()) return 0;
  const auto queued = state_->queued();
  return state_->options.queue_limit_bytes - std::min(state_->options.queue_limit_bytes, queued);
}

std::size_t ByteStream::queued() const { return is_open() ? state_->queued() : 0; }

bool ByteStream::is_open() const { return state_ && state_->calls != nullptr && state_->socket; }

void ByteStream::close() {
  const auto state = std::exchange(state_, nullptr);
  if (!state) return;
  state->calls = nullptr;
  state->timer.cancel();
  if (!state->socket) return;  // still connecting: run() closes it
  if (state->queued() == 0) return state->socket->retire();
  state->close_when_empty = true;
  state->timer.expires_after(kCloseFlush);
  state->timer.async_wait([state](ErrorCode error) {
    if (!error) state->socket->close();
  });
}

void ByteStream::abort() {
  const auto state = std::exchange(state_, nullptr);
  if (!state) return;
  state->calls = nullptr;
  state->timer.cancel();
  if (state->socket) state->socket->close();
}

}  // namespace gadget::wire
