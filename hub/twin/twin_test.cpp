// Pairing, sensors, events and questions, as a device and its owner see them.
#include "hub/core/bench.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;
using AgentKind = Bench::AgentKind;

// ---- Pairing ----

TEST(Pairing, E15_MessagesOfAnUnpairedDeviceBringTheCodeAgainAtMostEvery30S) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.come();
  const std::string code = device.need("pairing").get("code");
  device.forget_all();
  device.send(R"({"type":"text","text":"hello"})");
  EXPECT_EQ(device.types(), Types{"pairing"});
  EXPECT_EQ(device.need("pairing").get("code"), code);
  for (const char* const more :
       {R"({"type":"text","text":"x"})", R"({"type":"session.new"})",
        R"({"type":"event","name":"x","notify":true})", R"({"type":"audio.end","stream":1})"}) {
    device.send(more);
  }
  EXPECT_EQ(device.count("pairing"), 1U);
  bench.advance(30'000);
  device.send(R"({"type":"event","name":"x"})");
  EXPECT_EQ(device.count("pairing"), 2U);
  EXPECT_TRUE(bench.agent->turns.empty());
}

TEST(Pairing, E40_WhatAnUnpairedDeviceMayNotDoIsDropped) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.come();
  device.forget_all();
  device.send(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  device.speak(1, 1000);
  device.send(R"({"type":"cancel"})");
  device.send(R"({"type":"prompt.reply","id":"q","answer":"yes"})");
  device.send(R"({"type":"action.result","id":"a","ok":true})");
  device.send(R"({"type":"state","sensors":{"t":1}})");
  EXPECT_TRUE(device.got().empty());
  EXPECT_EQ(bench.hub->devices()->front().sensors.at("t").json, "1");
  EXPECT_FALSE(bench.hub->say(device.id, "x"));
  EXPECT_FALSE(bench.hub->show(device.id, "x", "y", 0));
  bool refused = false;
  bench.hub->ask(device.id, {"", "sure?", 0}, [&](auto outcome) { refused = !outcome; });
  EXPECT_TRUE(refused);
}

TEST(Pairing, E14_ANewCodeWhenTheOldOneExpires) {
  Bench bench;
  Device device(bench);
  device.come();
  const std::string code = device.need("pairing").get("code");
  for (int i = 0; i < 365; ++i) {
    bench.advance(10'000);
    device.send(R"({"type":"pong"})");
  }
  EXPECT_EQ(device.count("pairing"), 2U);
  EXPECT_NE(device.need("pairing").get("code"), code);
}

TEST(Pairing, E14_AClockThatIsSetForwardBringsANewCodeToo) {
  Bench bench;
  Device device(bench);
  device.come();
  const std::string code = device.need("pairing").get("code");
  bench.advance(50'000);
  device.send(R"({"type":"pong"})");
  EXPECT_EQ(device.count("pairing"), 1U);
  bench.wall += 3'600'000;
  bench.advance(20'000);
  EXPECT_EQ(device.count("pairing"), 2U);
  EXPECT_NE(device.need("pairing").get("code"), code);
}

TEST(Pairing, E44_RevocationEndsEverythingThenUnpairedThenPairing) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.come(R"(,"actions":[{"name":"led.set"}])");
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  device.send(R"({"type":"text","text":"work"})");
  Result<std::string> result;
  QuestionOutcome outcome = QuestionOutcome::yes;
  bench.hub->action(device.id, "led.set", "{}", [&](auto got) { result = std::move(got); });
  bench.hub->ask(device.id, {"", "sure?", 0}, [&](auto got) { outcome = *got; });
  device.forget_all();
  ASSERT_TRUE(bench.hub->revoke(device.id));
  EXPECT_EQ(device.types(), (Types{"turn.end", "prompt.close", "unpaired", "pairing"}));
  EXPECT_EQ(device.need("turn.end").get("outcome"), "cancelled");
  EXPECT_FALSE(result);
  EXPECT_EQ(outcome, QuestionOutcome::withdrawn);
  device.send(R"({"type":"text","text":"more"})");
  EXPECT_EQ(bench.agent->turns.size(), 1U);
  bench.settle();
  EXPECT_FALSE(*bench.agent->turns[0].alive);
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  EXPECT_EQ(device.types().back(), "paired");
}

TEST(Pairing, E11_ADeviceThatWasNeverApprovedIsForgottenAfterAnHour) {
  Bench bench;
  Device device(bench);
  device.come();
  device.drop();
  bench.advance(3'500'000);
  EXPECT_EQ(bench.hub->devices()->size(), 1U);
  bench.advance(200'000);
  EXPECT_TRUE(bench.hub->devices()->empty());
}

TEST(Pairing, E11_AllPlacesTakenIsBusy) {
  Bench bench;
  std::vector<std::unique_ptr<Device>> all;
  for (int i = 1; i <= 5; ++i) {
    all.push_back(std::make_unique<Device>(bench, i));
    all.back()->come();
  }
  EXPECT_EQ(all[3]->count("welcome"), 1U);
  EXPECT_EQ(all[4]->count("welcome"), 0U);
  EXPECT_EQ(all[4]->got().back().text, "busy");
  EXPECT_EQ(*bench.store->device_count(), 4);
}

TEST(Pairing, E11_ApprovedBeforehandIsPairedAtFirstContact) {
  Bench bench;
  Device device(bench);
  ASSERT_TRUE(bench.hub->approve(device.id.text()));
  device.come();
  EXPECT_EQ(device.types(), (Types{"challenge", "welcome"}));
  EXPECT_EQ(device.need("welcome").get("paired"), "true");
}

// ---- Sensors and events ----

TEST(Telemetry, S1_ReadingsAreMergedByNameAndNullRemoves) {
  Bench bench;
  Device device(bench);
  device.come(R"(,"sensors":{"t":20.50,"h":40,"on":true})");
  device.send(R"({"type":"state","sensors":{"h":null,"door":"open \"wide\"","t":21}})");
  const auto sensors = bench.hub->devices()->front().sensors;
  EXPECT_EQ(sensors.size(), 3U);
  EXPECT_EQ(sensors.at("t").json, "21");
  EXPECT_EQ(sensors.at("on").json, "true");
  EXPECT_EQ(sensors.at("door").json, R"("open \"wide\"")");
}

TEST(Telemetry, E6_BeyondSixtyFourSensorsNewNamesAreDropped) {
  Bench bench;
  Device device(bench);
  device.come();
  for (int i = 0; i < 70; ++i) {
    device.send(R"({"type":"state","sensors":{"s)" + std::to_string(i) + R"(":1}})");
  }
  device.send(R"({"type":"state","sensors":{"s0":2}})");
  const auto sensors = bench.hub->devices()->front().sensors;
  EXPECT_EQ(sensors.size(), 64U);
  EXPECT_EQ(sensors.at("s0").json, "2");
}

TEST(Telemetry, S1_TextIsCutAt256AndCleaned) {
  Bench bench;
  Device device(bench);
  device.come();
  device.send(R"({"type":"state","sensors":{"a\u0007b":")" + std::string(300, 'x') + R"("}})");
  const auto sensors = bench.hub->devices()->front().sensors;
  ASSERT_TRUE(sensors.contains("ab"));
  EXPECT_EQ(sensors.at("ab").json.size(), 258U);
}

TEST(Telemetry, S2_SixNotifiedEventsAMinuteReachTheAgentAsData) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  for (int i = 0; i < 8; ++i) {
    device.send(R"({"type":"event","name":"door","data":{"open":true},"notify":true})");
    if (!bench.agent->turns.empty()) bench.agent->turns.back().sink->end(TurnOutcome::success, {});
    bench.settle();
  }
  ASSERT_EQ(bench.agent->turns.size(), 6U);
  const AgentRequest& request = bench.agent->turns[0].request;
  EXPECT_EQ(request.source, AgentRequest::Source::event);
  EXPECT_EQ(request.event_name, "door");
  EXPECT_EQ(request.text, R"({"open":true})");
  EXPECT_EQ(bench.hub->devices()->front().events, 8U);
  EXPECT_EQ(bench.hub->devices()->front().recent_events.size(), 8U);
  bench.advance(30'000);
  device.send(R"({"type":"pong"})");
  bench.advance(30'000);
  device.send(R"({"type":"event","name":"door","notify":true})");
  EXPECT_EQ(bench.agent->turns.size(), 7U);
  device.send(R"({"type":"event","name":"quiet"})");
  EXPECT_EQ(bench.hub->devices()->front().recent_events.back().name, "quiet");
}

TEST(Telemetry, E6_AnEventWithTooMuchDataIsDropped) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.send(R"({"type":"event","name":"x","notify":true,"data":")" + std::string(2047, 'x') +
              R"("})");
  EXPECT_TRUE(bench.agent->turns.empty());
  device.send(R"({"type":"event","name":"x","notify":true,"data":")" + std::string(2046, 'x') +
              R"("})");
  EXPECT_EQ(bench.agent->turns.size(), 1U);
}

// ---- Questions ----

struct Asked {
  std::optional<QuestionOutcome> outcome;
  void ask(Bench& bench, const Device& device, std::string text, Millis ttl = 0) {
    bench.hub->ask(device.id, {"", std::move(text), ttl}, [this](auto got) { outcome = *got; });
  }
};

void answer(Device& device, const std::string& id, std::string_view word) {
  device.send(R"({"type":"prompt.reply","id":")" + id + R"(","answer":")" + std::string(word) +
              R"("})");
}

// Q5
TEST(Questions, Q5_OneAtATimeInOrder) {
  Bench bench;
  Device device(bench);
  device.pair();
  Asked first;
  Asked second;
  first.ask(bench, device, "one?");
  second.ask(bench, device, "two?");
  EXPECT_EQ(device.count("prompt"), 1U);
  EXPECT_EQ(device.need("prompt").get("ttl_s"), "300");
  const std::string one = device.need("prompt").get("id");
  answer(device, one, "yes");
  EXPECT_EQ(first.outcome, QuestionOutcome::yes);
  EXPECT_EQ(device.need("prompt").get("text"), "two?");
  answer(device, one, "yes");  // closed: not the answer to the second
  EXPECT_EQ(device.need("notice").get("text"), "That question has expired");
  EXPECT_FALSE(second.outcome);
  answer(device, device.need("prompt").get("id"), "no");
  EXPECT_EQ(second.outcome, QuestionOutcome::no);
}

TEST(Questions, Q6_AskedAgainOnReconnectWithTheSameIdAndWhatIsLeft) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.drop();
  Asked asked;
  asked.ask(bench, device, "Restart?");
  bench.advance(100'000);
  device.come();
  const std::string id = device.need("prompt").get("id");
  EXPECT_EQ(device.need("prompt").get("ttl_s"), "200");
  device.drop();
  bench.advance(50'500);
  device.come();
  EXPECT_EQ(device.need("prompt").get("id"), id);
  EXPECT_EQ(device.need("prompt").get("ttl_s"), "149.500");
  answer(device, id, "yes");
  EXPECT_EQ(asked.outcome, QuestionOutcome::yes);
}

TEST(Questions, E45_ExpiryIsNeitherYesNorNoAndClosesThePrompt) {
  Bench bench;
  Device device(bench);
  device.pair();
  Asked asked;
  asked.ask(bench, device, "Now?", 15'000);
  const std::string id = device.need("prompt").get("id");
  bench.advance(14'999);
  EXPECT_FALSE(asked.outcome);
  bench.advance(1);
  EXPECT_EQ(asked.outcome, QuestionOutcome::expired);
  EXPECT_EQ(device.need("prompt.close").get("id"), id);
  answer(device, id, "yes");
  EXPECT_EQ(device.need("notice").get("text"), "That question has expired");
}

TEST(Questions, E45_OneThatExpiredWhileTheDeviceWasAwayIsNotSent) {
  Bench bench;
  Device device(bench);
  device.pair();
  device.drop();
  Asked asked;
  asked.ask(bench, device, "Now?", 15'000);
  bench.advance(20'000);
  EXPECT_EQ(asked.outcome, QuestionOutcome::expired);
  device.come();
  EXPECT_EQ(device.count("prompt"), 0U);
}

TEST(Questions, E24_AnAnswerOnAConnectionThatWasNotAskedDoesNotCount) {
  Bench bench;
  Device device(bench, 1);
  Device other(bench, 2);
  device.pair();
  other.pair();
  Asked asked;
  asked.ask(bench, device, "Sure?");
  const std::string id = device.need("prompt").get("id");
  answer(other, id, "yes");
  EXPECT_EQ(other.need("notice").get("text"), "That question has expired");
  device.send(R"({"type":"text","text":"yes"})");
  EXPECT_FALSE(asked.outcome);
}

TEST(Questions, E24_SurvivesARestartOfTheHub) {
  Bench bench;
  Device device(bench);
  device.pair();
  Asked asked;
  asked.ask(bench, device, "Sure?", 60'000);
  const std::string id = device.need("prompt").get("id");
  bench.start_hub();
  bench.advance(10'000);
  device.come();
  EXPECT_EQ(device.need("prompt").get("id"), id);
  EXPECT_EQ(device.need("prompt").get("ttl_s"), "50");
  answer(device, id, "yes");
  EXPECT_EQ(bench.facts("question.closed_without_asker"), 1U);
  device.come();
  EXPECT_EQ(device.count("prompt"), 0U);
}

TEST(Questions, Q7_ShapedAndCutInItsMiddle) {
  Bench bench;
  Device device(bench);
  device.pair();
  Asked asked;
  asked.ask(bench, device, "**Begin** " + std::string(2000, 'x') + " end?");
  const std::string text = device.need("prompt").get("text");
  EXPECT_LE(text.size(), 480U);
  EXPECT_TRUE(text.starts_with("Begin")) << text;
  EXPECT_TRUE(text.ends_with("end?")) << text;
}

TEST(Questions, TooManyAreRefused) {
  Bench bench;
  Device device(bench);
  device.pair();
  std::vector<Asked> asked(16);
  for (Asked& one : asked) one.ask(bench, device, "?");
  bool refused = false;
  bench.hub->ask(device.id, {"", "?", 0}, [&](auto got) { refused = !got; });
  EXPECT_TRUE(refused);
}

// An agent's question lives as long as its turn.
TEST(Questions, E42_AQuestionOfATurnIsWithdrawnWithIt) {
  Bench bench(AgentKind::scripted);
  Device device(bench);
  device.pair();
  device.send(R"({"type":"text","text":"forget it"})");
  std::optional<QuestionOutcome> outcome;
  bench.agent->turns[0].sink->question({"", "Really?", 0}, [&](auto got) { outcome = got; });
  ASSERT_EQ(device.count("prompt"), 1U);
  device.send(R"({"type":"cancel"})");
  EXPECT_EQ(device.count("prompt.close"), 1U);
  EXPECT_FALSE(outcome);  // its run is gone: nobody is called
  device.send(R"({"type":"text","text":"again"})");
  bench.agent->turns[1].sink->question({"", "Really?", 0}, [&](auto got) { outcome = got; });
  answer(device, device.need("prompt").get("id"), "yes");
  EXPECT_EQ(outcome, QuestionOutcome::yes);
}

}  // namespace
}  // namespace gadget::hub::bench
