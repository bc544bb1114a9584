// Firmware updates in the store, and how a store without them becomes one that has them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hub/store/sqlite_store.hpp"
#include "hub/store/store_test_support.hpp"

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;
using testing::device_number;
using testing::TemporaryFolder;

UpdateRecord update_number(std::uint32_t number, UpdatePhase phase) {
  UpdateRecord record;
  record.device = device_number(number).id;
  record.image = std::string(64, 'a');
  record.version = "1.2." + std::to_string(number);
  record.version_known = false;
  record.previous = "1.1.0";
  record.size_bytes = 2'000'000;
  record.phase = phase;
  record.tries = 3;
  record.forced = true;
  record.fleet = true;
  record.started_wall_ms = 1000 + number;
  record.due_wall_ms = 2000;
  record.code = "timeout";
  record.message = "it \"stopped\"";
  return record;
}

TEST(StoreUpdates, E43_AnUpdateComesBackAsItWas) {
  auto store = std::move(*Store::open(":memory:"));
  const UpdateRecord put = update_number(1, UpdatePhase::restarting);
  ASSERT_TRUE(store->put_update(put));
  const auto got = store->update(put.device);
  ASSERT_TRUE(got && *got);
  const UpdateRecord& record = **got;
  EXPECT_EQ(record.device, put.device);
  EXPECT_EQ(record.image, put.image);
  EXPECT_EQ(record.version, put.version);
  EXPECT_FALSE(record.version_known);
  EXPECT_EQ(record.previous, put.previous);
  EXPECT_EQ(record.size_bytes, put.size_bytes);
  EXPECT_EQ(record.phase, put.phase);
  EXPECT_EQ(record.tries, 3);
  EXPECT_TRUE(record.forced);
  EXPECT_TRUE(record.fleet);
  EXPECT_EQ(record.started_wall_ms, put.started_wall_ms);
  EXPECT_EQ(record.due_wall_ms, 2000);
  EXPECT_EQ(record.code, put.code);
  EXPECT_EQ(record.message, put.message);
  EXPECT_FALSE(*store->update(device_number(9).id));
}

TEST(StoreUpdates, OnlyOpenOnesAreReadWhenAHubStarts) {
  auto store = std::move(*Store::open(":memory:"));
  for (std::uint32_t i = 0; i < kUpdatePhases; ++i) {
    ASSERT_TRUE(store->put_update(update_number(i, static_cast<UpdatePhase>(i))));
  }
  const auto open = store->open_updates();
  ASSERT_TRUE(open);
  EXPECT_EQ(open->size(), 7U);
  for (const UpdateRecord& record : *open) EXPECT_TRUE(is_open(record.phase));
  const auto all = store->updates();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), kUpdatePhases);
  EXPECT_EQ(all->front().device, device_number(kUpdatePhases - 1).id);  // the newest first
}

TEST(StoreUpdates, E29_VersionsThatADeviceWentBackFromAreKept) {
  auto store = std::move(*Store::open(":memory:"));
  const DeviceId device = device_number(1).id;
  ASSERT_TRUE(store->put_rolled_back(device, "1.2.0", 5));
  ASSERT_TRUE(store->put_rolled_back(device, "1.2.0", 6));
  ASSERT_TRUE(store->put_rolled_back(device, "1.3.0", 7));
  ASSERT_TRUE(store->put_rolled_back(device_number(2).id, "9.0.0", 7));
  EXPECT_EQ(*store->rolled_back(device), (std::vector<std::string>{"1.2.0", "1.3.0"}));
  ASSERT_TRUE(store->drop_rolled_back(device, "1.2.0"));
  EXPECT_EQ(*store->rolled_back(device), std::vector<std::string>{"1.3.0"});
}

TEST(StoreUpdates, E44_ForgettingADeviceForgetsItsUpdates) {
  auto store = std::move(*Store::open(":memory:"));
  for (const std::uint32_t number : {1U, 2U}) {
    ASSERT_TRUE(store->enrol(device_number(number)));
    ASSERT_TRUE(store->put_update(update_number(number, UpdatePhase::waiting)));
    ASSERT_TRUE(store->put_rolled_back(device_number(number).id, "1", 5));
  }
  EXPECT_TRUE(*store->forget(device_number(1).id));
  EXPECT_FALSE(*store->update(device_number(1).id));
  EXPECT_TRUE(store->rolled_back(device_number(1).id)->empty());
  EXPECT_TRUE(*store->update(device_number(2).id));
  EXPECT_EQ(store->rolled_back(device_number(2).id)->size(), 1U);
}

TEST(StoreUpdates, ThereIsOneFleet) {
  auto store = std::move(*Store::open(":memory:"));
  EXPECT_FALSE(*store->fleet());
  FleetRecord fleet{.image = std::string(64, 'b'),
                    .version = "2.0.0",
                    .board = "desk",
                    .stage = FleetStage::rolling,
                    .batch = 5,
                    .stop_after_failures = 2,
                    .forced = true,
                    .total = 100,
                    .installed = 7,
                    .failed = 1,
                    .started_wall_ms = 99,
                    .reason = {}};
  ASSERT_TRUE(store->put_fleet(fleet));
  fleet.stage = FleetStage::halted;
  fleet.reason = "two failed";
  ASSERT_TRUE(store->put_fleet(fleet));
  const auto got = store->fleet();
  ASSERT_TRUE(got && *got);
  EXPECT_EQ((*got)->stage, FleetStage::halted);
  EXPECT_EQ((*got)->reason, "two failed");
  EXPECT_EQ((*got)->board, "desk");
  EXPECT_EQ((*got)->batch, 5);
  EXPECT_EQ((*got)->stop_after_failures, 2);
  EXPECT_TRUE((*got)->forced);
  EXPECT_EQ((*got)->total, 100);
  EXPECT_EQ((*got)->installed, 7);
  EXPECT_EQ((*got)->failed, 1);
  EXPECT_EQ((*got)->started_wall_ms, 99);
}

TEST(StoreMigration, AStoreOfVersion1GetsUpdatesAndACopyIsKept) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  const auto first_step = sqlite::migrations().first(1);
  {
    auto old = SqliteStore::open(file, first_step);
    ASSERT_TRUE(old) << to_line(old.error());
    // As the program of that version wrote it.
    ASSERT_TRUE((*old)->enrol(device_number(1)));
    ASSERT_FALSE((*old)->put_update(update_number(1, UpdatePhase::waiting)));
  }
  {
    auto store = Store::open(file);
    ASSERT_TRUE(store) << to_line(store.error());
    EXPECT_TRUE(*(*store)->device(device_number(1).id));
    EXPECT_TRUE((*store)->put_update(update_number(1, UpdatePhase::waiting)));
    EXPECT_EQ((*store)->open_updates()->size(), 1U);
  }
  const std::string copy = file.string() + ".v1";
  struct stat status {};
  ASSERT_EQ(::stat(copy.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  auto kept = SqliteStore::open(copy, first_step);
  ASSERT_TRUE(kept) << to_line(kept.error());
  EXPECT_TRUE(*(*kept)->device(device_number(1).id));
}

}  // namespace
}  // namespace gadget::hub
