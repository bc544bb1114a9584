#include "speech/workers.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gadget::speech {
namespace {

// Holds the pool's only thread until released, so that a test decides what waits.
class Gate {
 public:
  explicit Gate(Workers& workers) {
    workers.run([this] {
      entered_.set_value();
      open_.get_future().wait();
      left_.set_value();
    });
    entered_.get_future().wait();
  }
  void open() { open_.set_value(); }
  ~Gate() { left_.get_future().wait(); }

 private:
  std::promise<void> entered_;
  std::promise<void> open_;
  std::promise<void> left_;
};

TEST(Workers, LanesAreServedRoundRobinAndEachInOrder) {
  Workers workers({.threads = 1, .executor = [](Job) {}});
  auto a = workers.open_lane();
  auto b = workers.open_lane();
  std::string order;
  std::promise<void> last;
  {
    Gate gate(workers);
    // One session has much to do and came first; the other waits for one job, not for all of them.
    for (int i = 0; i < 4; ++i) a->post([&order] { order += 'a'; });
    for (int i = 0; i < 2; ++i) b->post([&order] { order += 'b'; });
    a->post([&last] { last.set_value(); });
    gate.open();
  }
  last.get_future().wait();
  EXPECT_EQ(order, "ababaa");
}

TEST(Workers, OneLaneNeverRunsTwoJobsAtOnce) {
  Workers workers({.threads = 4, .executor = [](Job) {}});
  auto lane = workers.open_lane();
  std::atomic<int> running{0};
  std::atomic<int> done{0};
  std::atomic<bool> overlapped{false};
  for (int i = 0; i < 200; ++i) {
    const auto job = [&] {
      if (running.fetch_add(1) != 0) overlapped = true;
      std::this_thread::yield();
      running.fetch_sub(1);
      done.fetch_add(1);
    };
    while (!lane->post(job)) std::this_thread::yield();
  }
  while (done < 200) std::this_thread::yield();
  EXPECT_FALSE(overlapped);
}

TEST(Workers, ALaneIsBounded) {
  auto workers = std::make_unique<Workers>(Workers::Options{1, [](Job) {}});
  auto lane = workers->open_lane();
  Gate gate(*workers);
  std::size_t taken = 0;
  while (taken < 2 * kLaneJobs && lane->post([] {})) ++taken;
  EXPECT_EQ(taken, kLaneJobs);
  gate.open();
}

TEST(Workers, AClosedLaneRunsNothingThatWaited) {
  Workers workers({.threads = 1, .executor = [](Job) {}});
  auto lane = workers.open_lane();
  bool ran = false;
  {
    Gate gate(workers);
    lane->post([&ran] { ran = true; });
    lane->close();
    EXPECT_FALSE(lane->post([&ran] { ran = true; }));
    gate.open();
  }
  std::promise<void> after;
  workers.run([&after] { after.set_value(); });
  after.get_future().wait();
  EXPECT_FALSE(ran);
}

TEST(Workers, CapacityToSpareOnlyWhenNobodyWaits) {
  Workers workers({.threads = 1, .executor = [](Job) {}});
  auto lane = workers.open_lane();
  EXPECT_TRUE(workers.capacity_to_spare());
  Gate gate(workers);
  lane->post([] {});
  EXPECT_FALSE(workers.capacity_to_spare());
  gate.open();
}

TEST(Workers, LanesMayOutliveThePool) {
  std::unique_ptr<Lane> lane;
  {
    Workers workers({.threads = 2, .executor = [](Job) {}});
    lane = workers.open_lane();
  }
  EXPECT_FALSE(lane->post([] {}));
}

}  // namespace
}  // namespace gadget::speech
