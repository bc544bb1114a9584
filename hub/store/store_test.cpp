// What the store keeps, by requirement id. Faults of the file are in store_faults_test.cpp.
#include "hub/store/store.hpp"

#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "hub/store/sqlite_store.hpp"
#include "hub/store/store_test_support.hpp"

namespace gadget::hub {
namespace {

using testing::device_number;
using testing::TemporaryFolder;

std::unique_ptr<SqliteStore> memory_store() {
  auto store = SqliteStore::open(":memory:");
  EXPECT_TRUE(store) << to_line(store.error());
  return std::move(*store);
}

TEST(Store, H10_KeepsKeyAndHowItCame) {
  auto store = memory_store();
  DeviceRecord record = device_number(1);
  record.enrolled_in_clear = true;  // H17
  record.address = "10.0.0.7";
  record.first_contact_wall_ms = 1000;
  record.last_contact_wall_ms = 2000;
  ASSERT_TRUE(store->enrol(record));
  const auto read = store->device(record.id);
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE(protocol::equal_constant_time((*read)->key.reveal(), record.key.reveal()));
  EXPECT_TRUE((*read)->enrolled_in_clear);
  EXPECT_FALSE((*read)->approved);
  EXPECT_EQ((*read)->address, "10.0.0.7");
  EXPECT_EQ((*read)->first_contact_wall_ms, 1000);
  EXPECT_EQ((*read)->last_contact_wall_ms, 2000);
  EXPECT_FALSE(*store->device(device_number(2).id));
}

TEST(Store, H10_EnrolmentNeverReplacesAKey) {
  auto store = memory_store();
  const DeviceRecord record = device_number(1);
  ASSERT_TRUE(store->enrol(record));
  ASSERT_TRUE(store->set_approved(record.id, true));
  DeviceRecord other = device_number(2);
  other.id = record.id;
  ASSERT_TRUE(store->enrol(other));
  const auto read = store->device(record.id);
  EXPECT_TRUE(protocol::equal_constant_time((*read)->key.reveal(), record.key.reveal()));
  EXPECT_TRUE((*read)->approved);
  EXPECT_EQ(*store->device_count(), 1);
}

TEST(Store, E11_ApprovedAheadIsApprovedAtEnrolment) {
  auto store = memory_store();
  const DeviceRecord record = device_number(1);
  ASSERT_TRUE(store->approve_ahead(record.id));
  EXPECT_TRUE(*store->approved_ahead(record.id));
  EXPECT_FALSE(*store->approved_ahead(device_number(2).id));
  ASSERT_TRUE(store->enrol(record));
  EXPECT_TRUE((*store->device(record.id))->approved);
  EXPECT_FALSE(*store->approved_ahead(record.id));
}

TEST(Store, E44_ForgetLeavesNothing) {
  auto store = memory_store();
  const DeviceRecord record = device_number(1);
  const DeviceRecord other = device_number(2);
  for (const DeviceRecord& each : {record, other}) {
    ASSERT_TRUE(store->enrol(each));
    ASSERT_TRUE(store->set_approved(each.id, true));
    ASSERT_TRUE(store->approve_ahead(each.id));
    ASSERT_TRUE(store->put_code({each.id, std::string("AAAA") + each.id.text()[5], 5}));
    ASSERT_TRUE(store->put_question({"q" + std::string(each.id.text()), each.id, "t", "x", 5}));
    ASSERT_TRUE(store->put_waiting({0, each.id, "text", "", "", 1, 2}));
    ASSERT_TRUE(store->put_value(each.id, "list", "milk"));
  }
  EXPECT_TRUE(*store->forget(record.id));
  EXPECT_FALSE(*store->device(record.id));
  EXPECT_FALSE(*store->approved_ahead(record.id));
  EXPECT_TRUE(store->questions(record.id)->empty());
  EXPECT_TRUE(store->waiting(record.id)->empty());
  EXPECT_FALSE(*store->value(record.id, "list"));
  EXPECT_FALSE(*store->forget(record.id));
  // The other one is as it was.
  EXPECT_EQ(store->codes()->size(), 1U);
  EXPECT_EQ(store->questions(other.id)->size(), 1U);
  EXPECT_EQ(store->waiting(other.id)->size(), 1U);
  EXPECT_EQ(*store->value(other.id, "list"), "milk");
}

TEST(Store, E11_NeverApprovedAreFoundByTheirLastContact) {
  auto store = memory_store();
  for (std::uint32_t n = 1; n <= 4; ++n) {
    DeviceRecord record = device_number(n);
    record.last_contact_wall_ms = 100 * n;
    ASSERT_TRUE(store->enrol(record));
  }
  ASSERT_TRUE(store->set_approved(device_number(1).id, true));
  ASSERT_TRUE(store->set_approved(device_number(1).id, false));  // revoked: it was approved once
  ASSERT_TRUE(store->touch(device_number(2).id, 1000));
  const auto found = store->never_approved_before(400);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::vector{device_number(3).id});
}

TEST(Store, Q6_QuestionsComeBackInTheirOrder) {
  auto store = memory_store();
  const DeviceId id = device_number(1).id;
  ASSERT_TRUE(store->put_question({"9", id, "one", "first?", 10}));
  ASSERT_TRUE(store->put_question({"10", id, "two", "second?", 20}));
  ASSERT_TRUE(store->put_question({"11", device_number(2).id, "", "other", 20}));
  ASSERT_TRUE(store->put_question({"9", id, "one", "first again?", 15}));
  auto questions = store->questions(id);
  ASSERT_EQ(questions->size(), 2U);
  EXPECT_EQ(questions->at(0).text, "first again?");
  EXPECT_EQ(questions->at(0).expires_wall_ms, 15);
  EXPECT_EQ(questions->at(1).id, "10");
  ASSERT_TRUE(store->drop_question("9"));
  EXPECT_EQ(store->questions(id)->size(), 1U);
}

TEST(Store, E41_WhatWaitsComesBackInItsOrder) {
  auto store = memory_store();
  const DeviceId id = device_number(1).id;
  ASSERT_TRUE(store->put_waiting({0, id, "tea", "Timer", "is ready", 1, 100}));
  ASSERT_TRUE(store->put_waiting({0, id, "", "", "", 2, 100}));
  auto waiting = store->waiting(id);
  ASSERT_EQ(waiting->size(), 2U);
  EXPECT_EQ(waiting->at(0).text, "tea");
  EXPECT_EQ(waiting->at(0).card_body, "is ready");
  EXPECT_EQ(waiting->at(1).text, "");
  ASSERT_TRUE(store->drop_waiting(waiting->at(0).row));
  EXPECT_EQ(store->waiting(id)->at(0).row, waiting->at(1).row);
}

TEST(Store, ValuesHoldAnyBytesUpToTheirLimit) {
  auto store = memory_store();
  const DeviceId id = device_number(1).id;
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE(store->put_value(id, "k", bytes));
  EXPECT_EQ(*store->value(id, "k"), bytes);
  ASSERT_TRUE(store->put_value(id, "k", ""));
  EXPECT_EQ(*store->value(id, "k"), "");
  EXPECT_TRUE(store->put_value(id, "k", std::string(kMaxValueBytes, 'x')));
  const auto beyond = store->put_value(id, "k", std::string(kMaxValueBytes + 1, 'x'));
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, FailureCode::invalid_argument);
  EXPECT_EQ(*store->devices_with_value("k"), std::vector{id});
  ASSERT_TRUE(store->drop_value(id, "k"));
  EXPECT_TRUE(store->devices_with_value("k")->empty());
}

TEST(Store, E24_IdsAreNeverReusedAcrossRestarts) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  std::int64_t last = 0;
  for (int start = 0; start < 3; ++start) {
    auto store = Store::open(file);
    ASSERT_TRUE(store) << to_line(store.error());
    for (int n = 0; n < 100; ++n) {
      const auto id = (*store)->next_id("question");
      ASSERT_TRUE(id);
      ASSERT_GT(*id, last);
      last = *id;
    }
    EXPECT_EQ(*(*store)->next_id("other" + std::to_string(start)), 1);
  }
}

TEST(Store, ATransactionIsAllOrNothing) {
  auto store = memory_store();
  const DeviceRecord record = device_number(1);
  const auto done = store->transaction([&]() -> Result<void> {
    EXPECT_TRUE(store->enrol(record));
    EXPECT_TRUE(*store->device(record.id));
    return fail(FailureCode::refused, "no");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text, "no");
  EXPECT_FALSE(*store->device(record.id));
  ASSERT_TRUE(store->enrol(record));  // and it works afterwards
  EXPECT_TRUE(*store->device(record.id));
}

// "A known device's handshake does not slow down with the number of enrolled devices."
TEST(Store, LookingUpADeviceTakesTheSameStepsAmong100000) {
  auto store = memory_store();
  const auto fill = [&](std::uint32_t from, std::uint32_t to) {
    ASSERT_TRUE(store->transaction([&]() -> Result<void> {
      for (std::uint32_t n = from; n < to; ++n) {
        if (auto done = store->enrol(device_number(n)); !done) return done;
      }
      return {};
    }));
  };
  const auto handshake_steps = [&] {
    const DeviceId id = device_number(7).id;
    (void)store->database().take_steps();
    EXPECT_TRUE(*store->device(id));
    EXPECT_FALSE(*store->approved_ahead(id));
    EXPECT_TRUE(store->describe(id, "n", "b", "f", "a", 5));
    EXPECT_TRUE(store->questions(id));
    EXPECT_TRUE(store->waiting(id));
    EXPECT_TRUE(store->value(id, "k"));
    EXPECT_TRUE(store->devices_with_value("k"));
    EXPECT_TRUE(store->never_approved_before(0));
    return store->database().take_steps();
  };
  fill(0, 10);
  const auto among_10 = handshake_steps();
  fill(10, 100'000);
  const auto among_100000 = handshake_steps();
  EXPECT_GT(among_10, 20U);
  EXPECT_LE(among_100000, among_10 + 10);
}

TEST(Store, PagesHoldEveryDeviceOnceAndTheOwnersNames) {
  auto store = memory_store();
  std::set<std::string> all;
  for (std::uint32_t n = 0; n < 100; ++n) {
    DeviceRecord record = device_number(n);
    record.name = "device " + std::to_string(n);
    ASSERT_TRUE(store->enrol(record));
    all.insert(std::string(record.id.text()));
  }
  const DeviceId renamed = device_number(7).id;
  ASSERT_TRUE(store->put_value(renamed, "hub.name", "K\u00fcche"));
  ASSERT_TRUE(store->put_value(renamed, "other", "x"));
  std::set<std::string> seen;
  std::optional<DeviceId> after;
  for (;;) {
    const auto page = store->devices_after(after, 7, "hub.name");
    ASSERT_TRUE(page) << to_line(page.error());
    EXPECT_LE(page->size(), 7U);
    if (page->empty()) break;
    for (const DeviceRecord& record : *page) {
      EXPECT_TRUE(seen.insert(std::string(record.id.text())).second);
      if (record.id == renamed) {
        EXPECT_EQ(record.name, "K\u00fcche");
      }
    }
    after = page->back().id;
  }
  EXPECT_EQ(seen, all);
}

TEST(Store, ANameIsTheOwnersOrElseTheDevices) {
  auto store = memory_store();
  for (std::uint32_t n = 0; n < 4; ++n) {
    DeviceRecord record = device_number(n);
    record.name = n < 2 ? "kitchen" : "hall";
    ASSERT_TRUE(store->enrol(record));
  }
  const auto named = [&](std::string_view name) { return *store->devices_named(name, "hub.name"); };
  EXPECT_EQ(named("kitchen").size(), 2U);
  EXPECT_TRUE(named("nobody").empty());
  ASSERT_TRUE(store->put_value(device_number(1).id, "hub.name", "bath"));
  EXPECT_EQ(named("kitchen"), std::vector<DeviceId>{device_number(0).id});
  EXPECT_EQ(named("bath"), std::vector<DeviceId>{device_number(1).id});
  ASSERT_TRUE(store->put_value(device_number(2).id, "hub.name", "kitchen"));
  EXPECT_EQ(named("kitchen").size(), 2U);
  ASSERT_TRUE(store->put_value(device_number(3).id, "hub.name", "kitchen"));
  EXPECT_EQ(named("kitchen").size(), 2U);  // enough to say that it is not one
}

}  // namespace
}  // namespace gadget::hub
