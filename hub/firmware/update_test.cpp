// One update, step by step (O1-O7, E20, E38, E40, E43).
#include <gtest/gtest.h>

#include "hub/firmware/update_test_support.hpp"
#include "protocol/base64.hpp"

namespace gadget::hub::bench {
namespace {

constexpr std::string_view kSpeaksAndUpdates =
    R"(,"caps":{"speaker":{"rate":16000,"format":"pcm16"},"ota":{"max_size":4194304}})";

class UpdateTest : public ::testing::Test {
 protected:
  Bench bench;
  UpdatedDevice device{bench};
  const std::string image = image_of("2.0.0");
  const std::int64_t size = static_cast<std::int64_t>(image.size());
};

TEST_F(UpdateTest, O1_TheOfferSaysWhatItIs) {
  device.pair_with("1.0.0");
  const auto started = device.update(image);
  ASSERT_TRUE(started) << started.error().text;
  const Written offer = device.need("ota.offer");
  EXPECT_EQ(offer.get("size"), std::to_string(size));
  EXPECT_EQ(offer.get("sha256"), started->record.image);
  EXPECT_EQ(offer.get("version"), "2.0.0");
  const int stream = std::stoi(offer.get("stream"));
  EXPECT_GE(stream, 1);
  EXPECT_LE(stream, 250);
  EXPECT_EQ(device.phase(), UpdatePhase::offered);
  EXPECT_EQ(device.count("ota.begin"), 0U);
}

TEST_F(UpdateTest, O2_TheMacIsOverNonceHashAndSize) {
  device.pair_with("1.0.0");
  const auto started = device.update(image);
  device.ready();
  const auto mac = protocol::ota_mac(device.key, device.id.text(), kNonce, started->record.image,
                                     static_cast<std::uint64_t>(size));
  EXPECT_EQ(device.need("ota.begin").get("mac"), protocol::view(mac));
  EXPECT_EQ(device.received(), "");  // nothing before the device is ready for it
}

TEST_F(UpdateTest, O3_O4_TheWindowIs64KbAndKeptFull) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes);
  device.ack(16'384);
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes + 16'384);
  // Less than a frame of room: nothing until there is a whole one.
  device.ack(16'384 + 4'095);
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes + 16'384);
  device.ack(size - 4'096 * 6);
  EXPECT_EQ(device.received(), image);
  std::uint16_t expected = 0;
  for (const Written& one : device.got()) {
    if (one.type != "frame") continue;
    EXPECT_EQ(one.sequence, expected++);
    EXPECT_EQ(one.kind, Link::Kind::firmware);
    EXPECT_EQ(std::to_string(one.stream), device.need("ota.offer").get("stream"));
    const bool last = expected == (size + 4'095) / 4'096;
    EXPECT_EQ(one.firmware.size(), last ? static_cast<std::size_t>(size % 4'096) : 4'096U);
  }
  EXPECT_EQ(device.got().back().type, "ota.end");  // behind the last frame, in its lane (O5)
  EXPECT_EQ(device.got().back().kind, Link::Kind::firmware);
}

TEST_F(UpdateTest, O3_ASlowLinkIsNotFilledUp) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.link->waiting = limits::kFirmwareLinkBytes;
  device.ack(0);
  EXPECT_EQ(device.received(), "");
  bench.advance(1'000);
  EXPECT_EQ(device.received(), "");
  device.link_takes();
  EXPECT_EQ(device.received().size(), protocol::kOtaWindowBytes);
}

TEST_F(UpdateTest, O5_InstalledIsWhenALaterHelloSaysSo) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.take_all();
  EXPECT_EQ(device.received(), image);
  EXPECT_EQ(device.count("ota.end"), 1U);
  EXPECT_EQ(device.phase(), UpdatePhase::restarting);
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  EXPECT_EQ(report(*device.view()).text, "desk runs 2.0.0 now");
  bench.advance(3'600'000);
  EXPECT_EQ(device.count("ota.offer"), 0U);  // nothing more comes
}

TEST_F(UpdateTest, O6_WhatTheDeviceRefusesIsNotTriedAgain) {
  for (const char* code : {"unsupported", "bad_offer", "too_large", "no_offer", "unauthorized",
                           "flash", "sequence", "size", "checksum", "invalid", "no_update", "?!"}) {
    Bench fresh;
    UpdatedDevice its{fresh};
    its.pair_with("1.0.0");
    ASSERT_TRUE(its.update(image));
    its.ready();
    its.error(code);
    EXPECT_EQ(its.phase(), UpdatePhase::refused);
    const Report said = report(*its.view());
    EXPECT_NE(said.text.find(code), std::string::npos) << said.text;
    EXPECT_FALSE(said.hint.empty());
    fresh.advance(3'600'000);
    EXPECT_EQ(its.count("ota.offer"), 1U);
  }
}

TEST_F(UpdateTest, E43_ATimeOutOfTheDeviceIsTriedAgain) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  device.error("timeout");
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
  EXPECT_EQ(device.link->dropped_streams.size(), 1U);  // what still waits is not written
  device.stay(59'999);
  EXPECT_EQ(device.count("ota.offer"), 1U);
  bench.advance(1);
  EXPECT_EQ(device.count("ota.offer"), 2U);
  device.take_all();
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

TEST_F(UpdateTest, E43_NoReadyFor45SecondsIsAbortedAndTriedAfter1_5_15Minutes) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  for (const Millis pause : limits::kUpdatePausesMs) {
    device.stay(44'999);
    EXPECT_EQ(device.phase(), UpdatePhase::offered);
    const std::size_t aborts = device.count("ota.abort");
    bench.advance(1);
    EXPECT_EQ(device.count("ota.abort"), aborts + 1);
    EXPECT_EQ(device.phase(), UpdatePhase::waiting);
    const std::size_t offers = device.count("ota.offer");
    device.stay(pause - 1);
    EXPECT_EQ(device.count("ota.offer"), offers);
    bench.advance(1);
    EXPECT_EQ(device.count("ota.offer"), offers + 1);
  }
  device.stay(45'000);
  EXPECT_EQ(device.phase(), UpdatePhase::failed);
  EXPECT_NE(report(*device.view()).text.find("in 4 tries"), std::string::npos);
  device.stay(7'200'000);
  EXPECT_EQ(device.count("ota.offer"), 4U);
}

TEST_F(UpdateTest, E43_AnAckThatDoesNotMoveIsNoLife) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  device.ack(16'384);
  for (int i = 0; i < 4; ++i) {
    bench.advance(11'000);
    device.ack(16'384);
  }
  EXPECT_EQ(device.phase(), UpdatePhase::sending);
  bench.advance(1'000);
  EXPECT_EQ(device.count("ota.abort"), 1U);
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
}

TEST_F(UpdateTest, E43_DoneMayTakeTwoMinutes) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  device.ack(65'536);
  device.ack(size);
  device.stay(119'000);
  EXPECT_EQ(device.phase(), UpdatePhase::ended);
  bench.advance(1'000);
  EXPECT_EQ(device.count("ota.abort"), 1U);
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
}

TEST_F(UpdateTest, E43_ADropIsTriedAgainAfterAMinute) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  device.drop();
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
  bench.advance(5'000);
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 0U);
  EXPECT_EQ(device.view()->next_try_ms, 55'000);
  bench.advance(55'000);
  EXPECT_EQ(device.count("ota.offer"), 1U);
  // The numbers begin anew.
  device.ready();
  device.ack(0);
  EXPECT_EQ(device.received(), image.substr(0, protocol::kOtaWindowBytes));
  for (const Written& one : device.got()) {
    if (one.type == "frame") {
      EXPECT_EQ(one.sequence, 0);
      break;
    }
  }
}

TEST_F(UpdateTest, E43_ADropAfterTheTimeIsTriedWhenTheDeviceIsBack) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.drop();
  bench.advance(7'200'000);
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

TEST_F(UpdateTest, E43_ALostDoneIsSeenByTheNextHello) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  device.ack(65'536);
  device.ack(size);
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  EXPECT_EQ(device.count("ota.offer"), 0U);
}

TEST_F(UpdateTest, E43_NoHelloInTenMinutesIsUnknownAndTold) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.take_all();
  device.drop();
  bench.advance(599'000);
  EXPECT_EQ(device.phase(), UpdatePhase::restarting);
  bench.advance(1'000);
  EXPECT_EQ(device.phase(), UpdatePhase::unknown);
  EXPECT_FALSE(report(*device.view()).hint.empty());
  // It comes all the same: then it is known.
  device.introduce("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
}

// 2 MB over 50 KB/s and 200 ms: slow, and there in one try.
TEST_F(UpdateTest, B63_ASlowLinkTakesLongAndNoSecondTry) {
  constexpr std::size_t kSize = 2'000'000;
  const std::string large = image_of("2.0.0", kSize);
  device.introduce("1.0.0", R"(,"caps":{"ota":{"max_size":4000000}})");
  ASSERT_TRUE(device.update(large));
  device.stay(200);
  device.ready();
  device.stay(200);
  device.ack(0);
  std::size_t acked = 0;
  while (acked < kSize) {
    bench.advance(Millis{protocol::kOtaAckBytes} * 1000 / 50'000);
    acked = std::min(kSize, acked + protocol::kOtaAckBytes);
    device.ack(static_cast<std::int64_t>(acked));
  }
  EXPECT_EQ(device.received().size(), kSize);
  EXPECT_EQ(device.received(), large);
  device.done();
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  EXPECT_EQ(device.view()->record.tries, 1);
}

// A device that moves its acks by one byte each 40 s does not hold a try for ever.
TEST_F(UpdateTest, B63_ATryEndsAfterTwoHours) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  std::int64_t acked = 0;
  for (int i = 0; i < 7'200 / 40 - 1; ++i) {
    device.stay(40'000);
    device.ack(++acked);
  }
  EXPECT_EQ(device.phase(), UpdatePhase::sending);
  device.stay(40'000);
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
  EXPECT_NE(device.view()->record.message.find("two hours"), std::string::npos);
}

TEST_F(UpdateTest, B64_AVersionThatIsNeitherIsReportedAndNothingIsTried) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.take_all();
  device.restart_as("2.0.0-dirty-7-gabcdef.1");
  EXPECT_EQ(device.phase(), UpdatePhase::rolled_back);  // older than what was offered
  UpdatedDevice other{bench, 2};
  other.pair_with("1.0.0");
  ASSERT_TRUE(other.update(image));
  other.take_all();
  other.restart_as("2.0.1");
  EXPECT_EQ(other.phase(), UpdatePhase::mismatched);
  EXPECT_NE(report(*other.view()).text.find("2.0.1"), std::string::npos);
  bench.advance(3'600'000);
  EXPECT_EQ(other.count("ota.offer"), 0U);
}

TEST_F(UpdateTest, O7_CancelAborts) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.ack(0);
  ASSERT_TRUE(bench.hub->updates().cancel(device.id));
  EXPECT_EQ(device.got().back().type, "ota.abort");
  EXPECT_EQ(device.link->dropped_streams.size(), 1U);
  EXPECT_EQ(device.phase(), UpdatePhase::cancelled);
  device.ack(16'384);
  EXPECT_EQ(device.got().back().type, "ota.abort");
  EXPECT_FALSE(bench.hub->updates().cancel(device.id));
}

TEST_F(UpdateTest, O7_WhatRestartsCannotBeCancelled) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.take_all();
  const auto cancelled = bench.hub->updates().cancel(device.id);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, FailureCode::refused);
}

TEST_F(UpdateTest, E40_AnUnpairedDeviceIsUpdatedWhenTheOwnerSaysSo) {
  device.introduce("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.take_all();
  device.restart_as("2.0.0");
  EXPECT_EQ(device.phase(), UpdatePhase::installed);
  for (const Written& one : device.got()) {
    EXPECT_TRUE(one.type == "challenge" || one.type == "welcome" || one.type == "pairing")
        << one.type;
  }
}

TEST_F(UpdateTest, ADeviceThatIsAwayGetsItWhenItComes) {
  device.pair_with("1.0.0");
  device.drop();
  const auto started = device.update(image);
  ASSERT_TRUE(started) << started.error().text;
  EXPECT_EQ(started->record.phase, UpdatePhase::waiting);
  EXPECT_EQ(report(*started).text, "desk is away: the update to 2.0.0 begins when it is back");
  bench.advance(86'400'000);
  device.introduce("1.0.0");
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

TEST_F(UpdateTest, E12_AReplacedConnectionIsADrop) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  device.ready();
  device.introduce("1.0.0");  // the old one is still there
  EXPECT_EQ(device.phase(), UpdatePhase::waiting);
  device.stay(60'000);
  EXPECT_EQ(device.count("ota.offer"), 1U);
}

TEST_F(UpdateTest, E44_ForgettingADeviceEndsItsUpdate) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  ASSERT_TRUE(bench.hub->forget(device.id));
  EXPECT_EQ(device.count("ota.abort"), 1U);
  EXPECT_FALSE(device.view());
  bench.advance(3'600'000);
}

// An update outlasts more answers than there are ids: none of them takes its stream.
TEST_F(UpdateTest, E20_NoOtherStreamTakesTheIdOfAnUpdate) {
  bench.synthesizer.ms_per_char = 1;
  device.introduce("1.0.0", kSpeaksAndUpdates);
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  ASSERT_TRUE(device.update(image));
  const std::string mine = device.need("ota.offer").get("stream");
  device.ready();
  device.ack(0);
  for (int i = 1; i <= 260; ++i) {
    device.ack(i);  // it goes on, slowly
    device.forget_all();
    device.send(R"({"type":"text","id":"1","text":"x"})");
    bench.advance(300);
    ASSERT_EQ(device.count("audio.start"), 1U);
    ASSERT_NE(device.need("audio.start").get("stream"), mine) << "answer " << i;
  }
  EXPECT_EQ(device.phase(), UpdatePhase::sending);
}

TEST_F(UpdateTest, E20_StreamsAreSharedWithSpeech) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  const int first = std::stoi(device.need("ota.offer").get("stream"));
  ASSERT_TRUE(bench.hub->updates().cancel(device.id));
  for (int i = 0; i < 260; ++i) {
    ASSERT_TRUE(device.update(image));
    const int stream = std::stoi(device.need("ota.offer").get("stream"));
    EXPECT_EQ(stream, (first + i) % 250 + 1);
    ASSERT_TRUE(bench.hub->updates().cancel(device.id));
  }
}

TEST_F(UpdateTest, ASecondStartOfTheSameImageJoinsTheFirst) {
  device.pair_with("1.0.0");
  ASSERT_TRUE(device.update(image));
  ASSERT_TRUE(device.update(image));
  EXPECT_EQ(device.count("ota.offer"), 1U);
  const auto other = device.update(image_of("3.0.0"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, FailureCode::refused);
}

}  // namespace
}  // namespace gadget::hub::bench
