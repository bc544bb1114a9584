// deadline.hpp - inside wire/: cuts off a socket when a step took too long. Lives on the
// coroutine's stack.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "wire/socket.hpp"

namespace gadget::wire {

class Deadline {
 public:
  Deadline(const boost::asio::any_io_executor& executor, std::chrono::milliseconds after,
           std::function<void()> act)
      : timer_(executor, after), state_(std::make_shared<State>(State{std::move(act), false})) {
    timer_.async_wait([state = std::weak_ptr{state_}](ErrorCode error) {
      const auto live = state.lock();
      if (error || !live) return;
      live->passed = true;
      if (live->act) live->act();
    });
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  [[nodiscard]] bool passed() const { return state_->passed; }

 private:
  struct State {
    std::function<void()> act;
    bool passed;
  };
  boost::asio::steady_timer timer_;
  std::shared_ptr<State> state_;
};

}  // namespace gadget::wire
