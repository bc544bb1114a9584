// The console: every command, every error, one line for each.
#include "device/core/console.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

class ConsoleTest : public ::testing::Test, public ConsolePort {
 protected:
  ConsoleTest() { start(Bench::default_config()); }

  void start(const GadgetConfig& config) {
    bench = std::make_unique<Bench>(config);
    console = std::make_unique<Console>(*bench->gadget, *this);
    bench->go_online();
  }
  void write_line(std::string_view line) override { lines.emplace_back(line); }
  bool restart() override {
    restarts += can_restart ? 1 : 0;
    return can_restart;
  }
  // The one line that it answers.
  std::string run(std::string_view line) {
    lines.clear();
    console->feed(bench->now, std::string{line} + "\r\n");
    if (lines.size() != 1) return "answers: " + std::to_string(lines.size());
    for (const char c : lines[0]) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    return lines[0];
  }
  std::string error_of(std::string_view line) {
    const std::string answer = run(line);
    if (!answer.starts_with("error ")) return answer;
    EXPECT_GT(answer.size(), answer.find(": ") + 10) << "an error says what to do";
    return answer.substr(6, answer.find(':') - 6);
  }
  // As a port does it.
  void pass(Millis ms) {
    for (const Millis end = bench->now + ms; bench->now < end;) {
      bench->pass(20);
      console->tick(bench->now);
    }
  }

  std::unique_ptr<Bench> bench;
  std::unique_ptr<Console> console;
  std::vector<std::string> lines;
  bool can_restart = true;
  int restarts = 0;
};

TEST_F(ConsoleTest, HelpListsEveryCommandAndEachOfThemIsOne) {
  const std::string help = run("help");
  ASSERT_TRUE(help.starts_with(R"(ok {"commands":["help","info",)")) << help;
  EXPECT_TRUE(protocol::check_json(std::string_view{help}.substr(3)).has_value());
  for (const std::string_view word :
       {"get [NAME]", "set NAME VALUE", "text TEXT", "talk down|up", "cancel", "new", "yes", "no",
        "reenrol", "check mic|speaker|display|inputs", "log on|off", "restart",
        "factory-reset yes"}) {
    EXPECT_NE(help.find("\"" + std::string{word} + "\""), std::string::npos) << word;
    const auto first = std::string{word.substr(0, word.find(' '))};
    EXPECT_NE(error_of(first + " x y"), "unknown_command") << word;
    bench->pass(40);
    start(Bench::default_config());
  }
  EXPECT_EQ(error_of("dance"), "unknown_command");
  EXPECT_EQ(error_of("HELP"), "unknown_command");
  EXPECT_EQ(error_of("help me"), "too_much");
}

TEST_F(ConsoleTest, InfoIsOneJsonObject) {
  const std::string info = run("info");
  ASSERT_TRUE(protocol::check_json(std::string_view{info}.substr(3)).has_value()) << info;
  EXPECT_NE(info.find("\"id\":\"" + std::string{bench->gadget->id().text()} + "\""),
            std::string::npos);
  for (const std::string_view part :
       {R"("firmware":"0.1.0")", R"("board":"bench")", R"("hub":"127.0.0.1")", R"("state":"ready")",
        R"("online":true)", R"("paired":true)", R"("protocol":1)", R"("connections":1)",
        R"("damaged":[])"}) {
    EXPECT_NE(info.find(part), std::string::npos) << part << " in " << info;
  }
}

TEST_F(ConsoleTest, TheLongestInfoFits) {
  run("set name " + std::string(64, '"'));
  run("set hub ws://" + std::string(123, 'h'));
  EXPECT_TRUE(run("info").starts_with("ok {"));
  EXPECT_TRUE(run("get").starts_with("ok {"));
}

TEST_F(ConsoleTest, EverySettingIsSetAndGot) {
  EXPECT_EQ(run("set volume 70"), R"(ok {"volume":70})");
  EXPECT_EQ(run("set brightness 30"), R"(ok {"brightness":30})");
  EXPECT_EQ(run("set talk_mode tap"), R"(ok {"talk_mode":"tap"})");
  EXPECT_EQ(run("set screen_timeout never"), R"(ok {"screen_timeout":0})");
  EXPECT_EQ(run("set name Kitchen of Ann"), R"(ok {"name":"Kitchen of Ann"})");
  EXPECT_EQ(run("set hub ws://hub.local/gadget"), R"(ok {"hub":"ws://hub.local/gadget"})");
  EXPECT_EQ(run("set token s3cret"), R"(ok {"token":"set"})");
  EXPECT_EQ(run("get"), R"(ok {"volume":70,"brightness":30,"talk_mode":"tap","screen_timeout":0,)"
                        R"("name":"Kitchen of Ann","hub":"ws://hub.local/gadget","token":"set"})");
  EXPECT_EQ(run("get name"), R"(ok {"name":"Kitchen of Ann"})");
  EXPECT_EQ(run("set token"), R"(ok {"token":"not set"})");
  EXPECT_EQ(run("set name"), R"(ok {"name":"bench"})");
}

TEST_F(ConsoleTest, WhatIsWrongIsSaidWithTheRule) {
  EXPECT_EQ(error_of("get colour"), "unknown_setting");
  EXPECT_EQ(error_of("set"), "unknown_setting");
  EXPECT_EQ(error_of("set colour red"), "unknown_setting");
  EXPECT_EQ(run("set volume 101"), "error invalid_value: it is a whole number from 0 to 100");
  EXPECT_EQ(error_of("set volume"), "invalid_value");
  EXPECT_EQ(error_of("set brightness 1"), "invalid_value");
  EXPECT_EQ(error_of("set talk_mode auto"), "invalid_value");
  EXPECT_EQ(error_of("set screen_timeout 5000"), "invalid_value");
  EXPECT_EQ(error_of("set name " + std::string(65, 'n')), "invalid_value");
  EXPECT_EQ(error_of("set hub http://hub"), "invalid_value");
  EXPECT_EQ(error_of("set token " + std::string(129, 't')), "invalid_value");
  bench->store->broken = true;
  EXPECT_EQ(error_of("set volume 12"), "not_kept");
}

TEST_F(ConsoleTest, NoSecretIsEverPrinted) {
  run("log on");
  std::string all;
  for (const std::string_view line :
       {"set token hunter2hunter2", "get token", "get", "info", "help", "set token hunter2\x01",
        "token hunter2", "set hunter2 x"}) {
    lines.clear();
    console->feed(bench->now, std::string{line} + "\n");
    bench->pass(20);
    for (const auto& one : lines) all += one + "\n";
  }
  EXPECT_EQ(all.find("hunter2"), std::string::npos) << all;
}

TEST_F(ConsoleTest, LinesAreBoundedAndCleaned) {
  EXPECT_EQ(error_of("text " + std::string(251, 'x')), "ok");
  EXPECT_EQ(error_of("text " + std::string(252, 'x')), "line_too_long");
  EXPECT_EQ(error_of(std::string(100'000, 'x')), "line_too_long");
  EXPECT_EQ(run("get volume"), R"(ok {"volume":100})") << "and goes on";
  EXPECT_EQ(error_of("text a\tb"), "bad_line");
  EXPECT_EQ(error_of("text \xFF"), "bad_line");
  lines.clear();
  console->feed(bench->now, "\r\n\n  \n\r");
  EXPECT_TRUE(lines.empty()) << "nothing is no command";
  EXPECT_EQ(run("   get   volume   "), R"(ok {"volume":100})");
  lines.clear();
  for (const char c : std::string_view{"get volume\nget name\n"})
    console->feed(bench->now, {&c, 1});
  EXPECT_EQ(lines.size(), 2U);
}

TEST_F(ConsoleTest, C1_TextIsSent) {
  EXPECT_EQ(run("text what time is it?"), "ok");
  EXPECT_EQ(bench->count("what time is it?"), 1);
  EXPECT_EQ(error_of("text"), "missing");
  bench->drop();
  EXPECT_EQ(run("text hello"), "ok");  // it waits
}

// Without a hub `cancel` was refused, although what had been typed still waited and would be sent.
TEST_F(ConsoleTest, C7_CancelWithoutAHubWithdrawsTheTextsThatWait) {
  bench->drop();
  bench->sent.clear();
  EXPECT_EQ(run("text never mind"), "ok");
  EXPECT_EQ(run("cancel"), "ok");
  EXPECT_TRUE(bench->shows_text("Discarded."));
  EXPECT_EQ(error_of("cancel"), "not_connected");  // there is nothing left
  bench->until_connect();
  bench->open();
  bench->challenge(true);
  bench->welcome();
  bench->pass(1'000);
  EXPECT_EQ(bench->count("never mind"), 0);
}

TEST_F(ConsoleTest, TalkCancelAndNew) {
  EXPECT_EQ(error_of("talk"), "missing");
  EXPECT_EQ(run("talk down"), "ok");
  EXPECT_TRUE(bench->gadget->talk().recording());
  bench->speak_for(500);
  EXPECT_EQ(run("talk up"), "ok");
  EXPECT_EQ(bench->count("audio.end"), 1);
  run("talk down");
  bench->speak_for(500);
  EXPECT_EQ(run("cancel"), "ok");
  EXPECT_EQ(bench->count("audio.cancel"), 1);
  EXPECT_EQ(run("talk up"), "ok");
  EXPECT_EQ(run("cancel"), "ok");
  EXPECT_EQ(bench->count(R"("type":"cancel")"), 1);
  EXPECT_EQ(run("new"), "ok");
  EXPECT_EQ(bench->count("session.new"), 1);
  bench->drop();
  EXPECT_EQ(error_of("talk down"), "not_connected");
  EXPECT_EQ(error_of("cancel"), "not_connected");
  EXPECT_EQ(error_of("new"), "not_connected");
  auto mute = Bench::default_config();
  mute.mic_hz = 0;
  start(mute);
  EXPECT_EQ(error_of("talk down"), "not_listening");
}

TEST_F(ConsoleTest, Q1_YesAndNoAnswerAQuestion) {
  EXPECT_EQ(error_of("yes"), "no_question");
  for (const std::string_view word : {"yes", "no"}) {
    bench->hub(R"({"type":"prompt","id":"p","title":"","text":"Restart?"})");
    EXPECT_EQ(error_of(word), "no_question") << "within the guard (Q3)";
    bench->pass(700);
    EXPECT_EQ(run(word), "ok");
    EXPECT_EQ(bench->count("\"answer\":\"" + std::string{word} + "\""), 1);
  }
}

TEST_F(ConsoleTest, E32_ReenrolGivesTheKeyOnceMore) {
  bench->drop();
  bench->until_connect();
  bench->go_online(true);  // trusted: it does not give its key away by itself
  bench->drop();
  bench->until_connect();
  bench->open();
  bench->challenge(false);
  EXPECT_EQ(bench->count("\"key\""), 0);
  EXPECT_EQ(run("reenrol"), "ok");
  bench->pass(40);
  bench->open();
  bench->challenge(false);
  EXPECT_EQ(bench->count("\"key\""), 1);
}

TEST_F(ConsoleTest, ChecksAnswerWhenTheyAreDone) {
  EXPECT_EQ(error_of("check"), "missing");
  EXPECT_EQ(error_of("check feet"), "missing");

  EXPECT_EQ(run("check mic"), "answers: 0");
  EXPECT_TRUE(bench->listening);
  EXPECT_EQ(error_of("info"), "busy");
  bench->speak_for(100, 16'384);
  lines.clear();
  pass(1'000);
  EXPECT_EQ(lines, (std::vector<std::string>{R"(ok {"mic":49})"}));
  EXPECT_FALSE(bench->listening);
  run("check mic");
  pass(1'100);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("error no_samples: "));
  run("check mic");
  bench->speak_for(200, 20);
  pass(1'100);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("error no_sound: "));

  EXPECT_EQ(run("check speaker"), R"(ok {"speaker":"playing"})");
  EXPECT_FALSE(bench->gadget->playback().idle());
  EXPECT_EQ(run("check display"), R"(ok {"display":"showing"})");
  EXPECT_EQ(bench->gadget->menu().page(), MenuPage::display);

  EXPECT_EQ(run("check inputs"), "answers: 0");
  bench->press(Button::up);
  pass(40);
  EXPECT_EQ(lines, (std::vector<std::string>{R"(ok {"inputs":"up"})"}));
  EXPECT_EQ(bench->gadget->state() == screen::State::settings, false);
  run("check inputs");
  pass(10'100);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("error no_press: "));

  auto bare = Bench::default_config();
  bare.mic_hz = bare.speaker_hz = 0;
  bare.display.reset();
  start(bare);
  EXPECT_EQ(error_of("check mic"), "unavailable");
  EXPECT_EQ(error_of("check speaker"), "unavailable");
  EXPECT_EQ(error_of("check display"), "unavailable");
}

TEST_F(ConsoleTest, H1_AFactoryResetIsConfirmed) {
  const std::string old_id{bench->gadget->id().text()};
  EXPECT_EQ(error_of("factory-reset"), "confirm");
  EXPECT_EQ(error_of("factory-reset please"), "confirm");
  EXPECT_EQ(std::string{bench->gadget->id().text()}, old_id);
  const std::string answer = run("factory-reset yes");
  const std::string id{bench->gadget->id().text()};
  EXPECT_NE(id, old_id);
  EXPECT_EQ(answer, "ok {\"id\":\"" + id + "\"}");
  bench->store->broken = true;
  EXPECT_EQ(error_of("factory-reset yes"), "not_kept");
}

TEST_F(ConsoleTest, RestartLeavesTheHub) {
  can_restart = false;
  EXPECT_EQ(error_of("restart"), "unavailable");
  EXPECT_TRUE(bench->gadget->session().online());
  can_restart = true;
  EXPECT_EQ(run("restart"), "ok");
  EXPECT_EQ(restarts, 1);
  EXPECT_EQ(bench->closes.back().first, 1001);
}

TEST_F(ConsoleTest, LogLinesComeWhenTheyAreAskedFor) {
  console->noticed(Fact::reply, "Dinner");
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(run("log on"), "ok");
  lines.clear();
  console->noticed(Fact::reply, "two\nlines");
  console->noticed(Fact::paired, "");
  console->noticed(Fact::reply, std::string(1'000, 'x'));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "log reply two lines");
  EXPECT_EQ(lines[1], "log paired");
  EXPECT_EQ(lines[2].size(), kConsoleLineBytes);
  run("log off");
  lines.clear();
  console->noticed(Fact::reply, "Dinner");
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(error_of("log"), "missing");
}

}  // namespace
}  // namespace gadget::device
