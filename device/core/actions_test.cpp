// Actions, sensors, events (X, S, E37, E39, E34's answers).
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

class Board final : public Actions {
 public:
  std::span<const ActionSpec> list() const override { return specs; }
  ActionOutcome run(const ActionSpec& action, const ActionArgs& args, ActionTicket given,
                    ActionAnswer& answer) override {
    ++runs;
    ticket = given;
    last_args = args.json().text;
    if (action.name == "slow") return ActionOutcome::running;
    if (action.name == "long") answer.json("\"" + std::string(300, 'x') + "\"");
    if (action.name == "broken") answer.json("{");
    if (action.name == "fails") answer.text("the relay is stuck");
    if (action.name == "quick") answer.json(R"({"n":1.50})");
    return action.name == "fails" ? ActionOutcome::failed : ActionOutcome::done;
  }
  std::array<ActionSpec, 5> specs{ActionSpec{"quick", "Quick."}, ActionSpec{"slow", "Slow."},
                                  ActionSpec{"long"}, ActionSpec{"broken"}, ActionSpec{"fails"}};
  int runs = 0;
  ActionTicket ticket = 0;
  std::string last_args;
};

class ActionTest : public testing::Test {
 protected:
  ActionTest() { bench.go_online(); }
  void ask(std::string_view id, std::string_view name, std::string_view args = "") {
    std::string message =
        R"({"type":"action","id":")" + std::string{id} + R"(","name":")" + std::string{name} + "\"";
    if (!args.empty()) message += ",\"args\":" + std::string{args};
    bench.hub(message + "}");
  }
  Board board;
  Bench bench{Bench::default_config(), &board};
};

TEST_F(ActionTest, X1_LedSet) {
  ask("a1", "led.set", R"({"color":"red","more":[1,{"x":2}]})");
  EXPECT_EQ(bench.last(),
            R"({"type":"action.result","id":"a1","ok":true,"result":{"color":"red"}})");
  EXPECT_EQ(bench.lamp, std::vector<std::uint32_t>{0xFF0000});
  ask("a2", "led.set", R"({"color":"o\u0066f"})");
  EXPECT_EQ(bench.lamp.back(), 0U);
}

TEST_F(ActionTest, E37_ArgsThatDoNotFit) {
  int number = 0;
  for (const char* args : {"", "null", "7", "[]", "{}", R"({"color":7})", R"({"color":null})",
                           R"({"color":"pink"})", R"({"colour":"red"})", R"("red")"}) {
    ask("b" + std::to_string(++number), "led.set", args);
    EXPECT_NE(bench.last().find(R"("ok":false,"error":)"), std::string::npos) << args;
  }
  EXPECT_TRUE(bench.lamp.empty());
  for (const char* args : {R"({"percent":101})", R"({"percent":-1})", R"({"percent":1.5})",
                           R"({"percent":"5"})", R"({"percent":1e1})"}) {
    ask("c" + std::to_string(++number), "speaker.volume", args);
    EXPECT_NE(bench.last().find(R"("ok":false)"), std::string::npos) << args;
  }
  EXPECT_EQ(bench.gadget->playback().volume(), 100);
}

TEST_F(ActionTest, X1_ScreenBrightness) {
  ask("a", "screen.brightness", R"({"percent":60})");
  EXPECT_NE(bench.last().find(R"("ok":true,"result":{"percent":60})"), std::string::npos);
  EXPECT_EQ(bench.light.back(), 60);
  ask("b", "screen.brightness", R"({"percent":0})");  // nobody would find the way back
  EXPECT_NE(bench.last().find(R"("ok":false,"error":"percent must be a whole number from 5)"),
            std::string::npos);
  EXPECT_EQ(bench.light.back(), 60);
}

TEST_F(ActionTest, SpeakerVolumeIsKept) {
  ask("a", "speaker.volume", R"({"percent":40})");
  EXPECT_NE(bench.last().find(R"("ok":true,"result":{"percent":40})"), std::string::npos);
  ask("b", "speaker.volume", R"({"percent":40})");
  EXPECT_EQ(bench.store->writes["volume"], 1);
  Bench again{Bench::default_config(), nullptr, bench.store};
  again.start();
  EXPECT_EQ(again.gadget->playback().volume(), 40);
}

TEST_F(ActionTest, X1_TheBoardsOwn) {
  ask("a", "quick", R"({"deep":[true,null]})");
  EXPECT_EQ(bench.last(), R"({"type":"action.result","id":"a","ok":true,"result":{"n":1.50}})");
  EXPECT_EQ(board.last_args, R"({"deep":[true,null]})");
  ask("b", "fails");
  EXPECT_NE(bench.last().find("the relay is stuck"), std::string::npos);
  ask("c", "long");
  EXPECT_NE(bench.last().find(R"("ok":false)"), std::string::npos);
  ask("d", "broken");
  EXPECT_NE(bench.last().find(R"("ok":false)"), std::string::npos);
  ask("e", "unheard.of");
  EXPECT_NE(bench.last().find("no such action"), std::string::npos);
}

TEST_F(ActionTest, E37_TheSameIdAgainGetsTheSameAnswerAndDoesNothing) {
  ask("a", "quick");
  const auto first = bench.last();
  ask("a", "quick");
  EXPECT_EQ(bench.last(), first);
  ask("a", "led.set", R"({"color":"red"})");  // whatever it says now
  EXPECT_EQ(bench.last(), first);
  bench.hub(R"({"type":"action","id":"a","name":5})");
  EXPECT_EQ(bench.last(), first);
  EXPECT_EQ(board.runs, 1);
  EXPECT_EQ(bench.sent.size(), 4U);
}

TEST_F(ActionTest, E37_TheLastSixteenAreRemembered) {
  for (int i = 0; i < 17; ++i) ask("n" + std::to_string(i), "quick");
  EXPECT_EQ(board.runs, 17);
  ask("n1", "quick");  // the oldest of sixteen
  EXPECT_EQ(board.runs, 17);
  ask("n0", "quick");
  EXPECT_EQ(board.runs, 18);
}

TEST_F(ActionTest, E37_OneInProgressIsAnsweredOnce) {
  ask("s", "slow");
  ask("s", "slow");
  EXPECT_TRUE(bench.sent.empty());
  const ActionTicket ticket = board.ticket;
  EXPECT_TRUE(bench.gadget->finish_action(bench.now, ticket, true, R"("done")"));
  EXPECT_FALSE(bench.gadget->finish_action(bench.now, ticket, true, R"("again")"));
  EXPECT_EQ(bench.count("action.result"), 1);
  EXPECT_NE(bench.last().find(R"("result":"done")"), std::string::npos);
  EXPECT_EQ(board.runs, 1);
}

TEST_F(ActionTest, X2_WhenAllAreRunningTheNextIsRefused) {
  for (int i = 0; i < 16; ++i) ask("s" + std::to_string(i), "slow");
  EXPECT_TRUE(bench.sent.empty());
  ask("more", "quick");
  EXPECT_NE(bench.last().find(R"("id":"more","ok":false)"), std::string::npos);
  EXPECT_EQ(board.runs, 16);
}

TEST_F(ActionTest, X2_AnAnswerWaitsForAFullLink) {
  bench.link_full = true;
  ask("a", "quick");
  bench.pass(1'000);
  EXPECT_EQ(bench.count("action.result"), 0);
  bench.link_full = false;
  bench.pass(1'000);
  EXPECT_EQ(bench.count("action.result"), 1);
  EXPECT_EQ(board.runs, 1);
}

TEST_F(ActionTest, E31_ALateEndOfAnEarlierConnectionSaysNothing) {
  ask("s", "slow");
  bench.drop();
  bench.until_connect();
  bench.go_online(true);
  EXPECT_FALSE(bench.gadget->finish_action(bench.now, board.ticket, true, "1"));
  EXPECT_TRUE(bench.sent.empty());
  ask("s", "quick");  // an id of another connection is new here
  EXPECT_EQ(board.runs, 2);
}

TEST_F(ActionTest, E34_MalformedActionsWithAnIdAreAnswered) {
  for (const char* message :
       {R"({"type":"action","id":"m1"})", R"({"type":"action","id":"m2","name":null})",
        R"({"type":"action","name":7,"id":"m3","args":{}})"}) {
    bench.sent.clear();
    bench.hub(message);
    EXPECT_EQ(bench.count(R"("ok":false)"), 1) << message;
  }
  bench.sent.clear();
  for (const char* message : {R"({"type":"action"})", R"({"type":"action","id":7,"name":"quick"})",
                              R"({"type":"action","id":null,"name":"quick"})"}) {
    bench.hub(message);
  }
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(board.runs, 0);
}

// An id beyond 64 characters is malformed (E6), but a text, so it is answered (E34), with the whole
// of it: a part would name nothing. It is never done and not remembered.
TEST_F(ActionTest, E34_E6_AnIdThatIsTooLongIsEchoedWholeAndNothingIsDone) {
  for (const std::string& id : {std::string(65, 'i'), std::string(2'000, 'j'),
                                [] {  // 64 characters, but more bytes than are remembered
                                  std::string text;
                                  for (int i = 0; i < 64; ++i) text += "\u00e9";
                                  return text;
                                }()}) {
    bench.sent.clear();
    ask(id, "led.set", R"({"color":"red"})");
    ask(id, "led.set", R"({"color":"red"})");
    ASSERT_EQ(bench.count("action.result"), 2);
    EXPECT_EQ(bench.count(R"("ok":false)"), 2);
    std::string echoed = id;
    for (std::size_t at = 0; (at = echoed.find("\\u00e9")) != std::string::npos;) {
      echoed.replace(at, 6, "\xC3\xA9");
    }
    EXPECT_EQ(Bench::field(bench.last(), "id"), echoed);
  }
  EXPECT_TRUE(bench.lamp.empty());
  bench.sent.clear();
  ask(std::string(64, 'k'), "led.set", R"({"color":"red"})");
  EXPECT_EQ(bench.count(R"("ok":true)"), 1);
}

TEST_F(ActionTest, E34_AnIdThatNoMessageCanHoldIsDroppedAndCounted) {
  ask(std::string(7'000, 'i'), "led.set", R"({"color":"red"})");
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.gadget->counters().unsent, 1U);
  EXPECT_EQ(bench.gadget->counters().malformed, 1U);
  ask("a", "led.set", R"({"color":"red"})");
  EXPECT_EQ(bench.count(R"("ok":true)"), 1);
}

// B-83: a result that comes late, twice or after a reconnect is never taken for another action's.
TEST_F(ActionTest, B83_ALateResultIsNeverMatchedToTheNextCall) {
  ask("s1", "slow");
  const ActionTicket first = board.ticket;
  bench.pass(17'900);
  EXPECT_TRUE(bench.gadget->finish_action(bench.now, first, true, "1"));
  EXPECT_FALSE(bench.gadget->finish_action(bench.now, first, true, "2"));
  ask("s2", "slow");
  const ActionTicket second = board.ticket;
  bench.hub(R"({"type":"ping"})");
  bench.pass(40'000);
  bench.hub(R"({"type":"ping"})");
  bench.pass(20'000);  // the hub gave up long ago; it counts what comes now (E25)
  EXPECT_TRUE(bench.gadget->finish_action(bench.now, second, false, "late"));
  EXPECT_FALSE(bench.gadget->finish_action(bench.now, second + 7, true, "3"));
  ask("s3", "slow");
  const ActionTicket third = board.ticket;
  bench.drop();
  bench.until_connect();
  bench.go_online(true);
  ask("s4", "slow");
  EXPECT_FALSE(bench.gadget->finish_action(bench.now, third, true, "4"));
  EXPECT_EQ(bench.count("action.result"), 0);
  EXPECT_TRUE(bench.gadget->finish_action(bench.now, board.ticket, true, "5"));
  EXPECT_EQ(bench.last(), R"({"type":"action.result","id":"s4","ok":true,"result":5})");
}

TEST_F(ActionTest, O1_E38_UpdatesAreNotSupported) {
  bench.hub(R"({"type":"ota.offer","stream":1,"size":1000,"version":"2","sha256":")" +
            std::string(64, 'a') + "\"}");
  EXPECT_EQ(Bench::field(bench.last(), "code"), "unsupported");
  bench.hub(R"({"type":"ota.offer","stream":0})");
  EXPECT_EQ(bench.count("unsupported"), 2);
  bench.hub(R"({"type":"ota.begin","mac":"x"})");
  EXPECT_EQ(Bench::field(bench.last(), "code"), "no_offer");
  bench.hub(R"({"type":"ota.end"})");
  EXPECT_EQ(Bench::field(bench.last(), "code"), "no_update");
  const auto before = bench.sent.size();
  bench.hub(R"({"type":"ota.abort"})");
  EXPECT_EQ(bench.sent.size(), before);
}

// ---- Sensors

TEST(Sensors, S1_E31_HelloCarriesThePresentOnes) {
  Bench bench;
  bench.gadget->sensor(bench.now, "temperature_c", "21.50");
  bench.gadget->sensor(bench.now, "door", R"("open")");
  bench.gadget->sensor(bench.now, "gone", "1");
  bench.gadget->sensor(bench.now, "gone", "null");
  bench.start();
  bench.open();
  EXPECT_NE(bench.last().find(R"("sensors":{"temperature_c":21.50,"door":"open"})"),
            std::string::npos);
}

TEST(Sensors, WhatChangesDuringTheHandshakeIsNotLost) {
  Bench bench;
  bench.start();
  bench.open();
  bench.gadget->sensor(bench.now, "door", "true");
  bench.challenge(true);
  bench.welcome();
  bench.pass(2'100);
  EXPECT_EQ(bench.count(R"({"type":"state","sensors":{"door":true}})"), 1);
}

TEST(Sensors, E39_OnChangeAtMostEveryTwoSeconds) {
  Bench bench;
  bench.go_online();
  bench.pass(5'000);
  EXPECT_TRUE(bench.sent.empty());
  for (int i = 0; i < 100; ++i) {  // ten seconds of a restless sensor
    bench.gadget->sensor(bench.now, "lux", std::to_string(i));
    bench.gadget->sensor(bench.now, "still", "true");
    bench.pass(100);
  }
  EXPECT_LE(bench.count(R"("state")"), 6);
  EXPECT_GE(bench.count(R"("state")"), 5);
  EXPECT_EQ(bench.count("still"), 1);  // only what changed
}

TEST(Sensors, E39_AtLeastEveryFiveMinutes) {
  Bench bench;
  bench.gadget->sensor(bench.now, "temperature_c", "21.5");
  bench.go_online();
  for (int i = 0; i < 66; ++i) {  // eleven minutes
    bench.pass(10'000);
    bench.hub(R"({"type":"ping"})");
  }
  EXPECT_EQ(bench.count(R"({"type":"state","sensors":{"temperature_c":21.5}})"), 2);
}

TEST(Sensors, S1_NullRemoves) {
  Bench bench;
  bench.gadget->sensor(bench.now, "door", "true");
  bench.go_online();
  bench.pass(3'000);
  bench.gadget->sensor(bench.now, "door", "null");
  EXPECT_EQ(bench.last(), R"({"type":"state","sensors":{"door":null}})");
  bench.pass(400'000);
  EXPECT_EQ(bench.count("door"), 1);
}

TEST(Sensors, WhatIsNoReadingIsRefused) {
  Bench bench;
  auto& gadget = *bench.gadget;
  for (const char* value : {"", "{", "[]", "{}", "nan", "01", "'x'"}) {
    EXPECT_FALSE(gadget.sensor(bench.now, "x", value)) << value;
  }
  EXPECT_FALSE(gadget.sensor(bench.now, "", "1"));
  EXPECT_FALSE(gadget.sensor(bench.now, std::string(65, 'n'), "1"));
  EXPECT_FALSE(gadget.sensor(bench.now, "x", "\"" + std::string(100, 'v') + "\""));
  for (std::size_t i = 0; i < kSensors; ++i) {
    EXPECT_TRUE(gadget.sensor(bench.now, "s" + std::to_string(i), "1"));
  }
  EXPECT_FALSE(gadget.sensor(bench.now, "one more", "1"));
}

TEST(Events, S2_AreSentAtOnceOrNotAtAll) {
  Bench bench;
  bench.go_online();
  EXPECT_TRUE(bench.gadget->event(bench.now, "doorbell", R"({"who":1.0})", true));
  EXPECT_EQ(bench.last(), R"({"type":"event","name":"doorbell","data":{"who":1.0},"notify":true})");
  EXPECT_TRUE(bench.gadget->event(bench.now, "tick", "", false));
  EXPECT_FALSE(bench.gadget->event(bench.now, "bad", "{", false));
  EXPECT_FALSE(bench.gadget->event(bench.now, "", "", false));
}

}  // namespace
}  // namespace gadget::device
