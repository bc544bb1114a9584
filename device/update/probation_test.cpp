// O9, B-55, B-57: new firmware proves itself; and whatever comes, nothing wrong is ever marked.
#include <random>

#include <gtest/gtest.h>

#include "device/update/test_updater.hpp"

namespace gadget::device {
namespace {

using test::BigSlots;
using test::Device;
using test::Image;
using test::make_image;
using test::TestFlash;
using enum UpdatePhase;
using Answer = UpdateAnswer;

// An image that is linked for the other slot would crash: the confirmed one runs on.
TEST(AbSlots, AnImageThatIsLinkedForTheOtherSlotIsNotAccepted) {
  TestFlash flash;
  AbSlots slots{flash, 0};
  const ImageFacts good{.header = true, .board = true, .version = "2"};
  EXPECT_TRUE(slots.accepts(good));
  EXPECT_FALSE(slots.accepts({.header = true, .board = false, .version = "2"}));
  flash.linked_for = 1;
  EXPECT_TRUE(slots.accepts(good));
  flash.linked_for = 0;
  EXPECT_FALSE(slots.accepts(good));
}

// ---- Probation

TEST(Updater, O9_B55_NoWelcomeIn5MinutesGoesBack) {
  BigSlots slots;
  slots.probation = true;
  Updater updater{&slots, "bench"};
  Ticks now = 5'000;
  updater.start(now);
  EXPECT_EQ(updater.probation(), Probation::waiting);
  for (; now < 5'000 + 299'980; now += 20) ASSERT_FALSE(updater.tick(now));
  EXPECT_EQ(slots.roll_backs, 0);
  EXPECT_TRUE(updater.tick(5'000 + 300'000));
  EXPECT_EQ(slots.roll_backs, 1);
  EXPECT_EQ(updater.probation(), Probation::failed);
  for (now = 305'000; now < 307'000; now += 20) ASSERT_FALSE(updater.tick(now));
  EXPECT_EQ(slots.reboots, 1);
  EXPECT_EQ(slots.confirms, 0);
}

TEST(Updater, O9_AWelcomeConfirmsOnce) {
  BigSlots slots;
  slots.probation = true;
  Updater updater{&slots, "bench"};
  updater.start(0);
  updater.welcomed(299'999);
  EXPECT_EQ(slots.confirms, 1);
  EXPECT_EQ(updater.probation(), Probation::none);
  updater.welcomed(300'100);
  EXPECT_FALSE(updater.tick(1'000'000));
  EXPECT_EQ(slots.confirms, 1);
  EXPECT_EQ(slots.roll_backs, 0);
}

TEST(Updater, O9_AConfirmationThatFlashDoesNotTakeIsTriedAgain) {
  BigSlots slots;
  slots.probation = true;
  slots.confirm_works = false;
  Updater updater{&slots, "bench"};
  updater.start(0);
  updater.welcomed(1'000);
  for (Ticks now = 1'000; now < 11'000; now += 20) ASSERT_FALSE(updater.tick(now));
  EXPECT_EQ(slots.confirms, 10);
  EXPECT_EQ(updater.probation(), Probation::proven);
  slots.confirm_works = true;
  (void)updater.tick(12'000);
  EXPECT_EQ(updater.probation(), Probation::none);
  EXPECT_EQ(slots.roll_backs, 0);
}

TEST(Updater, B57_WhatIsOnProbationNeverErasesWhatItMayReturnTo) {
  Device device{1};
  const Image old = make_image("1", "bench", 3'000);
  device.flash.load(0, old);
  ASSERT_TRUE(store_record(device.flash, {.counter = 0, .confirmed = 0, .trial = 1, .tries = 1}));
  device.updater.start(device.now);
  device.start(make_image("3", "bench", 2'000));  // although no `welcome` came
  EXPECT_EQ(device.take(), Answer::flash);
  EXPECT_TRUE(device.flash.holds(0, old));
}

// Whatever comes in whatever order: what is marked was offered last, allowed, and is there whole;
// every error leaves neither offer nor update, and nothing outside the spare slot is touched.
TEST(UpdaterProperty, O2_O5_NothingIsMarkedThatWasNotAllowedWholeAndRight) {
  std::mt19937 random{7};
  const std::vector<Image> images{make_image("2", "bench", 400), make_image("3", "bench", 700),
                                  make_image("4", "other", 500)};
  const Image running = make_image("1", "bench", 3'000);
  int installed_count = 0;
  std::array<int, kUpdateAnswers> seen{};
  for (int life = 0; life < 2'000; ++life) {
    Device device;
    device.flash.load(0, running);
    std::size_t offered_image = 0;
    bool allowed = false;
    std::size_t sent = 0;
    for (int step = 0; step < 60 && device.updater.phase() < leaving; ++step) {
      const UpdatePhase before = device.updater.phase();
      switch (random() % (before == receiving ? 64 : 16)) {
        case 0:
          offered_image = random() % images.size();
          device.offer(images[offered_image]);
          if (before < installed) allowed = false;
          break;
        case 1: device.updater.begin(device.now, false); break;
        case 2:
        case 3:
          device.updater.begin(device.now, true);
          if (before == offered) {
            allowed = true;
            device.sequence = 0;
            sent = 0;
          }
          break;
        case 4: device.updater.end(device.now); break;
        case 5:
          device.updater.frame(device.now, 7, static_cast<std::uint16_t>(random()), {});
          break;
        case 6:
          random() % 4 == 0 ? device.updater.abort() : device.updater.malformed_offer();
          break;
        case 7: random() % 4 == 0 ? device.updater.link_lost() : (void)device.pass(40); break;
        case 8: device.updater.end(device.now); break;
        default: {
          // The next piece, rarely a wrong one.
          const Image& image = images[random() % 8 == 0 ? random() % images.size() : offered_image];
          const std::size_t at = std::min(sent, image.size());
          const std::size_t part = std::min<std::size_t>(1 + random() % 300, image.size() - at);
          if (before == receiving && part == 0) device.updater.end(device.now);
          if (before == receiving && part > 0) device.frame(std::span{image}.subspan(at, part));
          sent += part;
          (void)device.updater.tick(device.now += 20);
        }
      }
      const Answer answer = device.take();
      ++seen[static_cast<std::size_t>(answer)];
      if (!std::string_view{code(answer)}.empty()) {
        ASSERT_EQ(device.updater.phase(), idle) << code(answer);
      }
      const bool marked = load_record(device.flash).trial == 1;
      ASSERT_EQ(marked, device.updater.phase() >= installed) << life << " " << step;
      if (before < installed && marked) {
        ++installed_count;
        ASSERT_TRUE(allowed);
        ASSERT_TRUE(device.flash.holds(1, images[offered_image])) << life << " " << step;
        ASSERT_NE(offered_image, 2U) << "an image for another board";
      }
      ASSERT_TRUE(device.flash.holds(0, running));
      ASSERT_EQ(device.flash.misuses(), 0);
    }
  }
  EXPECT_GT(installed_count, 20);
  for (const Answer answer : {Answer::ready, Answer::ack, Answer::done, Answer::bad_offer,
                              Answer::no_offer, Answer::unauthorized, Answer::sequence,
                              Answer::size, Answer::checksum, Answer::no_update}) {
    EXPECT_GT(seen[static_cast<std::size_t>(answer)], 0) << static_cast<int>(answer);
  }
}

}  // namespace
}  // namespace gadget::device
