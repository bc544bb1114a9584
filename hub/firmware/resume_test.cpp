// What the owner started goes on after the hub was restarted, or killed (E43).
#include <gtest/gtest.h>

#include "hub/firmware/update_test_support.hpp"

namespace gadget::hub::bench {
namespace {

class Resume : public ::testing::Test {
 protected:
  Bench bench;
  UpdatedDevice device{bench};
  const std::string image = image_of("2.0.0");

  // At each of its steps.
  void bring_to(UpdatePhase phase) {
    device.pair_with("1.0.0");
    ASSERT_TRUE(device.update(image));
    if (phase == UpdatePhase::offered) return;
    device.ready();
    if (phase == UpdatePhase::begun) return;
    device.ack(0);
    if (phase == UpdatePhase::sending) return;
    device.ack(65'536);
    device.ack(static_cast<std::int64_t>(image.size()));
    if (phase == UpdatePhase::ended) return;
    device.done();
  }
};

TEST_F(Resume, E43_AHubThatWasKilledSendsItAgainAtOnce) {
  for (const UpdatePhase phase :
       {UpdatePhase::offered, UpdatePhase::begun, UpdatePhase::sending, UpdatePhase::ended}) {
    Bench fresh;
    UpdatedDevice its{fresh};
    its.pair_with("1.0.0");
    ASSERT_TRUE(its.update(image));
    if (phase > UpdatePhase::offered) its.ready();
    if (phase > UpdatePhase::begun) its.ack(0);
    if (phase > UpdatePhase::sending) its.ack(65'536);
    ASSERT_EQ(its.phase(), phase);
    fresh.start_hub();
    its.introduce("1.0.0");
    EXPECT_EQ(its.count("ota.offer"), 1U) << name(phase);
    its.take_all();
    EXPECT_EQ(its.received(), image);
    its.restart_as("2.0.0");
    EXPECT_EQ(its.phase(), UpdatePhase::installed);
    fresh.start_hub();
    fresh.settle();
    EXPECT_TRUE(fresh.shelf.files.empty());  // nobody needs the image any more
  }
}

TEST_F(Resume, E43_AHubThatStopsSaysSoAndGoesOn) {
  bring_to(UpdatePhase::sending);
  bench.hub->stop();
  EXPECT_EQ(device.count("ota.abort"), 1U);
  bench.start_hub();
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

TEST_F(Resume, E43_ARestartOfTheDeviceIsSeenByTheNextHub) {
  bring_to(UpdatePhase::restarting);
  bench.start_hub();
  EXPECT_EQ(device.phase(), UpdatePhase::restarting);
  device.introduce("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

TEST_F(Resume, E43_ARollBackIsSeenByTheNextHub) {
  bring_to(UpdatePhase::restarting);
  bench.start_hub();
  device.introduce("1.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::rolled_back);
  EXPECT_FALSE(device.update(image));
}

TEST_F(Resume, E43_ADeviceHasAMinuteAfterALongOutage) {
  bring_to(UpdatePhase::restarting);
  bench.now += 7'200'000;
  bench.wall += 7'200'000;
  bench.start_hub();
  bench.advance(59'000);
  EXPECT_EQ(device.phase(), UpdatePhase::restarting);
  bench.advance(1'000);
  EXPECT_EQ(device.phase(), UpdatePhase::unknown);
  bench.start_hub();  // still open: a hello decides it
  device.introduce("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

TEST_F(Resume, E43_APauseGoesOn) {
  bring_to(UpdatePhase::sending);
  device.drop();
  bench.advance(20'000);
  bench.start_hub();
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 0U);
  EXPECT_EQ(device.view()->next_try_ms, 40'000);
  bench.advance(40'000);
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

// A hub that always dies there does not try for ever.
TEST_F(Resume, B51_TriesAreCountedAcrossRestarts) {
  bring_to(UpdatePhase::sending);
  for (int i = 1; i < 4; ++i) {
    bench.start_hub();
    device.introduce("1.0.0");
    EXPECT_EQ(device.count("ota.offer"), 1U);
  }
  bench.start_hub();
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 0U);
  EXPECT_EQ(device.phase(), UpdatePhase::failed);
}

TEST_F(Resume, AnImageThatIsGoneIsSaid) {
  bring_to(UpdatePhase::sending);
  bench.shelf.files.clear();
  bench.start_hub();
  device.introduce("1.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::refused);
  EXPECT_NE(report(*device.view()).text.find("gone"), std::string::npos);
}

TEST_F(Resume, AClockThatWasSetBackHoldsNothingUp) {
  bring_to(UpdatePhase::sending);
  device.drop();
  bench.wall -= 86'400'000LL * 365;
  device.introduce("1.0.0");
  device.stay(900'000);
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

TEST_F(Resume, OneReadForAllThatNeedTheImage) {
  constexpr int kDevices = 20;
  std::vector<std::unique_ptr<UpdatedDevice>> devices;
  for (int i = 0; i < kDevices; ++i) {
    devices.push_back(std::make_unique<UpdatedDevice>(bench, 100 + i));
    devices.back()->pair_with("1.0.0");
    ASSERT_TRUE(devices.back()->update(image));
  }
  bench.start_hub();
  bench.shelf.reads = 0;
  bench.work_ms = 1;
  for (const auto& one : devices) one->introduce("1.0.0");
  bench.advance(2);
  for (const auto& one : devices) EXPECT_EQ(one->count("ota.offer"), 1U);
  EXPECT_EQ(bench.shelf.reads, 1);
}

}  // namespace
}  // namespace gadget::hub::bench
