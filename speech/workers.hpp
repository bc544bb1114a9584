// workers.hpp - the bounded pool on which engines that block do their work, fair between sessions.
//
// A session has a Lane: its jobs run one at a time and in order. Lanes that have work are served
// round robin, one job a turn, so a session that talks for a minute never starves one that says
// "stop". Jobs are kept short by whoever posts them: at most one decode of one segment.
//
// What comes out goes to the caller's event loop through the executor, which must be callable from
// any thread.
//
// Owner: the Recognizers and Synthesizers that share it. The last of them ends it, on the caller's
// thread, before the loop that the executor posts to. Lanes and sessions may be destroyed after it:
// their jobs are gone. Threads: everything here may be called from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace gadget::speech {

using Job = std::function<void()>;
// Runs a job later, on the loop of whoever is told; from any thread, never inline.
using Executor = std::function<void(Job)>;

// Jobs that may wait in one lane. A recognizer session needs one, a voice one; beyond: post() says
// false.
inline constexpr std::size_t kLaneJobs = 8;

namespace detail {
class Pool;
struct LaneState;
}  // namespace detail

class Lane {
 public:
  explicit Lane(std::shared_ptr<detail::Pool> pool);
  ~Lane();  // as close()
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Queues a job. False when the lane is full, closed or the pool has ended: the job will not run.
  bool post(Job job);
  // Drops what waits. A job that runs goes on; its results are the session's to drop
  // (delivery.hpp).
  void close();
  // As Workers'. Jobs use these: a job that owned the pool could be the one to end it, from inside.
  [[nodiscard]] bool capacity_to_spare() const;
  [[nodiscard]] const Executor& executor() const;

 private:
  std::shared_ptr<detail::Pool> pool_;
  std::shared_ptr<detail::LaneState> state_;
};

class Workers {
 public:
  struct Options {
    unsigned threads = 0;  // 0: one less than the machine has cores, at least 1
    Executor executor;
  };
  explicit Workers(Options options);
  ~Workers();  // waits for the jobs that run, drops those that wait; never from inside a job
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::unique_ptr<Lane> open_lane();
  // A job of its own, in turn with the lanes.
  void run(Job job);
  // Nobody waits for a worker: work that is only nice to have (partial text) may be done.
  [[nodiscard]] bool capacity_to_spare() const;
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const Executor& executor() const;

 private:
  std::shared_ptr<detail::Pool> pool_;
};

}  // namespace gadget::speech
