// feed.hpp - the newest of something, numbered, and who waits for more of it: the hub's log, its
// turns.
//
// push() may be called from any thread; waiting is done by coroutines of the owner API. Bounded in
// entries and in bytes: the oldest goes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gadget::hub {

// Wakes one coroutine, however often and from whatever thread it is rung.
class Bell : public std::enable_shared_from_this<Bell> {
 public:
  explicit Bell(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  void ring() {
    if (rung_.exchange(true)) return;  // it is on its way
    boost::asio::post(timer_.get_executor(),
                      [self = shared_from_this()] { self->timer_.cancel(); });
  }
  // Returns when it was rung since the last time, or after `at_most`.
  static boost::asio::awaitable<void> wait(std::shared_ptr<Bell> self,
                                           std::chrono::milliseconds at_most) {
    if (!self->rung_.exchange(false)) {
      self->timer_.expires_after(at_most);
      boost::system::error_code ignored;
      co_await self->timer_.async_wait(
          boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
      self->rung_ = false;
    }
  }

 private:
  boost::asio::steady_timer timer_;
  std::atomic<bool> rung_ = false;
};

// The bells of those who wait; one whose coroutine has ended is taken away.
class Bells {
 public:
  void add(const std::shared_ptr<Bell>& bell) { bells_.push_back(bell); }
  void ring() {
    std::erase_if(bells_, [](const auto& weak) {
      const auto bell = weak.lock();
      if (bell) bell->ring();
      return bell == nullptr;
    });
  }

 private:
  std::vector<std::weak_ptr<Bell>> bells_;
};

template <class T>
class Feed {
 public:
  struct Entry {
    std::uint64_t number = 0;
    T value;
    std::size_t bytes = 0;
  };
  Feed(std::size_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  // `bytes`: what the value takes besides sizeof(Entry).
  void push(T value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (most_ == 0) return;
    bytes += sizeof(Entry);
    entries_.push_back({++newest_, std::move(value), bytes});
    bytes_ += bytes;
    while (entries_.size() > most_ || (bytes_ > most_bytes_ && entries_.size() > 1)) {
      bytes_ -= entries_.front().bytes;
      entries_.pop_front();
    }
    bells_.ring();
  }

  struct Found {
    std::vector<std::pair<std::uint64_t, T>> entries;  // oldest first
    std::uint64_t seen = 0;  // what was looked at: ask for what comes after it
  };
  // The last `limit` that `wants` takes.
  template <class Wants>
  [[nodiscard]] Found latest(std::size_t limit, const Wants& wants) const {
    const std::lock_guard lock(mutex_);
    Found found;
    found.seen = newest_;
    for (auto it = entries_.rbegin(); it != entries_.rend() && found.entries.size() < limit; ++it) {
      if (wants(it->value)) found.entries.emplace_back(it->number, it->value);
    }
    std::reverse(found.entries.begin(), found.entries.end());
    return found;
  }
  // The first `limit` of those after `number` that it takes.
  template <class Wants>
  [[nodiscard]] Found after(std::uint64_t number, std::size_t limit, const Wants& wants) const {
    const std::lock_guard lock(mutex_);
    if (number > newest_) number = 0;  // of an earlier run of the hub: all of this one is new
    Found found;
    found.seen = newest_;
    auto it =
        std::upper_bound(entries_.begin(), entries_.end(), number,
                         [](std::uint64_t n, const Entry& entry) { return n < entry.number; });
    for (; it != entries_.end(); ++it) {
      if (!wants(it->value)) continue;
      found.entries.emplace_back(it->number, it->value);
      if (found.entries.size() < limit) continue;
      found.seen = it->number;
      break;
    }
    return found;
  }
  // Takes away what `is_gone` says; the numbers of the others stay.
  template <class IsGone>
  void erase_if(const IsGone& is_gone) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) {
      if (!is_gone(entry.value)) return false;
      bytes_ -= entry.bytes;
      return true;
    });
  }
  // Changes what is kept; it may not grow by that.
  template <class Change>
  void change_all(const Change& change) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) change(entry.value);
  }
  // Rings for every entry from now on, as long as the bell lives.
  void tell(const std::shared_ptr<Bell>& bell) {
    const std::lock_guard lock(mutex_);
    bells_.add(bell);
  }

 private:
  const std::size_t most_, most_bytes_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t newest_ = 0;
  Bells bells_;
};

}  // namespace gadget::hub
