// scheduler.hpp - everything that is due later, in one ordered structure: setting, clearing and
// finding the next cost O(log n), whatever the number of devices.
//
// One owner: the loop. Times are monotonic milliseconds. A Timer belongs to the object whose method
// it calls: destroying it clears it, so that nothing is called on what is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace gadget::hub {

class Scheduler {
 public:
  using Millis = std::int64_t;
  static constexpr Millis kNever = std::numeric_limits<Millis>::max();

  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] Millis next() const { return due_.empty() ? kNever : due_.begin()->first.first; }

  // Calls what is due, the oldest first, `at_most` of it: next() is then not after `now`. What a
  // call sets for `now` or earlier is left for the next run, so that this always returns.
  void run(Millis now, std::size_t at_most = std::numeric_limits<std::size_t>::max());

 private:
  friend class Timer;
  using Key = std::pair<Millis, std::uint64_t>;
  std::map<Key, std::function<void()>> due_;
  std::uint64_t next_id_ = 1;
};

class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { clear(); }

  // Calls `call` once at `when`, in place of what was set before.
  void set(Scheduler& scheduler, Scheduler::Millis when, std::function<void()> call);
  void clear();
  [[nodiscard]] bool is_set() const;

 private:
  Scheduler* scheduler_ = nullptr;
  Scheduler::Key key_{};
};

}  // namespace gadget::hub
