// What is offered to whom (E29, H5, E43), whichever way an update comes (B-51, B-58).
#include <gtest/gtest.h>

#include "hub/firmware/update_test_support.hpp"

namespace gadget::hub::bench {
namespace {

class Gate : public ::testing::Test {
 protected:
  Bench bench;
  UpdatedDevice device{bench};

  void refuses(const Result<UpdateView>& started, std::string_view part) {
    ASSERT_FALSE(started) << part;
    EXPECT_EQ(started.error().code, FailureCode::refused);
    EXPECT_NE(started.error().text.find(part), std::string::npos) << started.error().text;
    EXPECT_FALSE(started.error().hint.empty());
    EXPECT_EQ(device.count("ota.offer"), 0U);
  }
};

TEST_F(Gate, E29_AnotherBoardIsRefused) {
  device.pair_with("1.0.0");
  refuses(device.update(image_of("2.0.0", 5000, "other")), "\"other\"");
  EXPECT_FALSE(device.view());  // nothing was kept
  EXPECT_TRUE(bench.shelf.files.empty());
}

TEST_F(Gate, E29_B65_AWebPageIsRefusedAndForcedAllTheSame) {
  device.pair_with("1.0.0");
  const std::string page = "<html>404</html>";
  refuses(device.update(page), "byte");
  ASSERT_TRUE(device.update(page, true));
  EXPECT_EQ(device.need("ota.offer").get("size"), std::to_string(page.size()));
}

TEST_F(Gate, E29_WhatIsForcedAndSaysNoVersionIsInstalledWhenAnotherOneIsReported) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(std::string(1000, 'x'), true));
  device.take_all("");
  device.restart_as("custom-7");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  ASSERT_TRUE(device.update(std::string(1001, 'x'), true));
  device.take_all("");
  device.restart_as("custom-7");
  EXPECT_EQ(device.phase(), UpdatePhase::unknown);
}

TEST_F(Gate, H5_WithoutCapsOtaThereIsNeverAnOffer) {
  device.introduce("1.0.0", "");
  refuses(device.update(image_of("2.0.0")), "takes no updates");
  refuses(device.update(image_of("2.0.0"), true), "takes no updates");
}

TEST_F(Gate, E43_ASizeBeyondMaxSizeIsRefusedForcedOrNot) {
  device.pair_with("1.0.0");
  refuses(device.update(image_of("2.0.0", 300'001)), "300000");
  refuses(device.update(image_of("2.0.0", 300'001), true), "300000");
  EXPECT_TRUE(device.update(image_of("2.0.0", 300'000)));
}

TEST_F(Gate, H5_ADeviceThatWasAwayIsLookedAtWhenItComes) {
  device.pair_with("1.0.0");
  device.drop();
  ASSERT_TRUE(device.update(image_of("2.0.0")));
  device.introduce("1.0.0", "");
  EXPECT_EQ(device.phase(), UpdatePhase::refused);
  EXPECT_EQ(device.count("ota.offer"), 0U);
}

TEST_F(Gate, E29_ABoardThatChangedMeanwhileIsSeen) {
  device.pair_with("1.0.0");
  device.drop();
  ASSERT_TRUE(device.update(image_of("2.0.0")));
  device.introduce("1.0.0", kTakesUpdates, "another");
  EXPECT_EQ(device.phase(), UpdatePhase::refused);
}

TEST_F(Gate, WhatItRunsAlreadyIsNotSent) {
  device.pair_with("2.0.0");
  const auto started = device.update(image_of("2.0.0"));
  ASSERT_TRUE(started);
  EXPECT_EQ(started->record.phase, UpdatePhase::installed);
  EXPECT_EQ(report(*started).text, "desk runs 2.0.0 already");
  EXPECT_EQ(device.count("ota.offer"), 0U);
  ASSERT_TRUE(device.update(image_of("2.0.0"), true));
  EXPECT_EQ(device.count("ota.offer"), 1U);
  device.take_all();
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

TEST_F(Gate, E29_B51_B58_ARolledBackVersionIsNotOfferedAgainNorAnOlderOne) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image_of("2.0.0")));
  device.take_all();
  device.restart_as("1.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::rolled_back);
  EXPECT_NE(report(*device.view()).text.find("went back from 2.0.0 to 1.0.0"), std::string::npos);
  bench.advance(7'200'000);
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 0U);  // not by itself
  refuses(device.update(image_of("2.0.0")), "went back");
  refuses(device.update(image_of("2.0.0-rc1")), "went back");
  refuses(device.update(image_of("1.9.9")), "went back");
  bench.start_hub();  // it is remembered
  device.introduce("1.0.0");
  refuses(device.update(image_of("2.0.0")), "went back");
  // Another device never had it.
  UpdatedDevice other{bench, 2};
  other.introduce("1.0.0");
  EXPECT_TRUE(other.update(image_of("2.0.0")));
  // A newer one is offered, and so is the old one when it is forced.
  ASSERT_TRUE(device.update(image_of("2.0.1")));
  EXPECT_EQ(device.count("ota.offer"), 1U);
  ASSERT_TRUE(bench.hub->updates().cancel(device.id));
  ASSERT_TRUE(device.update(image_of("2.0.0"), true));
  EXPECT_EQ(device.count("ota.offer"), 2U);
  device.take_all();
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  // It works now, so that nothing is left to remember.
  device.restart_as("1.0.0");
  EXPECT_TRUE(device.update(image_of("2.0.0")));
}

// Not even the next try of an update that was on its way when the version was found to be bad.
TEST_F(Gate, B58_ARetryRunsTheSameGate) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image_of("2.0.0")));
  device.drop();
  ASSERT_TRUE(bench.store->put_rolled_back(device.id, "2.0.0", 1));
  bench.advance(60'000);
  device.introduce("1.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::refused);
  EXPECT_EQ(device.count("ota.offer"), 0U);
}

TEST_F(Gate, AnUnknownDeviceAndAFullDiskAreSaid) {
  EXPECT_EQ(device.update(image_of("2.0.0")).error().code, FailureCode::not_found);
  device.pair_with("1.0.0");
  bench.shelf.full = true;
  EXPECT_EQ(device.update(image_of("2.0.0")).error().code, FailureCode::io);
  EXPECT_EQ(device.update("").error().code, FailureCode::invalid_argument);
}

}  // namespace
}  // namespace gadget::hub::bench
