// What thousands of idle devices cost the heart.
#include <malloc.h>

#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

// The bar for a whole idle device is 10 KB, sockets included; this is the heart's share with
// SQLite's cache of what is in the store, and the test's own link.
constexpr std::size_t kMostBytes = 4'000;

TEST(Scale, AnIdleDeviceIsSmallAndItsHeartbeatCostsNoScan) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator is measured here";
#endif
  Bench bench;
  constexpr int kDevices = 1'000;
  std::vector<std::unique_ptr<Device>> all;
  for (int i = 0; i < kDevices; ++i) {
    all.push_back(std::make_unique<Device>(bench, i + 1));
    ASSERT_TRUE(bench.hub->approve(all.back()->id.text()));
  }
  const std::size_t before = mallinfo2().uordblks;
  for (auto& device : all) {
    device->come(R"(,"sensors":{"temperature":20.5,"humidity":40})");
    device->forget_all();
    device->link->written.shrink_to_fit();
  }
  bench.log.clear();
  bench.log.shrink_to_fit();
  const std::size_t each = (mallinfo2().uordblks - before) / kDevices;
  RecordProperty("bytes_a_device", static_cast<int>(each));
  EXPECT_LE(each, kMostBytes);
  EXPECT_EQ(bench.hub->next_deadline_ms(), bench.now + 20'000);
}

}  // namespace
}  // namespace gadget::hub::bench
