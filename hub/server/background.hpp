// background.hpp - one thread beside the loop, for work that takes milliseconds to seconds:
// pictures.
//
// One job at a time, in order, below the loop's priority: what it may take of memory and of the
// processor is bounded by one job. How many may wait is the caller's to bound. Jobs post their
// results to the loop themselves. run() may be called from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gadget::hub {

class Background {
 public:
  Background();
  ~Background();  // the job that runs ends first; those that wait are dropped
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void run(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace gadget::hub
