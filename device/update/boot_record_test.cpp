// O9, B-56, B-57: which slot boots.
#include "device/update/boot_record.hpp"

#include <gtest/gtest.h>

#include "device/update/test_flash.hpp"

namespace gadget::device {
namespace {

using test::TestFlash;

TEST(BootRecord, O9_EveryChoice) {
  struct Row {
    BootRecord record;
    BootChoice expected;
  };
  const Row rows[] = {
      {{7, 0, kNoSlot, 0}, {0, false, {7, 0, kNoSlot, 0}}},
      {{7, 1, kNoSlot, 0}, {1, false, {7, 1, kNoSlot, 0}}},
      {{7, 0, 1, 0}, {1, true, {7, 0, 1, 1}}},
      {{7, 1, 0, 0}, {0, true, {7, 1, 0, 1}}},
      {{7, 0, 1, 1}, {0, true, {7, 0, kNoSlot, 0}}},
      {{7, 1, 0, 1}, {1, true, {7, 1, kNoSlot, 0}}},
      {{7, 1, 0, 255}, {1, true, {7, 1, kNoSlot, 0}}},
  };
  for (const Row& row : rows) {
    const BootChoice choice = choose_boot(row.record);
    EXPECT_EQ(choice.slot, row.expected.slot);
    EXPECT_EQ(choice.changed, row.expected.changed);
    EXPECT_EQ(choice.record, row.expected.record);
  }
}

TEST(BootRecord, ANewDeviceBootsSlotZeroAndWritesNothing) {
  TestFlash flash;
  EXPECT_EQ(boot(flash), 0);
  EXPECT_EQ(flash.operations(), 0U);
}

TEST(BootRecord, StoredRecordsAlternateAndTheLaterRules) {
  TestFlash flash;
  for (std::uint8_t i = 0; i < 20; ++i) {
    const auto slot = static_cast<std::uint8_t>(i % 2);
    ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = slot}));
    EXPECT_EQ(load_record(flash).confirmed, slot);
    EXPECT_EQ(load_record(flash).counter, i + 1U);
  }
  EXPECT_EQ(flash.misuses(), 0);
}

TEST(BootRecord, B50_TheCounterMayWrap) {
  TestFlash flash;
  // As a device that was updated four billion times.
  const std::array<std::byte, 16> seal{};
  ASSERT_TRUE(flash.write_record(0, 0, encode({.counter = 0xFFFFFFFE, .confirmed = 0})));
  ASSERT_TRUE(flash.write_record(0, kSealOffset, seal));
  for (std::uint8_t i = 1; i < 6; ++i) {
    const auto slot = static_cast<std::uint8_t>(i % 2);
    ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = slot}));
    EXPECT_EQ(load_record(flash).confirmed, slot) << int{i};
  }
  EXPECT_EQ(load_record(flash).counter, 3U);
}

TEST(BootRecord, O9_TenRebootsInProbationGoBackOnce) {
  TestFlash flash;
  ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = 0, .trial = 1, .tries = 0}));
  EXPECT_EQ(boot(flash), 1);
  const std::size_t before = flash.operations();
  for (int i = 1; i < 10; ++i) EXPECT_EQ(boot(flash), 0) << i;
  EXPECT_EQ(flash.operations() - before, 3U);  // one record, not one a start
}

TEST(BootRecord, ABoardThatKnowsWhyItStartedMayTryMoreOften) {
  TestFlash flash;
  ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = 1, .trial = 0, .tries = 0}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(boot(flash, 3), 0);
  EXPECT_EQ(boot(flash, 3), 1);
}

TEST(BootRecord, FlashThatTakesNothingBootsWhatIsConfirmed) {
  TestFlash flash;
  ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = 0, .trial = 1, .tries = 0}));
  flash.cut_after(0, test::Tear::before);  // from here on nothing is written
  EXPECT_EQ(boot(flash), 0);
  TestFlash broken;
  broken.broken = true;
  EXPECT_EQ(boot(broken), 0);
  EXPECT_FALSE(store_record(broken, {}));
}

TEST(BootRecord, EveryFlippedBitOfARecordIsNoticed) {
  for (std::size_t bit = 0; bit < 16 * 8; ++bit) {
    TestFlash flash;
    ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = 0}));
    ASSERT_TRUE(store_record(flash, {.counter = 0, .confirmed = 1}));
    std::array<std::byte, 16> body{};
    ASSERT_TRUE(flash.read_record(1, 0, body));
    body[bit / 8] ^= std::byte{static_cast<unsigned char>(1U << bit % 8)};
    ASSERT_TRUE(flash.erase_record(1));
    ASSERT_TRUE(flash.write_record(1, 0, body));
    EXPECT_EQ(load_record(flash).confirmed, 0) << bit;
  }
}

}  // namespace
}  // namespace gadget::device
