// Devices that answer an update with whatever comes to their mind (B-67).
#include <gtest/gtest.h>

#include "hub/firmware/update_test_support.hpp"

namespace gadget::hub::bench {
namespace {

class Hostile : public ::testing::Test {
 protected:
  Bench bench;
  UpdatedDevice device{bench};
  const std::string image = image_of("2.0.0");

  void SetUp() override {
    device.pair_with("1.0.0");
    ASSERT_TRUE(device.update(image));
  }
};

TEST_F(Hostile, B67_AnswersOutOfTurnChangeNothing) {
  device.ack(0);
  device.ack(65'536);
  device.done();
  EXPECT_EQ(device.phase(), UpdatePhase::offered);
  device.ready();
  device.ready();
  EXPECT_EQ(device.count("ota.begin"), 1U);  // one authorization for one nonce
  device.done();
  device.ack(1);
  EXPECT_EQ(device.phase(), UpdatePhase::begun);
  device.ack(0);
  device.ready();
  device.done();
  EXPECT_EQ(device.phase(), UpdatePhase::sending);
  EXPECT_EQ(device.count("ota.begin"), 1U);
}

TEST_F(Hostile, B67_AcksBeyondWhatWasSentOpenNoWindow) {
  device.ready();
  device.ack(0);
  for (const std::int64_t offset : {65'537LL, 100'000LL, 2'147'483'647LL, -1LL, -65'536LL}) {
    device.ack(offset);
    EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes);
  }
  device.send(R"({"type":"ota.ack","offset":9223372036854775807})");
  device.send(R"({"type":"ota.ack","offset":1e300})");
  device.send(R"({"type":"ota.ack","offset":"16384"})");
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes);
  device.ack(32'768);
  device.ack(16'384);  // back
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes + 32'768);
  EXPECT_EQ(device.view()->taken_bytes, 32'768);
}

TEST_F(Hostile, B67_AnswersAfterTheEndChangeNothing) {
  device.take_all();
  device.ready();
  device.ack(0);
  device.done();
  device.error("flash");
  EXPECT_EQ(device.phase(), UpdatePhase::restarting);
  device.restart_as("2.0.0");
  device.error("flash");
  device.done();
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

TEST_F(Hostile, B67_FramesOfTheDeviceOnChannel3AreDropped) {
  device.ready();
  device.ack(0);
  std::vector<std::byte> message(protocol::kFrameHeaderBytes + 100);
  protocol::encode_header({protocol::Channel::firmware, 1, 0, {}}, message);
  device.binary(std::move(message));
  EXPECT_EQ(device.phase(), UpdatePhase::sending);
}

TEST_F(Hostile, B67_WhatItSaysIsCutAndCleaned) {
  device.send(R"({"type":"ota.error","code":"\u001b[2Jx)" + std::string(500, 'c') +
              R"(","message":"a\nb)" + std::string(4'000, 'm') + R"("})");
  const auto view = device.view();
  EXPECT_EQ(view->record.phase, UpdatePhase::refused);
  EXPECT_LE(view->record.code.size(), limits::kUpdateCodeCodePoints + 4);
  EXPECT_LE(view->record.message.size(), limits::kUpdateMessageCodePoints + 4);
  EXPECT_EQ(view->record.code.find('\x1b'), std::string::npos);
  EXPECT_EQ(view->record.message.find('\n'), std::string::npos);
}

// Random answers of two devices at random times: the hub writes no byte that is not the image's, in
// its order, never more than the window, and the other device gets its update all the same.
TEST(HostileAtRandom, B67_NeverMoreThanTheWindowAndNeverAWrongByte) {
  const std::string image = image_of("2.0.0", 150'000);
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    Bench bench;
    UpdatedDevice hostile{bench, 1};
    UpdatedDevice good{bench, 2};
    hostile.pair_with("1.0.0");
    good.pair_with("1.0.0");
    ASSERT_TRUE(hostile.update(image));
    ASSERT_TRUE(good.update(image));
    std::uint32_t noise = seed * 2'654'435'761U;
    const auto random = [&noise](std::uint32_t below) {
      noise = noise * 1'664'525U + 1'013'904'223U;
      return (noise >> 8U) % below;
    };
    std::int64_t best_ack = 0;
    for (int step = 0; step < 120; ++step) {
      const std::size_t offers = hostile.count("ota.offer");
      switch (random(12)) {
        case 0: hostile.ready(); break;
        case 1: hostile.done(random(2) == 0 ? "2.0.0" : "x"); break;
        case 2: hostile.error(random(3) == 0 ? "timeout" : "sequence"); break;
        case 3: hostile.ack(0); break;
        case 4: hostile.ack(std::int64_t{random(200'000)}); break;
        case 5: hostile.ack(std::int64_t{random(40)} * 4'096); break;
        case 6: hostile.ack(-std::int64_t{random(1000)}); break;
        case 7: bench.advance(random(60'000)); break;
        case 8: bench.advance(random(500)); break;
        case 9: hostile.send(R"({"type":"pong"})"); break;
        default: {
          const auto came = static_cast<std::int64_t>(hostile.received().size());
          hostile.ack(came - came % 4'096);
        }
      }
      if (hostile.link->closed) hostile.introduce(random(4) == 0 ? "2.0.0" : "1.0.0");
      good.send(R"({"type":"pong"})");
      if (good.link->closed) good.introduce("1.0.0");
      if (hostile.count("ota.offer") != offers) best_ack = 0;
      const auto view = hostile.view();
      ASSERT_TRUE(view);
      best_ack = view->taken_bytes;
      const std::string came = hostile.received();
      ASSERT_TRUE(image.starts_with(came)) << seed;
      if (view->record.phase == UpdatePhase::sending) {
        ASSERT_LE(static_cast<std::int64_t>(came.size()) - best_ack,
                  std::int64_t{protocol::kOtaWindowBytes})
            << seed;
      }
      ASSERT_LE(view->record.tries, limits::kUpdateTries);
    }
  }
}

}  // namespace
}  // namespace gadget::hub::bench
