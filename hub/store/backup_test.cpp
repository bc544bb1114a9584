// Backups of a store: whole, private, and back again; whatever is wrong changes nothing.
#include "hub/store/backup.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "hub/store/store_test_support.hpp"

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;
using testing::device_number;
using testing::TemporaryFolder;

class Backup : public ::testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "hub.db"; }
  std::unique_ptr<Store> open() const {
    auto store = Store::open(file());
    EXPECT_TRUE(store) << to_line(store.error());
    return store ? std::move(*store) : nullptr;
  }
  void enrol(std::uint32_t from, std::uint32_t to) const {
    const auto store = open();
    for (auto n = from; n < to; ++n) ASSERT_TRUE(store->enrol(device_number(n)));
  }
  std::int64_t devices() const { return open()->device_count().value_or(-1); }
  static std::string whole(LiveBackup& backup) {
    for (;;) {
      const auto done = backup.step();
      EXPECT_TRUE(done) << to_line(done.error());
      if (!done || *done) return backup.take();
    }
  }
  // Every file of the folder but the store's own.
  std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name != "hub.db" && name != "hub.db-wal" && name != "hub.db-shm") names.push_back(name);
    }
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(Backup, OfAStoreThatAHubHoldsIsWhole) {
  std::string bytes;
  {
    const auto store = open();
    for (std::uint32_t n = 0; n < 50; ++n) ASSERT_TRUE(store->enrol(device_number(n)));
    const auto backup = store->begin_backup();
    ASSERT_TRUE(backup) << to_line(backup.error());
    bytes = whole(**backup);
    ASSERT_TRUE(store->enrol(device_number(50)));  // the store goes on
  }
  EXPECT_TRUE(others().empty());  // no copy is left behind
  EXPECT_EQ(devices(), 51);
  const auto restored = restore_file(file(), bytes);
  ASSERT_TRUE(restored) << to_line(restored.error());
  EXPECT_EQ(restored->devices, 50);
  EXPECT_EQ(devices(), 50);
  const auto store = open();
  const auto found = store->device(device_number(7).id);
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE(std::equal((*found)->key.reveal().begin(), (*found)->key.reveal().end(),
                         device_number(7).key.reveal().begin()));
}

// 60 devices more and one less while it is made; it used to hold the loop until it was done.
TEST_F(Backup, TheStoreGoesOnBetweenItsPieces) {
  constexpr std::uint32_t kBefore = 12'000;
  std::string bytes;
  {
    const auto store = open();
    const auto many = store->transaction([&]() -> Result<void> {
      for (std::uint32_t n = 0; n < kBefore; ++n) {
        if (auto enrolled = store->enrol(device_number(n)); !enrolled) return enrolled;
      }
      return {};
    });
    ASSERT_TRUE(many);
    const auto backup = store->begin_backup();
    ASSERT_TRUE(backup) << to_line(backup.error());
    int steps = 0;
    for (bool done = false; !done; ++steps) {
      const auto step = (*backup)->step();
      ASSERT_TRUE(step) << to_line(step.error());
      done = *step;
      if (steps < 4) {
        for (std::uint32_t n = 0; n < 15; ++n) {
          const auto next = kBefore + static_cast<std::uint32_t>(steps) * 15 + n;
          ASSERT_TRUE(store->enrol(device_number(next)));
        }
      }
      if (steps == 1) {
        ASSERT_TRUE(store->forget(device_number(0).id).value_or(false));
      }
    }
    EXPECT_GT(steps, 8);
    bytes = (*backup)->take();
    ASSERT_GT(bytes.size(), 20U);
    EXPECT_EQ(bytes[18], 1);  // no log belongs to it
  }
  EXPECT_TRUE(others().empty());
  const auto restored = restore_file(file(), bytes);
  ASSERT_TRUE(restored) << to_line(restored.error());
  EXPECT_GE(restored->devices, kBefore + 14);
  const auto store = open();
  EXPECT_FALSE(store->device(device_number(0).id)->has_value());
  EXPECT_TRUE(store->device(device_number(kBefore + 5).id)->has_value());
}

TEST_F(Backup, WhatAKilledHubLeftBehindIsRemoved) {
  ASSERT_TRUE(files::write(folder_.path() / ".hub-copy-1-1", "keys", true));
  ASSERT_TRUE(files::write(folder_.path() / "backup-2026-11", "the owner's own", true));
  enrol(0, 1);
  EXPECT_EQ(others(), std::vector<std::string>{"backup-2026-11"});
}

TEST_F(Backup, MayBeGivenUpAfterTheStoreIsClosed) {
  enrol(0, 300);
  auto store = open();
  auto backup = store->begin_backup();
  ASSERT_TRUE(backup);
  ASSERT_TRUE((*backup)->step());
  store.reset();
  backup->reset();
  EXPECT_TRUE(others().empty());
  EXPECT_EQ(devices(), 300);
}

TEST_F(Backup, WhatWasThereIsSetAsideAndCanComeBack) {
  enrol(0, 3);
  const auto three = back_up_file(file());
  ASSERT_TRUE(three) << to_line(three.error());
  enrol(3, 9);
  const auto restored = restore_file(file(), *three);
  ASSERT_TRUE(restored) << to_line(restored.error());
  EXPECT_EQ(devices(), 3);
  const auto nine = files::read(restored->set_aside, kMaxBackupBytes);
  ASSERT_TRUE(nine);
  const auto again = restore_file(file(), *nine);
  ASSERT_TRUE(again) << to_line(again.error());
  EXPECT_NE(again->set_aside, restored->set_aside);
  EXPECT_EQ(devices(), 9);
}

TEST_F(Backup, IntoAnEmptyFolderAndForThisUserOnly) {
  enrol(0, 2);
  const auto bytes = back_up_file(file());
  ASSERT_TRUE(bytes);
  const fs::path elsewhere = folder_.path() / "new" / "hub.db";
  const auto restored = restore_file(elsewhere, *bytes);
  ASSERT_TRUE(restored) << to_line(restored.error());
  EXPECT_TRUE(restored->set_aside.empty());
  EXPECT_EQ(fs::status(elsewhere).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Backup, AStoreThatAHubHoldsIsNotReplaced) {
  enrol(0, 2);
  const auto bytes = back_up_file(file());
  ASSERT_TRUE(bytes);
  const auto held = open();
  EXPECT_EQ(restore_file(file(), *bytes).error().code, FailureCode::unavailable);
  EXPECT_EQ(back_up_file(file()).error().code, FailureCode::unavailable);
  EXPECT_EQ(held->device_count().value_or(-1), 2);
}

TEST_F(Backup, WhatIsNoBackupChangesNothing) {
  enrol(0, 2);
  const std::string good = *back_up_file(file());
  const auto refused = [&](const std::string& bytes, FailureCode code) {
    const auto restored = restore_file(file(), bytes);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, code) << to_line(restored.error());
    EXPECT_EQ(devices(), 2);
    EXPECT_TRUE(others().empty());
  };
  refused("", FailureCode::invalid_argument);
  refused("not a database at all", FailureCode::invalid_argument);
  refused(good.substr(0, 100), FailureCode::corrupt);
  refused(good.substr(0, good.size() / 2), FailureCode::corrupt);
  std::string torn = good;
  for (std::size_t at = 4096; at < 8192; ++at) torn[at] = '\x5a';
  refused(torn, FailureCode::corrupt);
}

TEST_F(Backup, OfANewerVersionIsRefused) {
  enrol(0, 2);
  std::string newer = *back_up_file(file());
  newer[63] = 99;  // user_version, big-endian at 60
  const auto restored = restore_file(file(), newer);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, FailureCode::refused) << to_line(restored.error());
  EXPECT_EQ(devices(), 2);
}

TEST_F(Backup, ADamagedStoreCanBeReplacedByOne) {
  enrol(0, 2);
  const std::string good = *back_up_file(file());
  std::ofstream(file(), std::ios::trunc) << "damaged";
  fs::remove(file().string() + "-wal");
  const auto restored = restore_file(file(), good);
  ASSERT_TRUE(restored) << to_line(restored.error());
  EXPECT_EQ(devices(), 2);
}

TEST_F(Backup, OfNothingIsSaid) {
  EXPECT_EQ(back_up_file(folder_.path() / "none.db").error().code, FailureCode::not_found);
}

}  // namespace
}  // namespace gadget::hub
