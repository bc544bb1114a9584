#include "hub/server/background.hpp"

#include <atomic>
#include <future>
#include <vector>

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

TEST(Background, JobsRunInOrderOnOneOtherThread) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  std::promise<void> done;
  Background background;
  for (int i = 0; i < 100; ++i) {
    background.run([&, i] {
      order.push_back(i);
      threads.push_back(std::this_thread::get_id());
      if (i == 99) done.set_value();
    });
  }
  done.get_future().wait();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(threads[static_cast<std::size_t>(i)], threads.front());
  }
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(Background, ItsEndWaitsForTheJobThatRunsAndDropsTheOthers) {
  std::promise<void> started;
  std::promise<void> go_on;
  std::atomic<int> ended = 0;
  {
    Background background;
    background.run([&] {
      started.set_value();
      go_on.get_future().wait();
      ++ended;
    });
    started.get_future().wait();
    background.run([&] { ended += 100; });
    std::thread([&go_on] { go_on.set_value(); }).detach();
  }
  // The second may have begun only if the end came after the first job.
  EXPECT_TRUE(ended == 1 || ended == 101) << ended;
}

}  // namespace
}  // namespace gadget::hub
