#include "hub/core/scheduler.hpp"

namespace gadget::hub {

void Scheduler::run(Millis now, std::size_t at_most) {
  const std::uint64_t before = next_id_;
  auto at = due_.begin();
  while (at_most > 0 && at != due_.end() && at->first.first <= now) {
    if (at->first.second >= before) {
      ++at;
      continue;
    }
    --at_most;
    const auto call = std::move(at->second);
    due_.erase(at);
    call();
    at = due_.begin();  // the call may have set or cleared anything
  }
}

void Timer::set(Scheduler& scheduler, Scheduler::Millis when, std::function<void()> call) {
  clear();
  scheduler_ = &scheduler;
  key_ = {when, scheduler.next_id_++};
  scheduler.due_.emplace(key_, std::move(call));
}

void Timer::clear() {
  if (scheduler_ != nullptr) scheduler_->due_.erase(key_);
  scheduler_ = nullptr;
}

bool Timer::is_set() const { return scheduler_ != nullptr && scheduler_->due_.contains(key_); }

}  // namespace gadget::hub
