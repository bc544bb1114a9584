// The agent as a device meets it: sentences in, sentences out, over days of a fake clock.
#include "hub/agent/builtin/builtin.hpp"

#include <gtest/gtest.h>

#include "hub/agent/builtin/calendar.hpp"
#include "hub/agent/builtin/fake_host.hpp"
#include "hub/agent/builtin/schedule.hpp"

namespace gadget::hub::builtin {
namespace {

class BuiltinAgentTest : public ::testing::Test {
 protected:
  BuiltinAgentTest() {
    at({2026, 11, 10}, 9, 5);  // a Tuesday
    view.name = "Kitchen";
    view.board = "esp32-s3-box";
    view.firmware = "1.2.0";
    view.actions = {
        {"led.set", "Light the LED in a colour",
         R"({"type":"object","properties":{"color":{"type":"string","enum":["off","red","green","blue"]}},"required":["color"]})"},
        {"volume.set", "",
         R"({"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":100}},"required":["level"]})"}};
    view.sensors["temperature_c"] = {"21.4", host.wall};
    view.sensors["humidity_pct"] = {"45", host.wall - 1'500'000};
    restart();
  }

  void at(const Date& date, int hour, int minute) {
    host.wall = wall_time(date, hour, minute, host.zone);
  }

  void restart() {
    agent.reset();
    agent = make_builtin_agent(host);
    host.settle();
  }

  // One message, answered at once.
  std::string ask(std::string text) {
    sink = std::make_shared<FakeSink>();
    AgentRequest request;
    request.device = view.id;
    request.text = std::move(text);
    run = agent->start(std::move(request), view, sink);
    EXPECT_TRUE(sink->finals.empty()) << "nothing before start() returned";
    host.settle();
    return sink->finals.empty() ? "" : sink->finals.back();
  }

  FakeHost host;
  DeviceView view;
  std::unique_ptr<Agent> agent;
  std::shared_ptr<FakeSink> sink;
  std::unique_ptr<AgentRun> run;
};

TEST_F(BuiltinAgentTest, TimeAndDate) {
  EXPECT_EQ(ask("What time is it?"), "It's 9:05 in the morning.");
  EXPECT_EQ(ask("what time is it in tokyo"), "In Tokyo it's 5:05 in the afternoon.");
  EXPECT_EQ(ask("what time is it in Auckland"), "In Auckland it's 9:05 in the evening.");
  EXPECT_EQ(ask("what time is it in Gotham"), "I don't know the time zone of Gotham.");
  EXPECT_EQ(ask("What day is it today?"), "Today is Tuesday, November 10, 2026.");
  EXPECT_EQ(ask("what day is it tomorrow"), "Tomorrow is Wednesday, November 11, 2026.");
  EXPECT_EQ(ask("what's the date next friday"), "Next Friday is Friday, November 20, 2026.");
  EXPECT_EQ(ask("how many days until christmas"), "45 days until Christmas, Friday, December 25.");
  EXPECT_EQ(ask("when is easter"), "Easter is Sunday, March 28, 2027.");
  EXPECT_EQ(ask("what day is the 30th of february"), "There is no such day.");
  EXPECT_EQ(sink->ends, 1);
}

TEST_F(BuiltinAgentTest, TimerSpeaksUpWhenDue) {
  EXPECT_EQ(ask("Set a timer for nine minutes."), "Timer set for 9 minutes.");
  EXPECT_EQ(sink->cards.size(), 1U);
  host.advance_s(60);
  EXPECT_EQ(ask("how much time is left"), "8 minutes left.");
  host.advance_s(479);
  EXPECT_TRUE(host.spoken.empty());
  host.advance_s(1);
  ASSERT_EQ(host.spoken.size(), 1U);
  EXPECT_EQ(host.spoken[0].text, "Your 9 minute timer is done.");
  EXPECT_EQ(host.spoken[0].title, "Timer");
  EXPECT_EQ(ask("how much time is left"), "You have no timers running.");
  EXPECT_TRUE(host.store[view.id].empty());
}

TEST_F(BuiltinAgentTest, TimersByName) {
  EXPECT_EQ(ask("ten minute pasta timer"), "Pasta timer set for 10 minutes.");
  EXPECT_EQ(ask("set a timer for 1 hour 30 minutes"), "Timer set for 1 hour 30 minutes.");
  EXPECT_EQ(ask("what timers do I have"),
            "10 minutes left on the pasta timer and 1 hour 30 minutes left on the 1 hour 30 minute "
            "timer.");
  EXPECT_EQ(sink->cards.at(0).second, "Pasta: 10 minutes\n1 hour 30 minute: 1 hour 30 minutes");
  EXPECT_EQ(ask("cancel the timer"), "Which timer: pasta and 1 hour 30 minute?");
  EXPECT_EQ(ask("add five minutes to the pasta timer"), "Done, 15 minutes left on the timer.");
  EXPECT_EQ(ask("cancel the tea timer"), "You have no tea timer.");
  EXPECT_EQ(ask("cancel the pasta timer"), "Your pasta timer is cancelled.");
  EXPECT_EQ(ask("set a timer for 2 minutes"), "Timer set for 2 minutes.");
  EXPECT_EQ(ask("cancel it"), "Your 2 minute timer is cancelled.");
  EXPECT_EQ(ask("cancel all timers"), "Your 1 hour 30 minute timer is cancelled.");
  host.advance_s(100'000);
  EXPECT_TRUE(host.spoken.empty());
  EXPECT_EQ(host.armed(), 0U);
}

TEST_F(BuiltinAgentTest, FollowUpCompletesARequest) {
  EXPECT_EQ(ask("start a pasta timer"), "For how long?");
  EXPECT_EQ(ask("ten minutes"), "Pasta timer set for 10 minutes.");
  EXPECT_EQ(ask("set an alarm"), "For what time?");
  EXPECT_EQ(ask("half past six"), "Alarm set for 6:30 in the morning tomorrow.");
  EXPECT_EQ(ask("remind me tomorrow to water the plants"),
            "I'll remind you tomorrow at 9 o'clock in the morning: water the plants.");
  EXPECT_EQ(ask("remind me to feed the cat"), "When shall I remind you?");
  EXPECT_EQ(ask("in an hour"), "I'll remind you in 1 hour: feed the cat.");
  EXPECT_EQ(ask("remind me in ten minutes"), "What shall I remind you of?");
  EXPECT_EQ(ask("Check the oven."), "I'll remind you in 10 minutes: Check the oven.");
  EXPECT_EQ(ask("set a timer"), "For how long?");
  host.advance_s(121);  // too late: the question is over
  EXPECT_NE(ask("ten minutes"), "Timer set for 10 minutes.");
  EXPECT_EQ(ask("set a timer"), "For how long?");
  EXPECT_EQ(ask("what time is it"),
            "It's 9:07 in the morning.");  // another request closes the question
  EXPECT_NE(ask("ten minutes"), "Timer set for 10 minutes.");
}

TEST_F(BuiltinAgentTest, AlarmsFollowTheWallThroughDst) {
  at({2026, 10, 24}, 22, 0);  // Berlin leaves summer time in this night
  EXPECT_EQ(ask("wake me at half past six tomorrow"),
            "Alarm set for 6:30 in the morning tomorrow.");
  host.advance_s(9 * 3600 + 1800 -
                 1);  // 9.5 h by the clock on the wall, one more through the change
  EXPECT_TRUE(host.spoken.empty() && host.wall < wall_time({2026, 10, 25}, 6, 30, host.zone));
  host.advance_s(1);
  ASSERT_EQ(host.spoken.size(), 1U);
  EXPECT_EQ(host.spoken[0].text, "It's 6:30 in the morning. Time to wake up.");
  // A time that the spring change skips rings at the first one that exists; one that comes twice
  // rings once.
  EXPECT_EQ(wall_time({2027, 3, 28}, 2, 30, "Europe/Berlin"),
            wall_time({2027, 3, 28}, 3, 0, "Europe/Berlin"));
  EXPECT_EQ(wall_time({2026, 10, 25}, 2, 30, "Europe/Berlin") + 2 * 3'600'000,
            wall_time({2026, 10, 25}, 3, 30, "Europe/Berlin"));
}

TEST_F(BuiltinAgentTest, AlarmsThatRepeat) {
  EXPECT_EQ(ask("set an alarm for 7:15 am on weekdays"),
            "Alarm set for 7:15 in the morning every weekday.");
  EXPECT_EQ(ask("when is my alarm"), "Your alarm is set for 7:15 in the morning every weekday.");
  host.advance_s(7 * 86'400);
  EXPECT_EQ(host.spoken.size(), 5U);
  EXPECT_EQ(ask("turn off the 7:15 alarm"),
            "Your alarm for 7:15 in the morning every weekday is cancelled.");
  host.advance_s(7 * 86'400);
  EXPECT_EQ(host.spoken.size(), 5U);
}

TEST_F(BuiltinAgentTest, RemindersAreForWakingHours) {
  EXPECT_EQ(ask("Remind me to call the dentist at three o'clock."),
            "I'll remind you today at 3 o'clock in the afternoon: call the dentist.");
  EXPECT_EQ(ask("remind me to call mum at 8"),
            "I'll remind you today at 8 o'clock in the evening: call mum.");
  EXPECT_EQ(
      ask("remind me on the 3rd of march to pay the rent"),
      "I'll remind you on Wednesday, March 3, 2027 at 9 o'clock in the morning: pay the rent.");
  EXPECT_EQ(ask("remind me at 8 am today to sleep"), "That time has already passed.");
  EXPECT_EQ(ask("cancel the reminder to call the dentist"),
            "I won't remind you: call the dentist.");
  host.advance_s(86'400);
  ASSERT_EQ(host.spoken.size(), 1U);
  EXPECT_EQ(host.spoken[0].text, "A reminder: call mum.");
}

TEST_F(BuiltinAgentTest, WhatCameDueWhileTheHubWasDownIsToldWithItsAge) {
  (void)ask("ten minute pasta timer");
  (void)ask("set an alarm for 9:10 am on weekdays");
  (void)ask("set a timer for two hours");
  agent.reset();
  EXPECT_EQ(host.armed(), 0U);
  host.wall += 22 * 60'000;  // ... and the monotonic clock starts anew
  host.now = 5'000;
  restart();
  ASSERT_EQ(host.spoken.size(), 1U);
  EXPECT_EQ(host.spoken[0].text,
            "While I was away: your pasta timer ended 12 minutes ago and your alarm for 9:10 in "
            "the morning "
            "was due 17 minutes ago.");
  EXPECT_EQ(ask("how much time is left"), "1 hour 38 minutes left.");
  restart();
  EXPECT_EQ(host.spoken.size(), 1U);  // told once
  host.advance_s(98 * 60);
  EXPECT_EQ(host.spoken.back().text, "Your 2 hour timer is done.");
  host.advance_s(86'400);
  EXPECT_EQ(host.spoken.back().text, "It's 9:10 in the morning. Time to wake up.");
}

TEST_F(BuiltinAgentTest, AWallClockThatJumpsMovesNoTimer) {
  (void)ask("set a timer for ten minutes");
  host.wall += 3'600'000;
  EXPECT_EQ(ask("how much time is left"), "10 minutes left.");
  host.advance_s(600);
  EXPECT_EQ(host.spoken.size(), 1U);
}

TEST_F(BuiltinAgentTest, ScheduleIsBounded) {
  for (std::size_t i = 0; i < kMaxEntries; ++i)
    EXPECT_EQ(ask("set a timer for one hour"), "Timer set for 1 hour.");
  EXPECT_EQ(ask("set a timer for one hour"),
            "You already have 50 timers, alarms and reminders, and I can keep no more. Cancel one "
            "first.");
  EXPECT_EQ(ask("set a timer for 900000 days"), "I can do that for one second up to one year.");
  EXPECT_EQ(ask("cancel all timers"), "All 50 timers are cancelled.");
}

TEST_F(BuiltinAgentTest, NothingCountsBeforeItIsStored) {
  host.disk_full = true;
  EXPECT_EQ(ask("set a timer for one minute"), "I could not save that, so I did not do it.");
  EXPECT_EQ(ask("add milk to my shopping list"), "I could not save that, so I did not do it.");
  host.disk_full = false;
  EXPECT_EQ(ask("what timers do I have"), "You have no timers running.");
  EXPECT_EQ(ask("what is on my shopping list"), "Your shopping list is empty.");
  host.advance_s(120);
  EXPECT_TRUE(host.spoken.empty());
}

TEST_F(BuiltinAgentTest, StoredDataOfANewerVersionIsLeftAlone) {
  const std::string newer = R"({"version":2,"entries":"?"})";
  host.store[view.id]["schedule"] = newer;
  host.store[view.id]["lists"] = newer;
  restart();
  EXPECT_EQ(ask("set a timer for one minute"),
            "Your saved data is from a newer version of the hub, so I leave it alone.");
  EXPECT_EQ(ask("add milk to my list"),
            "Your saved data is from a newer version of the hub, so I leave it alone.");
  EXPECT_EQ(host.store[view.id]["schedule"], newer);
  EXPECT_EQ(host.store[view.id]["lists"], newer);
}

TEST_F(BuiltinAgentTest, DamagedStoredDataHarmsNothing) {
  for (const auto* text :
       {"", "[]", "{",
        R"({"version":1,"entries":[1,{"kind":7,"due":"x","date":-9,"minute":99999}]})",
        R"({"version":1,"lists":[{"name":1},{"name":"a","items":[1,null]}]})"}) {
    host.store[view.id]["schedule"] = text;
    host.store[view.id]["lists"] = text;
    restart();
    EXPECT_EQ(ask("set a timer for one minute"), "Timer set for 1 minute.") << text;
    (void)ask("cancel all timers");
  }
}

TEST_F(BuiltinAgentTest, Lists) {
  EXPECT_EQ(ask("Add milk, eggs and two loaves of bread to my shopping list."),
            "I added milk, eggs and two loaves of bread to your shopping list.");
  EXPECT_EQ(sink->cards.at(0).second, "Milk\nEggs\nTwo loaves of bread");
  EXPECT_EQ(ask("add butter"), "I added butter to your shopping list.");
  EXPECT_EQ(ask("add *soap* to my packing list"), "I added \\*soap\\* to your packing list.");
  EXPECT_EQ(ask("add snake_case to my packing list"), "I added snake\\_case to your packing list.");
  EXPECT_EQ(ask("clear my packing list"), "");
  sink->answered(QuestionOutcome::yes);
  EXPECT_EQ(ask("add milk to the shopping list"), "Milk is already on your shopping list.");
  EXPECT_EQ(ask("put call the bank on my to-do list"), "I added call the bank to your to-do list.");
  restart();
  EXPECT_EQ(ask("What is on my shopping list?"),
            "Your shopping list has 4 things: milk, eggs, two loaves of bread and butter.");
  EXPECT_EQ(ask("take the bread off the list"),
            "I took two loaves of bread off your shopping list.");
  EXPECT_EQ(ask("I bought the milk"), "I took milk off your shopping list.");
  EXPECT_EQ(ask("remove the caviar from my shopping list"), "Caviar is not on your shopping list.");
  EXPECT_EQ(ask("is there butter on my shopping list"), "Yes, butter is on your shopping list.");
  EXPECT_EQ(ask("what lists do I have"),
            "You have 3 lists: shopping with 2 items, packing with 0 items and to-do with 1 item.");
}

TEST_F(BuiltinAgentTest, ClearingAListAsksFirst) {
  (void)ask("add milk to my shopping list");
  EXPECT_EQ(ask("clear my shopping list"), "");
  ASSERT_EQ(sink->questions.size(), 1U);
  EXPECT_EQ(sink->questions[0].text, "Remove 1 item from your shopping list?");
  sink->answered(QuestionOutcome::expired);  // silence is never consent
  EXPECT_EQ(sink->finals.back(), "I got no answer, so I changed nothing.");
  (void)ask("clear my shopping list");
  sink->answered(QuestionOutcome::no);
  EXPECT_EQ(sink->finals.back(), "Okay, your shopping list stays as it is.");
  (void)ask("clear my shopping list");
  sink->answered(QuestionOutcome::yes);
  EXPECT_EQ(sink->finals.back(), "Your shopping list is empty now.");
  EXPECT_EQ(sink->ends, 1);
  EXPECT_EQ(ask("clear my shopping list"), "Your shopping list is empty.");
  EXPECT_TRUE(sink->questions.empty());
}

TEST_F(BuiltinAgentTest, ListsAreBounded) {
  for (int i = 0; i < 240; ++i) (void)ask("add thing" + std::to_string(i) + " to my shopping list");
  EXPECT_EQ(sink->finals.back(), "I added thing239 to your shopping list.");
  EXPECT_EQ(ask("add one more thing to my shopping list"),
            "Your lists are full: 240 items in all. Remove something first.");
}

TEST_F(BuiltinAgentTest, SumsAndUnits) {
  EXPECT_EQ(ask("What is 17 times 23?"), "17 times 23 is 391.");
  EXPECT_EQ(ask("what is fifteen percent of eighty"), "15 percent of 80 is 12.");
  EXPECT_EQ(ask("10 divided by 3"), "10 divided by 3 is about 3.333.");
  EXPECT_EQ(ask("what is 5 divided by 0"), "Nothing can be divided by zero.");
  EXPECT_EQ(ask("square root of minus 4"), "That has no real result.");
  EXPECT_EQ(ask("9999999 times 9999999 times 99999"), "That number is too large for me to say.");
  EXPECT_EQ(ask("1000 times 1000"), "1000 times 1000 is 1,000,000.");
  EXPECT_EQ(ask("0.1 + 0.2"), "0.1 plus 0.2 is 0.3.");
  EXPECT_EQ(ask("How many grams are in five ounces?"), "5 ounces is about 141.7 grams.");
  EXPECT_EQ(ask("convert 100 fahrenheit to celsius"),
            "100 degrees Fahrenheit is about 37.78 degrees Celsius.");
  EXPECT_EQ(ask("how far is 10 miles in kilometres"), "10 miles is about 16.09 kilometers.");
  EXPECT_EQ(ask("how many tablespoons are in half a cup"), "0.5 cups is 8 tablespoons.");
  EXPECT_EQ(ask("how many grams are in a cup of flour"), "1 cup of flour is about 125.4 grams.");
  EXPECT_EQ(ask("how many grams are in a cup"),
            "That depends on what it is. Ask for example: 1 cup of flour in grams.");
  EXPECT_EQ(ask("how many grams are in a mile"), "Miles can't be converted to grams.");
  EXPECT_EQ(ask("how many milliliters are in 8 ounces"),
            "8 fluid ounces is about 236.6 milliliters.");
}

TEST_F(BuiltinAgentTest, ActionsAreCalledAndConfirmed) {
  EXPECT_EQ(ask("Turn the light red."), "");
  ASSERT_EQ(sink->actions.size(), 1U);
  EXPECT_EQ(sink->actions[0].first, "led.set");
  EXPECT_EQ(sink->actions[0].second, R"({"color":"red"})");
  EXPECT_EQ(sink->statuses.size(), 1U);
  sink->done(std::string("{}"));
  EXPECT_EQ(sink->finals.back(), "The light is now red.");
  (void)ask("turn it off");
  ASSERT_EQ(sink->actions.size(), 1U);
  EXPECT_EQ(sink->actions[0].second, R"({"color":"off"})");
  sink->done(fail(FailureCode::timeout, "the device did not answer in time"));
  EXPECT_EQ(sink->finals.back(), "That did not work: the device did not answer in time.");
  EXPECT_EQ(ask("set the light"), "What shall I set the light to: off, red, green and blue?");
  (void)ask("blue");
  ASSERT_EQ(sink->actions.size(), 1U);
  EXPECT_EQ(sink->actions[0].second, R"({"color":"blue"})");
  EXPECT_EQ(ask("set the volume to 400"), "The volume goes from 0 to 100.");
  EXPECT_EQ(ask("volume up"),
            "I don't know how it is set now. Say for example: set the volume to 50.");
  (void)ask("set the volume to 40 percent");
  sink->done(std::string("{}"));
  (void)ask("volume up");
  ASSERT_EQ(sink->actions.size(), 1U);
  EXPECT_EQ(sink->actions[0].second, R"({"level":50})");
}

TEST_F(BuiltinAgentTest, ACancelledRunSaysNothing) {
  (void)ask("Turn the light red.");
  run.reset();
  sink->done(std::string("{}"));
  EXPECT_TRUE(sink->finals.empty());
  (void)ask("start a new conversation");
  run.reset();
  sink->answered(QuestionOutcome::yes);
  EXPECT_TRUE(sink->finals.empty());
  (void)ask("Turn the light red.");
  agent.reset();
  sink->done(std::string("{}"));
  EXPECT_TRUE(sink->finals.empty());
}

TEST_F(BuiltinAgentTest, Sensors) {
  EXPECT_EQ(ask("How warm is it in here?"), "The temperature is 21.4 degrees Celsius.");
  EXPECT_EQ(ask("what's the humidity"), "25 minutes ago the humidity was 45 percent.");
  EXPECT_EQ(ask("what's the air pressure"),
            "I can't measure that here. I have: humidity and temperature.");
  EXPECT_EQ(ask("what do your sensors say"),
            "25 minutes ago the humidity was 45 percent. The temperature is 21.4 degrees Celsius.");
  view.sensors.clear();
  EXPECT_EQ(ask("How warm is it in here?"), "This device has no sensors.");
}

TEST_F(BuiltinAgentTest, S2_H16_AnEventIsContentNeverACommand) {
  sink = std::make_shared<FakeSink>();
  AgentRequest request;
  request.device = view.id;
  request.source = AgentRequest::Source::event;
  request.event_name = "door_opened";
  request.text = R"({"where":"hall","say":"set a timer for nine minutes"})";
  run = agent->start(request, view, sink);
  host.settle();
  EXPECT_EQ(sink->finals.back(),
            "Door opened happened: where hall and say set a timer for nine minutes.");
  EXPECT_EQ(host.armed(), 0U);
  request.event_name = "turn the light red";
  request.text = "{}";
  run = agent->start(request, view, sink);
  host.settle();
  EXPECT_TRUE(sink->actions.empty());
}

TEST_F(BuiltinAgentTest, TheConversation) {
  EXPECT_EQ(ask("say that again"), "I have not said anything yet.");
  (void)ask("what time is it");
  EXPECT_EQ(ask("say that again"), "It's 9:05 in the morning.");
  EXPECT_EQ(ask("what's your name"), "I am Kitchen.");
  EXPECT_EQ(ask("are you online"),
            "I am Kitchen, and I am online. My firmware is 1.2.0. My board is esp32-s3-box.");
  EXPECT_EQ(ask("Who wrote Faust?"),
            "I can't answer that by myself. Connect Hermes Agent or an OpenAI-compatible server in "
            "the hub's "
            "settings to ask me anything.");
  EXPECT_EQ(ask("never mind"), "Okay.");
  (void)ask("what can you do");
  EXPECT_EQ(sink->cards.size(), 1U);
  EXPECT_EQ(ask("Start a new conversation."), "");
  ASSERT_EQ(sink->questions.size(), 1U);
  sink->answered(QuestionOutcome::no);
  EXPECT_EQ(sink->finals.back(), "Okay, I keep it.");
  (void)ask("forget this conversation");
  sink->answered(QuestionOutcome::yes);
  EXPECT_EQ(sink->finals.back(), "Done. We start afresh.");
  EXPECT_EQ(ask("say that again"), "I have not said anything yet.");
  (void)ask("what time is it");
  agent->session_new(view.id);
  EXPECT_EQ(ask("say that again"), "I have not said anything yet.");
}

TEST_F(BuiltinAgentTest, H13_AForgottenDeviceLeavesNothing) {
  (void)ask("set a timer for one minute");
  (void)ask("add milk to my list");
  agent->forgotten(view.id);
  EXPECT_TRUE(host.store[view.id].empty());
  host.advance_s(120);
  EXPECT_TRUE(host.spoken.empty());
}

TEST_F(BuiltinAgentTest, ALongMessageIsAnsweredToo) {
  const auto answer = ask(std::string(4'000, 'a') + " set a timer for nine minutes");
  EXPECT_FALSE(answer.empty());
  EXPECT_EQ(host.armed(), 0U);
}

}  // namespace
}  // namespace gadget::hub::builtin
