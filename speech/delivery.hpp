// delivery.hpp - how a session's events get from a worker to the caller's loop, and stop when the
// session is destroyed.
//
// The events (the caller's functions and what they captured) are touched and destroyed on the
// caller's thread only. Workers hold the Delivery, ask `cancelled()` between pieces of work, and
// `post` calls; the calls look again, on the caller's thread, whether the session still lives. So a
// cancelled session delivers nothing, whatever was in flight (E21, B-39), and there is no race
// about it: one thread decides.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "speech/workers.hpp"

namespace gadget::speech {

template <class Events>
class Delivery : public std::enable_shared_from_this<Delivery<Events>> {
 public:
  Delivery(Executor executor, Events events)
      : executor_(std::move(executor)), events_(std::make_shared<Events>(std::move(events))) {}

  // Caller's thread, once: the session is gone. Safe from within one of its own events.
  void cancel() {
    cancelled_.store(true, std::memory_order_relaxed);
    events_.reset();
  }
  // Any thread; a hint to stop working, not the guard.
  [[nodiscard]] const std::atomic<bool>& cancelled() const { return cancelled_; }

  // Any thread: calls `call(events)` later on the caller's thread, if the session lives then.
  template <class Call>
  void post(Call call) {
    if (cancelled_.load(std::memory_order_relaxed)) return;
    executor_([self = this->shared_from_this(), call = std::move(call)]() mutable {
      if (const auto events = self->events_) call(*events);
    });
  }

 private:
  const Executor executor_;
  std::atomic<bool> cancelled_{false};
  std::shared_ptr<Events> events_;  // caller's thread only
};

}  // namespace gadget::speech
