// `update --all`: canary, batches, what halts it, what survives a restart.
#include <gtest/gtest.h>

#include "hub/firmware/update_test_support.hpp"

namespace gadget::hub::bench {
namespace {

class FleetTest : public ::testing::Test {
 protected:
  static constexpr int kDevices = 6;
  FleetTest() {
    for (int i = 0; i < kDevices; ++i) {
      devices.push_back(std::make_unique<UpdatedDevice>(bench, 1 + i));
      devices.back()->pair_with("1.0.0");
    }
  }

  Result<FleetView> update_all(FleetOrder order = {}, std::string image = image_of("2.0.0")) {
    std::optional<Result<FleetView>> result;
    bench.hub->updates().start_fleet(std::move(image), std::move(order),
                                     [&](Result<FleetView> view) { result = std::move(view); });
    bench.settle();
    EXPECT_TRUE(result);
    return result ? *result : fail(FailureCode::internal, "no answer");
  }
  // Those with an offer that they have not answered.
  std::vector<UpdatedDevice*> offered() {
    std::vector<UpdatedDevice*> all;
    for (const auto& one : devices) {
      const auto view = one->view();
      if (view && view->record.phase == UpdatePhase::offered) all.push_back(one.get());
    }
    return all;
  }
  static void install(UpdatedDevice& device) {
    device.take_all();
    device.restart_as("2.0.0");
  }
  FleetRecord fleet() { return bench.hub->updates().fleet()->record; }

  Bench bench;
  std::vector<std::unique_ptr<UpdatedDevice>> devices;
};

TEST_F(FleetTest, E43_OneFirstThenInBatches) {
  const auto started = update_all({.board = {}, .batch = 2});
  ASSERT_TRUE(started) << started.error().text;
  EXPECT_EQ(started->record.total, kDevices);
  ASSERT_EQ(offered().size(), 1U);
  bench.advance(10'000);
  ASSERT_EQ(offered().size(), 1U);
  install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::rolling);
  std::size_t most = 0;
  while (!offered().empty()) {
    most = std::max(most, offered().size());
    install(*offered().front());
  }
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(fleet().stage, FleetStage::finished);
  EXPECT_EQ(fleet().installed, kDevices);
  EXPECT_EQ(report(*bench.hub->updates().fleet()).text, "6 of 6 run 2.0.0");
}

TEST_F(FleetTest, E43_ACanaryThatGoesBackHalts) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 2, .stop_after_failures = 5}));
  UpdatedDevice& canary = *offered().front();
  canary.take_all();
  canary.restart_as("1.0.0");
  EXPECT_EQ(fleet().stage, FleetStage::halted);
  EXPECT_NE(fleet().reason.find(canary.id.text()), std::string::npos);
  EXPECT_TRUE(offered().empty());
  bench.advance(3'600'000);
  for (const auto& one : devices) {
    if (one.get() == &canary) continue;
    EXPECT_EQ(one->phase(), UpdatePhase::cancelled);
    EXPECT_EQ(one->count("ota.offer"), 0U);
  }
}

TEST_F(FleetTest, E43_TooManyFailuresHaltAndAbortWhatIsOnItsWay) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 3, .stop_after_failures = 2}));
  install(*offered().front());
  auto batch = offered();
  ASSERT_EQ(batch.size(), 3U);
  batch[0]->error("flash");
  EXPECT_EQ(fleet().stage, FleetStage::rolling);
  ASSERT_EQ(offered().size(), 3U);  // the next one has its turn
  batch[1]->ready();
  batch[1]->ack(0);
  batch[2]->error("flash");
  EXPECT_EQ(fleet().stage, FleetStage::halted);
  EXPECT_EQ(batch[1]->count("ota.abort"), 1U);
  EXPECT_TRUE(offered().empty());
  EXPECT_EQ(fleet().failed, 2);
  // It can be started again.
  EXPECT_TRUE(update_all({.board = {}, .batch = 3}));
}

TEST_F(FleetTest, ADeviceThatIsAwayHasItsTurnWhenItComes) {
  devices[0]->drop();
  devices[1]->drop();
  ASSERT_TRUE(update_all({.board = {}, .batch = 10}));
  install(*offered().front());
  while (!offered().empty()) install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::rolling);
  EXPECT_EQ(bench.hub->updates().fleet()->away, 2);
  devices[0]->introduce("1.0.0");
  devices[1]->introduce("1.0.0");
  ASSERT_EQ(offered().size(), 2U);
  install(*offered().front());
  install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::finished);
}

TEST_F(FleetTest, ADropKeepsNobodyElseWaiting) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 1}));
  install(*offered().front());
  UpdatedDevice& gone = *offered().front();
  gone.drop();
  EXPECT_EQ(offered().size(), 1U);
  while (!offered().empty()) install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::rolling);
  gone.introduce("1.0.0");
  gone.stay(60'000);
  ASSERT_EQ(offered().size(), 1U);
  install(gone);
  EXPECT_EQ(fleet().stage, FleetStage::finished);
}

TEST_F(FleetTest, OnlyDevicesThatItIsForAreTaken) {
  UpdatedDevice other{bench, 50};
  other.introduce("1.0.0", kTakesUpdates, "other");
  ASSERT_TRUE(bench.hub->approve(other.id.text()));
  UpdatedDevice unpaired{bench, 51};
  unpaired.introduce("1.0.0");
  devices[0]->restart_as("2.0.0");
  ASSERT_TRUE(bench.store->put_rolled_back(devices[1]->id, "2.0.0", 1));
  const auto started = update_all();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->record.total, kDevices - 2);
  EXPECT_EQ(started->other_board, 1);
  EXPECT_EQ(started->unpaired, 1);
  EXPECT_EQ(started->already, 1);
  EXPECT_EQ(started->not_again, 1);
  EXPECT_FALSE(other.view());
  EXPECT_FALSE(unpaired.view());
  EXPECT_FALSE(update_all());  // one at a time
}

TEST_F(FleetTest, E43_ItGoesOnAfterARestartOfTheHub) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 2}));
  install(*offered().front());
  ASSERT_EQ(offered().size(), 2U);
  offered().front()->ready();
  bench.start_hub();
  bench.settle();
  EXPECT_EQ(fleet().stage, FleetStage::rolling);
  EXPECT_EQ(fleet().installed, 1);
  for (const auto& one : devices) {
    const bool installed = one->phase() == UpdatePhase::installed;
    one->introduce(installed ? "2.0.0" : "1.0.0");
  }
  EXPECT_EQ(offered().size(), 2U);
  while (!offered().empty()) install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::finished);
  EXPECT_EQ(fleet().installed, kDevices);
}

TEST_F(FleetTest, E43_ALastTryThatEndedWithTheHubCounts) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 1, .stop_after_failures = 9}));
  install(*offered().front());
  UpdatedDevice& unlucky = *offered().front();
  for (int i = 0; i < 4; ++i) {
    bench.start_hub();
    if (i < 3) unlucky.introduce("1.0.0");  // the others come later
  }
  EXPECT_EQ(unlucky.phase(), UpdatePhase::failed);
  EXPECT_EQ(fleet().failed, 1);
  for (const auto& one : devices) {
    one->introduce(one->phase() == UpdatePhase::installed ? "2.0.0" : "1.0.0");
  }
  while (!offered().empty()) install(*offered().front());
  EXPECT_EQ(fleet().stage, FleetStage::finished);
  EXPECT_EQ(fleet().installed, kDevices - 1);
}

TEST(FleetScale, ThousandsOfDevicesEachGetIt) {
  constexpr int kMany = 2'000;
  Bench bench;
  std::vector<std::unique_ptr<UpdatedDevice>> devices;
  for (int i = 0; i < kMany; ++i) {
    devices.push_back(std::make_unique<UpdatedDevice>(bench, 1 + i));
    ASSERT_TRUE(bench.hub->approve(devices.back()->id.text()));
    devices.back()->introduce("1.0.0");
  }
  std::optional<Result<FleetView>> started;
  bench.hub->updates().start_fleet(image_of("2.0.0", 5'000), {.board = {}, .batch = 100},
                                   [&](Result<FleetView> view) { started = std::move(view); });
  bench.settle();
  ASSERT_TRUE(started && *started);
  EXPECT_EQ((*started)->record.total, kMany);
  int offers = 0;
  for (bool more = true; more;) {
    more = false;
    for (const auto& one : devices) {
      if (one->count("ota.offer") == 0) continue;
      more = true;
      ++offers;
      one->take_all();
      one->drop();
      one->introduce("2.0.0");
    }
  }
  EXPECT_EQ(offers, kMany);
  EXPECT_EQ(bench.hub->updates().fleet()->record.stage, FleetStage::finished);
  EXPECT_EQ(bench.hub->updates().fleet()->record.installed, kMany);
  EXPECT_EQ(bench.shelf.reads, 0);  // one in memory for all
}

TEST_F(FleetTest, E43_AStopOfTheHubBeginsNothing) {
  ASSERT_TRUE(update_all({.board = {}, .batch = 1}));
  install(*offered().front());
  std::size_t offers = 0;
  for (const auto& one : devices) offers += one->count("ota.offer");
  bench.hub->stop();
  std::size_t after = 0;
  for (const auto& one : devices) after += one->count("ota.offer");
  EXPECT_EQ(after, offers);
}

TEST_F(FleetTest, CancelledByTheOwner) {
  ASSERT_TRUE(update_all());
  ASSERT_TRUE(bench.hub->updates().cancel_fleet());
  EXPECT_EQ(fleet().stage, FleetStage::cancelled);
  for (const auto& one : devices) EXPECT_EQ(one->phase(), UpdatePhase::cancelled);
  EXPECT_FALSE(bench.hub->updates().cancel_fleet());
}

TEST_F(FleetTest, AForcedImageOfAnotherKindNeedsABoard) {
  const std::string rubbish(1000, 'x');
  EXPECT_FALSE(update_all({}, rubbish));
  EXPECT_FALSE(update_all({.board = "sim"}, rubbish));
  EXPECT_TRUE(update_all({.board = "sim", .forced = true}, rubbish));
  EXPECT_EQ(offered().size(), 1U);
}

TEST_F(FleetTest, NobodyLeftIsNoFleet) {
  for (const auto& one : devices) one->restart_as("2.0.0");
  const auto started = update_all();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->record.total, 0);
  EXPECT_EQ(started->already, kDevices);
  EXPECT_FALSE(bench.hub->updates().fleet());
}

TEST_F(FleetTest, NumbersHaveLimits) {
  EXPECT_EQ(update_all({.board = {}, .batch = 0}).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(update_all({.board = {}, .batch = 10'001}).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(update_all({.board = {}, .stop_after_failures = 0}).error().code,
            FailureCode::invalid_argument);
}

}  // namespace
}  // namespace gadget::hub::bench
