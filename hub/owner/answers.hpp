// answers.hpp - how the owner API answers, and how a callback's result comes to a coroutine.
// Private to hub/owner.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>

#include "base/failure.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {

using Answer = Result<boost::json::object>;

[[nodiscard]] wire::OwnerResponse respond(const boost::json::object& body, unsigned status = 200);
[[nodiscard]] wire::OwnerResponse respond(const Failure& failure);
[[nodiscard]] wire::OwnerResponse respond(const Answer& answer);

// A result that a callback brings to a coroutine. Shared by both, so that either may go first.
template <class T>
class Promise {
 public:
  explicit Promise(const boost::asio::any_io_executor& executor)
      : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

  static std::function<void(Result<T>)> keeper(std::shared_ptr<Promise> self) {
    return [self = std::move(self)](Result<T> result) {
      if (self->result_) return;
      self->result_ = std::move(result);
      self->timer_.cancel();
    };
  }
  static boost::asio::awaitable<Result<T>> wait(std::shared_ptr<Promise> self) {
    boost::system::error_code ignored;
    while (!self->result_) {
      co_await self->timer_.async_wait(
          boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    co_return std::move(*self->result_);
  }

 private:
  boost::asio::steady_timer timer_;
  std::optional<Result<T>> result_;
};

}  // namespace gadget::hub
