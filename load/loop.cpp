#include "load/loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

namespace gadget::load {
namespace {

constexpr int kEventsATurn = 512;
constexpr Micros kTickUs = 1'000;

}  // namespace

Loop::Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), buffer_(kReadBytes) {
  if (epoll_ < 0) std::abort();  // no descriptor left for the program itself
}

Loop::~Loop() { ::close(epoll_); }

void Loop::add(int fd, Watcher& watcher, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  (void)::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void Loop::change(int fd, Watcher& watcher, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void Loop::remove(int fd) { (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr); }

void Loop::at(Micros when, std::function<void()> call) { timers_.emplace(when, std::move(call)); }

void Loop::run_timers() {
  const Micros now = now_us();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    auto call = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    call();
  }
  if (tick_ && now - ticked_ >= kTickUs) {
    ticked_ = now;
    tick_(now);
  }
}

Micros Loop::worst_turn_us() { return std::exchange(worst_turn_, 0); }

bool Loop::run(Micros limit, const std::function<bool()>& done) {
  const Micros until = now_us() + limit;
  std::array<epoll_event, kEventsATurn> events;
  turned_ = now_us();
  while (!done()) {
    const Micros now = now_us();
    worst_turn_ = std::max(worst_turn_, now - turned_);
    turned_ = now;
    if (now >= until) return false;
    Micros wait = until - now;
    if (!timers_.empty()) wait = std::min(wait, timers_.begin()->first - now);
    if (tick_) wait = std::min(wait, ticked_ + kTickUs - now);
    const auto wait_ms = static_cast<int>(std::clamp<Micros>((wait + 999) / 1000, 0, 1000));
    const int got = ::epoll_wait(epoll_, events.data(), kEventsATurn, wait_ms);
    if (got <= 0) turned_ = now_us();  // it slept, which is no delay
    for (int i = 0; i < got; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      static_cast<Watcher*>(event.data.ptr)->ready(event.events);
    }
    run_timers();
  }
  return true;
}

}  // namespace gadget::load
