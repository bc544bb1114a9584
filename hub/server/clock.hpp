// clock.hpp - the daemon's two clocks: monotonic for timers, wall time for people.
//
// Both run with the machine's. In a hub started with --test-clock both can be moved forward, so
// that rules of minutes and hours are tested in milliseconds. Read from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gadget::hub {

class Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const {
    return moved_ms_ + since_epoch(std::chrono::steady_clock::now());
  }
  [[nodiscard]] std::int64_t wall_ms() const {
    return moved_ms_ + since_epoch(std::chrono::system_clock::now());
  }
  void advance(std::int64_t ms) { moved_ms_ += ms; }

 private:
  template <class Point>
  static std::int64_t since_epoch(Point point) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(point.time_since_epoch()).count();
  }
  std::atomic<std::int64_t> moved_ms_ = 0;
};

}  // namespace gadget::hub
