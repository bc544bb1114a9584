// Actions, the owner's commands, and what the agent's host offers.
#include <set>

#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;
using AgentKind = Bench::AgentKind;

// ---- Actions ----

constexpr const char* kLed =
    R"(,"actions":[{"name":"led.set"},{"name":"led.set","description":"2"}])";

struct Called {
  std::optional<Result<std::string>> result;
  void call(Bench& bench, const Device& device, std::string name, std::string args = "{}") {
    bench.hub->action(device.id, std::move(name), std::move(args),
                      [this](auto got) { result = std::move(got); });
  }
  [[nodiscard]] FailureCode code() const { return result->error().code; }
};

void come_with_led(Bench& bench, Device& device) {
  device.come(kLed);
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
}

TEST(Actions, X1_AnsweredByTheFirstResultOnly) {
  Bench bench;
  Device device(bench);
  come_with_led(bench, device);
  Called called;
  called.call(bench, device, "led.set", R"({"color":"red"})");
  const Written action = device.need("action");
  EXPECT_EQ(action.get("args"), R"({"color":"red"})");
  device.send(R"({"type":"action.result","id":"other","ok":true})");
  EXPECT_FALSE(called.result);
  device.send(R"({"type":"action.result","id":")" + action.get("id") +
              R"(","ok":true,"result":[1]})");
  EXPECT_EQ(called.result->value(), "[1]");
  device.send(R"({"type":"action.result","id":")" + action.get("id") +
              R"(","ok":false,"error":"x"})");
  EXPECT_EQ(called.result->value(), "[1]");
  EXPECT_EQ(bench.hub->devices()->front().actions.size(), 1U);  // H6: the first of a name counts
}

TEST(Actions, X3_GivenUpAfterEighteenSeconds) {
  Bench bench;
  Device device(bench);
  come_with_led(bench, device);
  Called called;
  called.call(bench, device, "led.set");
  bench.advance(17'950);
  EXPECT_FALSE(called.result);
  bench.advance(100);
  ASSERT_TRUE(called.result);
  EXPECT_EQ(called.code(), FailureCode::timeout);
  device.send(R"({"type":"action.result","id":")" + device.need("action").get("id") +
              R"(","ok":true})");
  EXPECT_EQ(called.code(), FailureCode::timeout);
}

TEST(Actions, X1_WhatDoesNotFitIsRefusedUnsent) {
  Bench bench;
  Device device(bench);
  device.come(R"(,"actions":[{"name":"led.set"}],"caps":{"max_message":4096})");
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  Called unknown;
  unknown.call(bench, device, "fan.set");
  EXPECT_EQ(unknown.code(), FailureCode::not_found);
  for (const std::string& bad : {std::string("[]"), std::string("{"), std::string("null"),
                                 R"({"x":")" + std::string(4096, 'x') + R"("})",
                                 R"({"x":)" + std::string(31, '[') + std::string(31, ']') + "}"}) {
    Called called;
    called.call(bench, device, "led.set", bad);
    EXPECT_EQ(called.code(), FailureCode::invalid_argument) << bad;
  }
  EXPECT_EQ(device.count("action"), 0U);
}

TEST(Actions, E25_FailsWithItsConnectionAndIdsAreNeverReused) {
  Bench bench;
  Device device(bench);
  come_with_led(bench, device);
  Called called;
  called.call(bench, device, "led.set");
  const std::string id = device.need("action").get("id");
  device.drop();
  EXPECT_EQ(called.code(), FailureCode::unavailable);
  Called away;
  away.call(bench, device, "led.set");
  EXPECT_EQ(away.code(), FailureCode::unavailable);
  device.come(kLed);
  Called next;
  next.call(bench, device, "led.set");
  EXPECT_NE(device.need("action").get("id"), id);
  device.send(R"({"type":"action.result","id":")" + id + R"(","ok":true})");
  EXPECT_FALSE(next.result);
}

// ---- Owner ----

TEST(Owner, RenameStaysAndFindsByName) {
  Bench bench;
  Device device(bench, 1);
  Device other(bench, 2);
  device.pair();
  other.pair();
  EXPECT_EQ(bench.hub->find("desk").error().code, FailureCode::invalid_argument);
  ASSERT_TRUE(bench.hub->rename(device.id, "kitchen"));
  device.drop();
  device.come();
  EXPECT_EQ(*bench.hub->find("kitchen"), device.id);
  EXPECT_EQ(*bench.hub->find("desk"), other.id);
  EXPECT_EQ(*bench.hub->find(device.id.text()), device.id);
  EXPECT_EQ(bench.hub->find("garage").error().code, FailureCode::not_found);
  EXPECT_FALSE(bench.hub->rename(device.id, " \t "));
}

TEST(Owner, D1_ACardWithItsTimeToLive) {
  Bench bench;
  Device device(bench);
  device.pair();
  ASSERT_TRUE(bench.hub->show(device.id, "Shopping", "* milk", 90'000'000'000));
  EXPECT_EQ(device.need("display").get("title"), "Shopping");
  EXPECT_EQ(device.need("display").get("body"), "- milk");
  EXPECT_EQ(device.need("display").get("ttl_s"), "86400");
  ASSERT_TRUE(bench.hub->show(device.id, "a", "b", -5));
  EXPECT_EQ(device.need("display").get("ttl_s"), "0");
}

// ---- The agent's host ----

TEST(Host, TimersAreCalledOnceAndCanBeCancelled) {
  Bench bench(AgentKind::scripted);
  int calls = 0;
  bench.host->at(bench.now + 100, [&] { ++calls; });
  const auto gone = bench.host->at(bench.now + 100, [&] { calls += 100; });
  bench.host->at_wall(bench.wall + 5000, [&] { calls += 10; });
  const auto gone_too = bench.host->at_wall(bench.wall + 5000, [&] { calls += 1000; });
  bench.host->cancel(gone);
  bench.host->cancel(gone_too);
  bench.advance(4999);
  EXPECT_EQ(calls, 1);
  bench.advance(1);
  EXPECT_EQ(calls, 11);
  bench.advance(100'000);
  EXPECT_EQ(calls, 11);
}

TEST(Host, AlarmsFollowAWallClockThatJumps) {
  Bench bench(AgentKind::scripted);
  int forward = 0;
  int back = 0;
  bench.host->at_wall(bench.wall + 3'600'000, [&] { ++forward; });
  bench.wall += 3'600'000;
  bench.advance(10'000);
  EXPECT_EQ(forward, 1);
  bench.host->at_wall(bench.wall + 5'000, [&] { ++back; });
  bench.wall -= 60'000;
  bench.advance(60'000);
  EXPECT_EQ(back, 0);
  bench.advance(5'000);
  EXPECT_EQ(back, 1);
}

TEST(Host, R10_SpeaksUpAtOnceOrWhenTheDeviceIsBack) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.forget_all();
  bench.host->speak_up(device.id, "Tea is ready", "Timer", "Tea", 60'000);
  bench.advance(3000);
  EXPECT_EQ(device.types(), (Types{"turn.start", "display", "reply", "audio.start", "frames",
                                   "audio.end", "turn.end"}));
  device.drop();
  bench.host->speak_up(device.id, "too late", "", "", 5'000);
  bench.host->speak_up(device.id, "in time", "", "", 60'000);
  bench.advance(10'000);
  device.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(device.count("turn.start"), 1U);
  EXPECT_EQ(device.need("reply").get("text"), "in time");
  device.come(kSpeaker);
  bench.advance(5000);
  EXPECT_EQ(device.count("turn.start"), 0U);  // told once
}

TEST(Host, R10_WhatExpiresWhileAnotherTurnRunsIsNotSaid) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.send(R"({"type":"text","text":"work"})");
  bench.host->speak_up(device.id, "too late", "", "", 5'000);
  bench.host->speak_up(device.id, "in time", "", "", 60'000);
  bench.advance(10'000);
  bench.agent->turns[0].sink->end(TurnOutcome::success, {});
  bench.settle();
  EXPECT_EQ(device.need("reply").get("text"), "in time");
}

TEST(Host, DeviceViewAndValues) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  EXPECT_TRUE(bench.host->device(device.id)->online);
  EXPECT_TRUE(bench.host->device(device.id)->has_speaker);
  EXPECT_FALSE(bench.host->device(protocol::device_id(protocol::Key())));
  ASSERT_TRUE(bench.host->remember(device.id, "list", "milk"));
  EXPECT_EQ(bench.host->recall(device.id, "list"), "milk");
  EXPECT_EQ(bench.host->devices_with("list"), std::vector{device.id});
  ASSERT_TRUE(bench.host->erase(device.id, "list"));
  EXPECT_FALSE(bench.host->recall(device.id, "list"));
}

// ---- Lists ----

TEST(Devices, PagesAndFilters) {
  Bench bench;
  Device first(bench, 1), second(bench, 2), third(bench, 3);
  for (Device* device : {&first, &second, &third}) device->come();
  ASSERT_TRUE(bench.hub->rename(second.id, "Bathroom"));
  third.drop();
  std::set<std::string> seen;
  DeviceQuery query;
  query.limit = 1;
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = bench.hub->devices(query);
    ASSERT_TRUE(page);
    for (const DeviceStatus& row : page->rows) seen.insert(std::string(row.record.id.text()));
    if (!page->next) break;
    query.after = page->next;
  }
  EXPECT_EQ(seen.size(), 3U);
  DeviceQuery online, text;
  online.online_only = true;
  text.text = "bATH";
  EXPECT_EQ(bench.hub->devices(online)->rows.size(), 2U);
  const auto named = bench.hub->devices(text);
  ASSERT_EQ(named->rows.size(), 1U);
  EXPECT_EQ(named->rows.front().record.id, second.id);
  EXPECT_FALSE(named->next);
  EXPECT_EQ(*bench.hub->find("Bathroom"), second.id);
  EXPECT_EQ(bench.hub->device(second.id)->record.name, "Bathroom");
  EXPECT_EQ(bench.hub->device(*DeviceId::parse("hg-0123456789abcdef")).error().code,
            FailureCode::not_found);
}

// ---- Time zones ----

TEST(Devices, N2_ADeviceMayBeInAnotherTimeZone) {
  Bench bench;
  Device device(bench);
  device.come();
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  ASSERT_TRUE(bench.hub->set_timezone(device.id, "Asia/Tokyo"));
  EXPECT_EQ(bench.hub->device(device.id)->timezone, "Asia/Tokyo");
  ASSERT_TRUE(bench.hub->set_timezone(device.id, ""));
  EXPECT_EQ(bench.hub->device(device.id)->timezone, "");
  EXPECT_EQ(
      bench.hub->set_timezone(*DeviceId::parse("hg-0123456789abcdef"), "Asia/Tokyo").error().code,
      FailureCode::not_found);
  ASSERT_TRUE(bench.hub->set_timezone(device.id, "Asia/Tokyo"));
  ASSERT_TRUE(bench.hub->forget(device.id));
  device.come();
  EXPECT_EQ(bench.hub->device(device.id)->timezone, "");
}

}  // namespace
}  // namespace gadget::hub::bench
