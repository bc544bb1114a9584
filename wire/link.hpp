// link.hpp - inside wire/: a Socket as the stream that Beast's templates want, and as awaitables.
#pragma once

#include <memory>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "wire/completion.hpp"
#include "wire/socket.hpp"

namespace gadget::wire {

// Results come as (error, value) tuples; nothing throws.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

class Link {
 public:
  using executor_type = boost::asio::any_io_executor;

  explicit Link(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}
  [[nodiscard]] executor_type get_executor() const { return socket_->executor(); }
  [[nodiscard]] Socket& socket() const { return *socket_; }

  template <class MutableBuffers, class Token>
  auto async_read_some(const MutableBuffers& into, Token&& token) {
    boost::asio::mutable_buffer first;
    const auto end = boost::asio::buffer_sequence_end(into);
    for (auto it = boost::asio::buffer_sequence_begin(into); it != end && first.size() == 0; ++it) {
      first = *it;
    }
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [socket = socket_, first](auto&& handler) {
          socket->start_read(first, Completion{std::forward<decltype(handler)>(handler)});
        },
        token);
  }

  template <class ConstBuffers, class Token>
  auto async_write_some(const ConstBuffers& from, Token&& token) {
    Socket::Buffers list;
    const auto end = boost::asio::buffer_sequence_end(from);
    for (auto it = boost::asio::buffer_sequence_begin(from);
         it != end && list.count < Socket::kMaxBuffers; ++it) {
      const boost::asio::const_buffer buffer = *it;
      if (buffer.size() > 0) list.list[list.count++] = buffer;
    }
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [socket = socket_, list](auto&& handler) {
          socket->start_write(list, Completion{std::forward<decltype(handler)>(handler)});
        },
        token);
  }

 private:
  std::shared_ptr<Socket> socket_;
};

// Starts `operation(Completion)`; its result is awaited in a statement of its own: GCC 12 destroys
// a lambda with captures twice when it is a temporary of a co_await.
template <class Operation>
auto await_completion(Operation operation) {
  return boost::asio::async_initiate<decltype(kAwait), void(ErrorCode, std::size_t)>(
      [operation = std::move(operation)](auto&& handler) mutable {
        operation(Completion{
            [h = std::forward<decltype(handler)>(handler)](
                ErrorCode error, std::size_t bytes) mutable { std::move(h)(error, bytes); }});
      },
      kAwait);
}

}  // namespace gadget::wire
