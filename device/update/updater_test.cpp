// O1-O8, E38, B-61, B-62, B-65, B-67: an update from the offer to the restart, and what may go
// wrong.
#include "device/update/updater.hpp"

#include <gtest/gtest.h>

#include "device/update/test_updater.hpp"

namespace gadget::device {
namespace {

using test::BigSlots;
using test::Device;
using test::Image;
using test::make_image;
using test::sha256_hex;
using test::TestFlash;
using enum UpdatePhase;
using Answer = UpdateAnswer;

TEST(Updater, O1_O2_O5_AnImageIsTakenCheckedAndStarted) {
  Device device;
  const Image image = make_image("2.0.0", "bench", 3'000);
  device.offer(image, "2");
  EXPECT_EQ(device.take(), Answer::ready);
  EXPECT_EQ(device.updater.nonce().size(), 24U);
  device.begin();
  EXPECT_EQ(device.take(), Answer::ack);
  EXPECT_EQ(device.updater.acknowledged(), 0);
  device.send(0, 3'000, 1'000);
  EXPECT_EQ(device.acks, std::vector<std::int64_t>{3'000});
  EXPECT_EQ(device.updater.percent(), 100);
  device.updater.end(device.now);
  EXPECT_EQ(device.take(), Answer::none);
  EXPECT_EQ(device.pass(1'000), Answer::done);
  EXPECT_EQ(device.updater.version(), "2.0.0");  // what will run, by its own word
  EXPECT_TRUE(device.flash.holds(1, image));
  device.take();
  const Ticks done_at = device.now;
  device.pass(980);
  EXPECT_FALSE(device.left);
  device.pass(60);
  EXPECT_TRUE(device.left) << "about a second after done";
  EXPECT_EQ(device.flash.reboots(), 0);
  device.pass(600);
  EXPECT_EQ(device.flash.reboots(), 1);
  device.pass(60'000);
  EXPECT_EQ(device.flash.reboots(), 1);
  EXPECT_LT(done_at, device.now);
  EXPECT_EQ(boot(device.flash), 1);
  EXPECT_EQ(device.flash.misuses(), 0);
}

TEST(Updater, O4_E38_AnAckEachTime16384BytesWereTakenAndAtTheEnd) {
  struct Row {
    std::size_t size, frame;
    std::vector<std::int64_t> acks;
  };
  const Row rows[] = {
      {16'384, 4'096, {16'384}},
      {16'385, 4'096, {16'384, 16'385}},
      {40'000, 4'096, {16'384, 32'768, 40'000}},
      {40'000, 4'095, {16'380 + 4'095, 40'000}},
      {40'000, 1, {16'384, 32'768, 40'000}},
      {40'000, 23, {16'399, 32'798, 40'000}},
      {66'000, 1, {16'384, 32'768, 49'152, 65'536, 66'000}},
      {400, 4'096, {400}},
  };
  for (const Row& row : rows) {
    BigSlots slots;
    Device device;
    Updater updater{&slots, "bench"};
    const Image image = make_image("2", "bench", row.size);
    const std::string sum = sha256_hex(image);
    protocol::OtaOffer message;
    message.stream = 7;
    message.size_bytes = static_cast<std::int64_t>(row.size);
    message.sha256 = sum;
    updater.offer(0, message, std::array<std::byte, 16>{});
    updater.begin(0, true);
    Ticks now = 0;
    for (; updater.owed() != Answer::ack; now += 20) (void)updater.tick(now);
    updater.told();
    std::vector<std::int64_t> acks;
    std::uint16_t sequence = 0;  // wraps with frames of one byte
    for (std::size_t at = 0; at < row.size; at += row.frame) {
      const auto part = std::span{image}.subspan(at, std::min(row.frame, row.size - at));
      ASSERT_TRUE(updater.frame(now, 7, sequence++, part));
      for (int i = 0; i < 20; ++i) (void)updater.tick(now += 1);
      if (updater.owed() == Answer::none) continue;
      ASSERT_EQ(updater.owed(), Answer::ack);
      acks.push_back(updater.acknowledged());
      updater.told();
    }
    std::vector<std::int64_t> expected = row.acks;
    if (row.frame == 4'095) expected = {20'475, 40'000};
    EXPECT_EQ(acks, expected) << row.size << " by " << row.frame;
    updater.end(now);
    for (int i = 0; i < 20; ++i) (void)updater.tick(now += 20);
    EXPECT_EQ(updater.owed(), Answer::done);
    EXPECT_TRUE(slots.marked);
  }
}

TEST(Updater, E38_ErrorsOfFrames) {
  const Image image = make_image("2", "bench", 3'000);
  {  // before begin, of another stream: dropped
    Device device;
    EXPECT_FALSE(device.frame(image));
    device.offer(image);
    EXPECT_FALSE(device.frame(image));
    device.take();
    device.sequence = 0;
    device.begin();
    device.take();
    EXPECT_FALSE(device.updater.frame(device.now, 8, 0, image));
    EXPECT_EQ(device.updater.owed(), Answer::none);
    device.send(0, 3'000);
    device.updater.end(device.now);
    EXPECT_EQ(device.pass(100), Answer::done);
  }
  for (const std::uint16_t number :
       std::initializer_list<std::uint16_t>{0, 2, 3, 65'535, 32'769}) {  // 1 is due
    Device device;
    device.start(image);
    device.take();
    device.send(0, 1'000);
    device.updater.frame(device.now, 7, number, std::span{image}.subspan(1'000, 10));
    EXPECT_EQ(device.updater.owed(), Answer::sequence) << number;
    EXPECT_EQ(device.updater.phase(), idle);
    device.take();
    EXPECT_FALSE(device.updater.frame(device.now, 7, 1, image)) << "the update is over";
  }
  {  // the exact size and one byte
    Device device;
    device.start(image);
    device.take();
    device.send(0, 3'000);
    device.take();
    const std::byte more{};
    device.frame({&more, 0});
    EXPECT_EQ(device.updater.owed(), Answer::none) << "an empty frame means nothing";
    device.frame({&more, 1});
    EXPECT_EQ(device.updater.owed(), Answer::size);
  }
  {  // the same while it is being verified
    Device device;
    device.start(image);
    device.take();
    device.send(0, 3'000);
    device.take();
    device.updater.end(device.now);
    const std::byte more{};
    device.frame({&more, 1});
    EXPECT_EQ(device.updater.owed(), Answer::size);
    device.take();
    device.pass(2'000);
    EXPECT_EQ(load_record(device.flash).trial, kNoSlot);
  }
  {  // the end before all bytes, and twice
    Device device;
    device.start(image);
    device.take();
    device.send(0, 2'999);
    device.updater.end(device.now);
    EXPECT_EQ(device.take(), Answer::size);
    device.updater.end(device.now);
    EXPECT_EQ(device.take(), Answer::no_update);
  }
}

TEST(Updater, E38_AnOfferIsUsedUp) {
  const Image image = make_image("2", "bench", 3'000);
  Device device;
  device.updater.begin(0, true);
  EXPECT_EQ(device.take(), Answer::no_offer);
  device.offer(image);
  device.take();
  device.updater.begin(device.now, false);
  EXPECT_EQ(device.take(), Answer::unauthorized);
  device.updater.begin(device.now, true);
  EXPECT_EQ(device.take(), Answer::no_offer);
  device.offer(image);
  const std::string first{device.updater.nonce()};
  device.take();
  device.offer(image);  // an offer during an offer
  EXPECT_EQ(device.take(), Answer::ready);
  EXPECT_NE(device.updater.nonce(), first) << "a nonce is of one update";
  device.begin();
  EXPECT_EQ(device.take(), Answer::ack);
  device.updater.begin(device.now, true);  // begin twice
  EXPECT_EQ(device.take(), Answer::no_offer);
  EXPECT_EQ(device.updater.phase(), idle);
}

TEST(Updater, E38_AnOfferDuringAnUpdateStartsAnew) {
  const Image image = make_image("2", "bench", 3'000);
  const Image other = make_image("3", "bench", 2'500);
  Device device;
  device.start(image);
  device.take();
  device.send(0, 2'000, 512);
  device.sequence = 0;
  device.start(other);
  EXPECT_EQ(device.take(), Answer::ack);
  device.send(0, 2'500);
  device.updater.end(device.now);
  device.offer(image);  // while it is being verified
  EXPECT_EQ(device.take(), Answer::ready);
  EXPECT_EQ(load_record(device.flash).trial, kNoSlot);
  device.sequence = 0;
  device.begin();
  device.take();
  device.send(0, 3'000);
  device.updater.end(device.now);
  EXPECT_EQ(device.pass(100), Answer::done);
  EXPECT_TRUE(device.flash.holds(1, image));
  device.offer(other);  // the restart is the answer
  EXPECT_EQ(device.updater.owed(), Answer::done);
}

TEST(Updater, O6_SizesThatDoNotFit) {
  Device device;
  const Image image = make_image("2", "bench", TestFlash::kSlot);
  device.offer(image, "2", TestFlash::kSlot + 1);
  EXPECT_EQ(device.take(), Answer::too_large);
  device.offer(image, "2", INT64_MAX);
  EXPECT_EQ(device.take(), Answer::too_large);
  device.updater.malformed_offer();
  EXPECT_EQ(device.take(), Answer::bad_offer);
  device.start(image);  // exactly as much as there is room for
  device.take();
  device.send(0, image.size());
  device.updater.end(device.now);
  EXPECT_EQ(device.pass(100), Answer::done);
  EXPECT_EQ(device.flash.misuses(), 0);
}

TEST(Updater, O5_B65_WhatIsNoImageForThisBoardIsNotStarted) {
  Image broken = make_image("2", "bench", 3'000);
  broken[0] = std::byte{0x3C};
  for (const Image& image : {make_image("2", "other", 3'000), Image(3'000, std::byte{'<'}),
                             make_image("2", "bench", 287), Image(1, std::byte{0xE9}), broken}) {
    Device device;
    device.start(image);
    device.take();
    device.send(0, image.size());
    device.updater.end(device.now);
    EXPECT_EQ(device.pass(1'000), Answer::invalid);
    EXPECT_EQ(device.updater.phase(), idle);
    EXPECT_EQ(load_record(device.flash).trial, kNoSlot);
  }
}

TEST(Updater, O5_AnotherSumIsNotStarted) {
  Device device;
  device.start(make_image("2", "bench", 3'000));
  device.take();
  device.image[2'999] ^= std::byte{1};
  device.send(0, 3'000);
  device.updater.end(device.now);
  EXPECT_EQ(device.pass(1'000), Answer::checksum);
  EXPECT_EQ(load_record(device.flash).trial, kNoSlot);
}

TEST(Updater, O6_FlashThatFails) {
  const Image image = make_image("2", "bench", 3'000);
  {
    Device device;
    device.flash.broken = true;
    device.start(image);
    EXPECT_EQ(device.take(), Answer::flash);
    device.flash.broken = false;
    device.start(image);
    EXPECT_EQ(device.take(), Answer::ack) << "free for another try";
  }
  for (const bool stuck : {false, true}) {
    Device device;
    device.start(image);
    device.take();
    device.flash.stuck_bits = stuck;  // found when it is read back
    if (!stuck) device.flash.write_fails_at = 512;
    Image even = image;
    for (auto& byte : even) byte &= std::byte{0xFE};
    device.image = even;
    device.send(0, 3'000);
    EXPECT_EQ(device.take(), Answer::flash);
    EXPECT_EQ(device.updater.phase(), idle);
  }
  {  // it cannot be marked
    Device device;
    device.start(image);
    device.take();
    device.send(0, 3'000);
    device.updater.end(device.now);
    device.flash.broken = true;
    EXPECT_EQ(device.pass(100), Answer::flash);
  }
}

// A hub was given up for its silence a second after it heard that it may send: the answer had
// waited for room on the link.
TEST(Updater, O8_AnAckThatHadToWaitForTheLinkBeginsTheSilence) {
  Device device;
  device.start(make_image("2", "bench", 3'000));
  ASSERT_EQ(device.updater.owed(), Answer::ack);
  for (Ticks waited = 0; waited < 29'000; waited += 20) {
    ASSERT_FALSE(device.updater.tick(device.now += 20));
  }
  ASSERT_EQ(device.take(), Answer::ack);
  EXPECT_EQ(device.pass(29'900), Answer::none);
  EXPECT_EQ(device.pass(200), Answer::timeout);
}

TEST(Updater, O8_B61_SilenceEndsItAndLeavesTheDeviceFree) {
  const Image image = make_image("2", "bench", 3'000);
  Device device;
  device.offer(image);
  device.take();
  EXPECT_EQ(device.pass(29'980), Answer::none);
  EXPECT_EQ(device.pass(40), Answer::timeout);  // not begun
  device.take();
  device.updater.begin(device.now, true);
  EXPECT_EQ(device.take(), Answer::no_offer);

  device.start(image);
  device.take();
  EXPECT_EQ(device.pass(29'900), Answer::none);
  device.send(0, 100);
  EXPECT_EQ(device.pass(29'900), Answer::none);  // data came
  device.frame({});                              // that is none
  EXPECT_EQ(device.pass(200), Answer::timeout);
  device.take();
  EXPECT_EQ(device.updater.phase(), idle);

  device.sequence = 0;
  device.start(image);
  device.take();
  device.send(0, 3'000);
  EXPECT_EQ(device.pass(31'000), Answer::timeout);  // no `ota.end`
  device.take();
  device.sequence = 0;
  device.start(image);
  device.take();
  device.send(0, 3'000);
  device.updater.end(device.now);
  EXPECT_EQ(device.pass(100), Answer::done);
}

TEST(Updater, O7_O8_AbortAndALostConnectionAbandonAtEachStep) {
  const Image image = make_image("2", "bench", 3'000);
  for (const bool lost : {false, true}) {
    for (int steps = 1; steps <= 6; ++steps) {
      Device device;
      const auto act = [&](int step) {
        switch (step) {
          case 1: return device.offer(image);
          case 2: return static_cast<void>(device.take());
          case 3: return device.begin();
          case 4: return device.send(0, 1'500);
          case 5: return device.send(1'500, 3'000);
          default: return device.updater.end(device.now);
        }
      };
      for (int step = 1; step <= steps; ++step) act(step);
      if (lost) {
        device.updater.link_lost();
        EXPECT_EQ(device.updater.owed(), Answer::none) << "nothing of it on the next connection";
      } else {
        device.take();
        device.updater.abort();
        EXPECT_EQ(device.updater.owed(), Answer::none) << "an abort has no answer";
      }
      EXPECT_EQ(device.updater.phase(), idle) << steps;
      device.pass(3'000);
      EXPECT_FALSE(device.left);
      EXPECT_EQ(load_record(device.flash).trial, kNoSlot);
      // And it may begin again.
      device.sequence = 0;
      device.start(image);
      device.take();
      device.send(0, 3'000);
      device.updater.end(device.now);
      EXPECT_EQ(device.pass(100), Answer::done);
      // Once it is marked, neither matters any more.
      device.updater.abort();
      device.updater.link_lost();
      device.pass(3'000);
      EXPECT_TRUE(device.left);
      EXPECT_EQ(device.flash.reboots(), 1);
    }
  }
}

// ---- Slow flash

TEST(Updater, B62_ASlowEraseHoldsTheHubNotTheDevice) {
  BigSlots slots;
  slots.slow = 200;  // 4 s a sector, as the worst of serial flash
  Updater updater{&slots, "bench"};
  const Image image = make_image("2", "bench", 200'000);
  const std::string sum = sha256_hex(image);
  protocol::OtaOffer message;
  message.stream = 7;
  message.size_bytes = 200'000;
  message.sha256 = sum;
  updater.offer(0, message, std::array<std::byte, 16>{});
  updater.told();
  updater.begin(0, true);
  EXPECT_EQ(updater.owed(), Answer::none) << "nothing may come yet";
  std::size_t sent = 0;
  std::uint16_t sequence = 0;
  std::int64_t acked = -1;
  Ticks now = 0;
  for (; updater.phase() == receiving && sent < image.size() && now < 1'000'000; now += 20) {
    ASSERT_FALSE(updater.tick(now));
    if (updater.owed() == Answer::ack) acked = updater.acknowledged();
    ASSERT_TRUE(updater.owed() == Answer::none || updater.owed() == Answer::ack)
        << code(updater.owed());
    updater.told();
    // A hub keeps the window full (E43).
    while (acked >= 0 && sent < image.size() &&
           static_cast<std::int64_t>(sent) + 4'096 <= acked + 65'536) {
      const std::size_t part = std::min<std::size_t>(4'096, image.size() - sent);
      ASSERT_TRUE(updater.frame(now, 7, sequence++, std::span{image}.subspan(sent, part)));
      ASSERT_TRUE(updater.owed() == Answer::none || updater.owed() == Answer::ack);
      if (updater.owed() == Answer::ack) acked = updater.acknowledged();
      updater.told();
      sent += part;
    }
  }
  EXPECT_EQ(sent, image.size());
  EXPECT_EQ(slots.erases, 49);  // each sector once
  updater.end(now);
  for (int i = 0; i < 40; ++i) (void)updater.tick(now += 20);
  EXPECT_EQ(updater.owed(), Answer::done);
}

TEST(Updater, B62_AnEraseThatNeverEndsIsAFlashError) {
  Device device;
  device.flash.erase_polls = 1'000'000;
  device.offer(make_image("2", "bench", 3'000));
  device.take();
  device.updater.begin(device.now, true);
  EXPECT_EQ(device.pass(29'900), Answer::none);
  EXPECT_EQ(device.pass(200), Answer::flash);
}

TEST(Updater, AHubThatDoesNotWaitForTheFirstAckIsServedWhereASectorIsErasedAtOnce) {
  Device device;
  const Image image = make_image("2", "bench", 3'000);
  device.offer(image);
  device.take();
  device.updater.begin(device.now, true);
  device.send(0, 3'000);
  device.updater.end(device.now);
  EXPECT_EQ(device.pass(100), Answer::done);
  EXPECT_TRUE(device.flash.holds(1, image));

  Device slow;
  slow.flash.erase_polls = 3;
  slow.offer(image);
  slow.take();
  slow.updater.begin(slow.now, true);
  slow.send(0, 3'000);
  EXPECT_EQ(slow.take(), Answer::flash);
}

TEST(Updater, H4_WithoutSlotsEveryOfferIsUnsupported) {
  Updater updater{nullptr, "bench"};
  EXPECT_EQ(updater.max_bytes(), 0);
  updater.start(0);
  updater.offer(0, {}, std::array<std::byte, 16>{});
  EXPECT_EQ(updater.owed(), Answer::unsupported);
  updater.malformed_offer();
  EXPECT_EQ(updater.owed(), Answer::unsupported);
  updater.begin(0, true);
  EXPECT_EQ(updater.owed(), Answer::no_offer);
  updater.end(0);
  EXPECT_EQ(updater.owed(), Answer::no_update);
  EXPECT_FALSE(updater.frame(0, 1, 0, {}));
  updater.welcomed(0);
  EXPECT_FALSE(updater.tick(1'000'000));
}

}  // namespace
}  // namespace gadget::device
