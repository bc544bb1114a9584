#include "speech/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gadget::speech {
namespace detail {

struct LaneState {
  std::deque<Job> waiting;
  bool queued = false;  // in the pool's ring, or a job of it runs
  bool closed = false;
};

class Pool {
 public:
  Pool(unsigned threads, Executor executor) : executor_(std::move(executor)), count_(threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }

  void end() {
    std::deque<std::shared_ptr<LaneState>> dropped;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      dropped.swap(ring_);
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  bool post(const std::shared_ptr<LaneState>& lane, Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_ || lane->closed || lane->waiting.size() >= kLaneJobs) return false;
      lane->waiting.push_back(std::move(job));
      if (lane->queued) return true;
      lane->queued = true;
      ring_.push_back(lane);
    }
    wake_.notify_one();
    return true;
  }

  void close(LaneState& lane) {
    std::deque<Job> dropped;  // destroyed outside the lock: jobs own things
    const std::lock_guard lock(mutex_);
    lane.closed = true;
    dropped.swap(lane.waiting);
  }

  bool capacity_to_spare() const {
    const std::lock_guard lock(mutex_);
    return ring_.empty();
  }

  unsigned threads() const { return count_; }
  const Executor& executor() const { return executor_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ended_ || !ring_.empty(); });
      if (ended_) return;
      const auto lane = std::move(ring_.front());
      ring_.pop_front();
      if (lane->waiting.empty()) {
        lane->queued = false;
        continue;
      }
      Job job = std::move(lane->waiting.front());
      lane->waiting.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // what it owns is freed before the lock
      lock.lock();
      if (lane->waiting.empty()) {
        lane->queued = false;
      } else if (!ended_) {
        ring_.push_back(lane);  // behind everybody else: fair
      }
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<LaneState>> ring_;
  std::vector<std::thread> threads_;
  const Executor executor_;
  const unsigned count_;
  bool ended_ = false;
};

}  // namespace detail

Lane::Lane(std::shared_ptr<detail::Pool> pool)
    : pool_(std::move(pool)), state_(std::make_shared<detail::LaneState>()) {}
Lane::~Lane() { close(); }
bool Lane::post(Job job) { return pool_->post(state_, std::move(job)); }
void Lane::close() { pool_->close(*state_); }
bool Lane::capacity_to_spare() const { return pool_->capacity_to_spare(); }
const Executor& Lane::executor() const { return pool_->executor(); }

namespace {
unsigned default_threads() {
  const unsigned cores = std::thread::hardware_concurrency();
  return std::max(1U, cores > 0 ? cores - 1 : 1U);
}
}  // namespace

Workers::Workers(Options options)
    : pool_(std::make_shared<detail::Pool>(
          options.threads > 0 ? options.threads : default_threads(), std::move(options.executor))) {
}
Workers::~Workers() { pool_->end(); }
std::unique_ptr<Lane> Workers::open_lane() { return std::make_unique<Lane>(pool_); }
void Workers::run(Job job) {
  (void)pool_->post(std::make_shared<detail::LaneState>(), std::move(job));
}
bool Workers::capacity_to_spare() const { return pool_->capacity_to_spare(); }
unsigned Workers::threads() const { return pool_->threads(); }
const Executor& Workers::executor() const { return pool_->executor(); }

}  // namespace gadget::speech
