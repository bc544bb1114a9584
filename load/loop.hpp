// loop.hpp - the load generator's event loop: many sockets, one thread, nothing allocated an event.
//
// epoll directly, because what it costs is taken from the core that has to outrun the hub: a
// socket's memory is its Watcher, and all of them read into one buffer. Owner and thread: the
// scenario. A Watcher outlives the run() that may call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace gadget::load {

using Micros = std::int64_t;  // monotonic

// How much one read takes at most: the longest message of a hub, several times.
inline constexpr std::size_t kReadBytes = 256 * 1024;

class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void ready(std::uint32_t events) = 0;  // EPOLLIN and its like
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void add(int fd, Watcher& watcher, std::uint32_t events);
  void change(int fd, Watcher& watcher, std::uint32_t events);
  void remove(int fd);

  [[nodiscard]] static Micros now_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  // Calls it once, at that time or soon after.
  void at(Micros when, std::function<void()> call);
  void after(Micros pause, std::function<void()> call) { at(now_us() + pause, std::move(call)); }
  // Calls it about every millisecond while the loop runs; one at a time, empty for none.
  void every_ms(std::function<void(Micros now)> call) { tick_ = std::move(call); }

  // Turns until `done` says so (true), or so much time has passed (false).
  bool run(Micros limit, const std::function<bool()>& done);
  void run_for(Micros time) {
    run(time, [] { return false; });
  }

  // Where everybody reads into; free between two calls of ready().
  [[nodiscard]] std::span<char> buffer() { return buffer_; }

  // The longest time between two turns since it was last asked: beyond some 10 ms the generator,
  // not the hub, is what is measured.
  [[nodiscard]] Micros worst_turn_us();

 private:
  void run_timers();

  int epoll_ = -1;
  std::vector<char> buffer_;
  std::multimap<Micros, std::function<void()>> timers_;
  std::function<void(Micros)> tick_;
  Micros ticked_ = 0;
  Micros turned_ = 0;
  Micros worst_turn_ = 0;
};

}  // namespace gadget::load
