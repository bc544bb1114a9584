#include "ports/template/flash_store.hpp"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "ports/template/fake_board.hpp"

namespace gadget::ports::port_template {
namespace {

using test::FakeBoard;
using test::FakeFlash;

std::vector<std::byte> bytes(std::string_view text) {
  const auto span = std::as_bytes(std::span{text.data(), text.size()});
  return {span.begin(), span.end()};
}

std::string value_of(FlashStore& store, std::string_view name) {
  std::array<std::byte, FlashStore::kValueBytes> out{};
  const auto size = store.get(name, out);
  return size ? std::string{reinterpret_cast<const char*>(out.data()), *size} : "(none)";
}

TEST(FlashStore, KeepsValuesAcrossAStart) {
  FakeFlash flash;
  FakeBoard board{flash};
  {
    FlashStore store{board};
    EXPECT_EQ(value_of(store, "key"), "(none)");
    EXPECT_TRUE(store.put("key", bytes("secret")));
    EXPECT_TRUE(store.put("volume", bytes("7")));
    EXPECT_TRUE(store.put("volume", bytes("80")));
    EXPECT_TRUE(store.put("empty", {}));
  }
  FlashStore store{board};
  EXPECT_EQ(value_of(store, "key"), "secret");
  EXPECT_EQ(value_of(store, "volume"), "80");
  EXPECT_EQ(value_of(store, "empty"), "");
  EXPECT_EQ(value_of(store, "trust"), "(none)");
  std::array<std::byte, 5> small{};
  EXPECT_FALSE(store.get("key", small));
  EXPECT_EQ(flash.faults, 0);
}

TEST(FlashStore, TheSameValueAgainWritesNothing) {
  FakeFlash flash;
  FakeBoard board{flash};
  FlashStore store{board};
  EXPECT_TRUE(store.put("a", bytes("1")));
  const int before = flash.operations;
  EXPECT_TRUE(store.put("a", bytes("1")));
  EXPECT_EQ(flash.operations, before);
}

TEST(FlashStore, WhatDoesNotFitIsRefusedAndNothingIsLost) {
  FakeFlash flash;
  FakeBoard board{flash};
  FlashStore store{board};
  EXPECT_FALSE(store.put("a", std::vector<std::byte>(FlashStore::kValueBytes + 1)));
  EXPECT_FALSE(store.put(std::string(FlashStore::kNameBytes + 1, 'n'), {}));
  std::map<std::string, std::string> kept;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "value" + std::to_string(i);
    const std::string value(200, static_cast<char>('a' + i));
    if (store.put(name, bytes(value))) kept[name] = value;
  }
  EXPECT_EQ(kept.size(), 4U);  // of 216 bytes each in a page of 1,024
  for (const auto& [name, value] : kept) EXPECT_EQ(value_of(store, name), value);
  FlashStore again{board};
  for (const auto& [name, value] : kept) EXPECT_EQ(value_of(again, name), value);
}

// B-56: the power goes in the midst of every single operation of a history that moves from page to
// page, and again in the midst of the repair. Each value is then the old or the new one.
class FlashStoreCuts : public testing::TestWithParam<std::size_t> {};

// Also what a unit of 16 or 32 bytes needs; no write crosses a program page of 256.
INSTANTIATE_TEST_SUITE_P(Units, FlashStoreCuts, testing::Values(8, 16, 32));

TEST_P(FlashStoreCuts, B56_PowerCutAtEveryOperation) {
  const std::size_t unit = GetParam();
  const auto name_of = [](int i) { return "name" + std::to_string(i % 3); };
  const auto value_at = [](int i) {
    return std::string(static_cast<std::size_t>(20 + i % 5 * 30), static_cast<char>('a' + i % 26));
  };
  constexpr int kPuts = 40;
  FakeFlash whole;
  whole.unit = unit;
  {
    FakeBoard board{whole};
    FlashStore store{board, unit};
    for (int i = 0; i < kPuts; ++i) ASSERT_TRUE(store.put(name_of(i), bytes(value_at(i))));
  }
  EXPECT_EQ(whole.faults, 0);
  ASSERT_GT(whole.operations, kPuts + 10) << "several moves between the pages";
  for (int cut = 1; cut <= whole.operations; ++cut) {
    for (int second = 0; second <= 6; ++second) {
      FakeFlash flash;
      flash.unit = unit;
      flash.operations_left = cut;
      std::map<std::string, std::string> kept;
      std::string name;
      std::string value;
      {
        FakeBoard board{flash};
        FlashStore store{board, unit};
        for (int i = 0; i < kPuts; ++i) {
          name = name_of(i);
          value = value_at(i);
          if (!store.put(name, bytes(value))) break;
          kept[name] = value;
        }
      }
      if (second > 0) {  // the next start writes, and is cut as well
        flash.operations_left = second;
        FakeBoard board{flash};
        FlashStore store{board, unit};
        const std::string now = value_of(store, name);
        if (now == value) kept[name] = value;
        if (store.put("other", bytes("x"))) kept["other"] = "x";
      }
      flash.operations_left = 1'000'000;
      FakeBoard board{flash};
      FlashStore store{board, unit};
      for (const auto& [key, expected] : kept) {
        const std::string now = value_of(store, key);
        EXPECT_TRUE(now == expected || (key == name && now == value))
            << key << " is " << now << " after cut " << cut << ", " << second;
      }
      EXPECT_TRUE(store.put("after", bytes("works")));
      FlashStore again{board, unit};
      EXPECT_EQ(value_of(again, "after"), "works");
      EXPECT_EQ(flash.faults, 0);
    }
  }
}

TEST(FlashStore, AnyBytesAreAnEmptyStoreOrAGoodOne) {
  std::mt19937 random{5};
  for (int round = 0; round < 2'000; ++round) {
    FakeFlash flash;
    for (auto& page : flash.pages) {
      for (auto& byte : page) byte = static_cast<std::byte>(random() & 0xFFU);
    }
    FakeBoard board{flash};
    FlashStore store{board};
    EXPECT_EQ(value_of(store, "key"), "(none)");
    EXPECT_TRUE(store.put("key", bytes("k")));
    EXPECT_EQ(value_of(store, "key"), "k");
  }
}

}  // namespace
}  // namespace gadget::ports::port_template
