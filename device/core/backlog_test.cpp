// Events and typed texts of a time without a hub: bounded, aged, in order (S2, C1, E31, E40).
#include "device/core/backlog.hpp"

#include <array>
#include <deque>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using Kind = Backlog::Kind;

TEST(Backlog, KeepsTheNewestInTheirOrderWithinItsRoom) {
  std::array<char, 300> room{};
  Backlog backlog{room};
  for (Ticks i = 0; i < 100; ++i) {
    EXPECT_TRUE(backlog.add(i, {Kind::event, "e" + std::to_string(i), std::string(20, 'd')}));
  }
  const std::uint32_t lost = backlog.lost().events;
  EXPECT_EQ(backlog.lost().texts, 0U);
  EXPECT_GT(lost, 85U);
  EXPECT_LT(lost, 97U);
  for (std::uint32_t i = lost; i < 100; ++i) {
    ASSERT_TRUE(backlog.oldest());
    EXPECT_EQ(backlog.oldest()->name, "e" + std::to_string(i));
    EXPECT_EQ(backlog.oldest()->body, std::string(20, 'd'));
    backlog.drop_oldest();
  }
  EXPECT_TRUE(backlog.empty());
  EXPECT_FALSE(backlog.oldest());
  backlog.drop_oldest();
}

TEST(Backlog, WhatIsTooLargeChangesNothing) {
  std::array<char, 100> room{};
  Backlog backlog{room};
  EXPECT_TRUE(backlog.add(0, {Kind::text, {}, "hello"}));
  EXPECT_FALSE(backlog.add(0, {Kind::text, {}, std::string(100, 'x')}));
  EXPECT_FALSE(backlog.add(0, {Kind::event, std::string(256, 'x'), {}}));
  EXPECT_EQ(backlog.oldest()->body, "hello");
  EXPECT_EQ(backlog.lost().texts, 1U);
  EXPECT_EQ(backlog.lost().events, 1U);
  Backlog none{{}};
  EXPECT_FALSE(none.add(0, {Kind::text, {}, "x"}));
}

TEST(Backlog, AgesByKind) {
  std::array<char, 500> room{};
  Backlog backlog{room};
  backlog.add(0, {Kind::event_notify, "a", {}});
  backlog.add(0, {Kind::text, {}, "b"});
  backlog.add(1, {Kind::event, "c", {}});
  EXPECT_FALSE(backlog.expire(kTextMaxAgeMs - 1));
  EXPECT_TRUE(backlog.expire(kTextMaxAgeMs));
  EXPECT_EQ(backlog.oldest()->name, "a");
  EXPECT_EQ(backlog.oldest()->kind, Kind::event_notify);
  EXPECT_FALSE(backlog.expire(kEventMaxAgeMs));
  EXPECT_EQ(backlog.oldest()->name, "c");
  backlog.expire(kEventMaxAgeMs + 1);
  EXPECT_TRUE(backlog.empty());
  EXPECT_EQ(backlog.lost().texts, 1U);
  EXPECT_EQ(backlog.lost().events, 2U);
}

// Against a model without any cleverness.
TEST(Backlog, AnyOrderOfCallsIsAsTheModelSays) {
  std::mt19937 random{1};
  std::array<char, 400> room{};
  Backlog backlog{room};
  struct Kept {
    Millis at;
    Kind kind;
    std::string name, body;
  };
  std::deque<Kept> model;
  Ticks now = 0;
  for (int i = 0; i < 50'000; ++i) {
    now += static_cast<Ticks>(random() % 3'000);
    switch (random() % 6) {
      case 0: backlog.expire(now); break;
      case 1: backlog.drop_oldest(); break;
      case 2:
        if (random() % 8 == 0) backlog.forget_texts();
        break;
      default: {
        const Kept one{now, static_cast<Kind>(random() % 3), std::string(random() % 20, 'n'),
                       std::string(random() % 90, static_cast<char>('a' + random() % 26))};
        ASSERT_TRUE(backlog.add(now, {one.kind, one.name, one.body}));
        model.push_back(one);
      }
    }
    // What waits longest was added, and nothing that was added before it comes after it.
    std::size_t at = 0;
    if (const auto oldest = backlog.oldest()) {
      while (at < model.size() &&
             (model[at].name != oldest->name || model[at].body != oldest->body ||
              model[at].kind != oldest->kind)) {
        ++at;
      }
      ASSERT_LT(at, model.size());
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  EXPECT_GT(backlog.lost().texts, 100U);
}

// ---- Through the Gadget

TEST(Waiting, S2_C1_WhatHappenedWithoutAHubIsToldWhenThereIsOneInItsOrder) {
  Bench bench;
  bench.start();
  EXPECT_TRUE(bench.gadget->event(bench.now, "door", R"({"open":true})", true));
  EXPECT_TRUE(bench.gadget->text(bench.now, "hello"));
  EXPECT_TRUE(bench.shows_text("say it when"));
  EXPECT_TRUE(bench.gadget->event(bench.now, "tick", "", false));
  bench.pass(3'000);
  EXPECT_TRUE(bench.sent.empty());
  bench.go_online();
  bench.pass(200);
  ASSERT_EQ(bench.sent.size(), 3U);
  EXPECT_EQ(bench.sent[0], R"({"type":"event","name":"door","data":{"open":true},"notify":true})");
  EXPECT_EQ(Bench::field(bench.sent[1], "text"), "hello");
  EXPECT_EQ(Bench::field(bench.sent[2], "name"), "tick");
  EXPECT_EQ(bench.state, screen::State::thinking);  // an answer is on its way
  bench.pass(5'000);
  EXPECT_EQ(bench.sent.size(), 3U);
}

TEST(Waiting, E40_NothingIsToldBeforeThePairing) {
  Bench bench;
  bench.start();
  bench.gadget->text(bench.now, "hello");
  bench.gadget->event(bench.now, "door", "", true);
  bench.open();
  bench.challenge();
  bench.hub(R"({"type":"welcome","session":"s1","paired":false,"heartbeat_s":20})");
  bench.sent.clear();
  bench.pass(1'000);
  EXPECT_TRUE(bench.sent.empty());
  bench.hub(R"({"type":"paired"})");
  bench.pass(100);
  EXPECT_EQ(bench.sent.size(), 2U);
}

TEST(Waiting, E31_ATextOfAMinuteAgoIsNoLongerSaid) {
  Bench bench;
  bench.start();
  bench.gadget->text(bench.now, "turn on the oven");
  bench.gadget->event(bench.now, "door", "", true);
  bench.pass(kTextMaxAgeMs + 40);
  EXPECT_TRUE(bench.shows_text("Not sent"));
  bench.until_connect();
  bench.go_online();
  bench.pass(200);
  EXPECT_EQ(bench.count("oven"), 0);
  EXPECT_EQ(bench.count(R"("event")"), 1);
  EXPECT_EQ(bench.gadget->counters().lost_texts, 1U);
}

TEST(Waiting, CancelWithdrawsWhatWasTyped) {
  Bench bench;
  bench.start();
  bench.gadget->text(bench.now, "hello");
  bench.press(Button::cancel);
  EXPECT_TRUE(bench.shows_text("Discarded"));
  bench.go_online();
  bench.pass(200);
  EXPECT_EQ(bench.count(R"("text")"), 0);
  EXPECT_EQ(bench.gadget->counters().lost_texts, 0U);
}

TEST(Waiting, AFullLinkDelaysButKeepsTheOrder) {
  Bench bench;
  bench.go_online();
  bench.link_full = true;
  EXPECT_TRUE(bench.gadget->event(bench.now, "one", "", false));
  EXPECT_TRUE(bench.gadget->event(bench.now, "two", "", false));
  bench.link_full = false;
  EXPECT_TRUE(bench.gadget->event(bench.now, "three", "", false));
  bench.pass(200);
  ASSERT_EQ(bench.sent.size(), 3U);
  EXPECT_EQ(Bench::field(bench.sent[0], "name"), "one");
  EXPECT_EQ(Bench::field(bench.sent[1], "name"), "two");
  EXPECT_EQ(Bench::field(bench.sent[2], "name"), "three");
}

TEST(Waiting, AFloodCostsNoMoreThanTheRoom) {
  Bench bench;
  bench.start();
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(bench.gadget->event(bench.now, "e" + std::to_string(i), "", false));
  }
  bench.go_online();
  bench.pass(3'000);
  EXPECT_EQ(bench.sent.size() + bench.gadget->counters().lost_events, 1'000U);
  EXPECT_GT(bench.sent.size(), 10U);
  EXPECT_EQ(Bench::field(bench.last(), "name"), "e999");
  EXPECT_FALSE(bench.gadget->text(bench.now, " "));
  EXPECT_FALSE(bench.gadget->event(bench.now, "big", "\"" + std::string(2'100, 'x') + "\"", false));
}

}  // namespace
}  // namespace gadget::device
