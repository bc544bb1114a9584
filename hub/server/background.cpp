#include "hub/server/background.hpp"

#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace gadget::hub {
namespace {

// The loop, which serves everybody, goes first when there is one core only.
constexpr int kNice = 10;

}  // namespace

Background::Background() : thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Background::run(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void Background::work() {
  // Of this thread alone; where that is not allowed it works all the same.
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (ended_) return;
    auto job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it owns is freed before the lock
    lock.lock();
  }
}

}  // namespace gadget::hub
