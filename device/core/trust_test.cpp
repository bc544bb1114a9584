// Whom the device gives its key, and which hub it obeys (E32, N1).
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using test::BenchStore;

// A press after the guard of the question that shows.
void decide(Bench& bench, Button button) {
  bench.pass(kQuestionGuardMs);
  bench.press(button);
}

// ---- E32: the key is not revealed twice without its person

class Reenrol : public testing::Test {
 protected:
  // A device that was accepted by its MAC before.
  Reenrol() {
    bench.go_online(true);
    bench.drop();
    bench.pass(1'100);
  }
  void meet_unknown() {
    bench.open();
    bench.challenge(false);
  }
  Bench bench;
};

TEST_F(Reenrol, E32_AHubThatForgotGetsNoKey) {
  meet_unknown();
  EXPECT_EQ(bench.count("auth"), 0);
  ASSERT_EQ(bench.closes.size(), 1U);
  EXPECT_EQ(bench.state, screen::State::question);
  EXPECT_TRUE(bench.shows_text("does not know me"));
  const Millis pause = bench.gadget->pause_ends() - bench.now;
  EXPECT_GE(pause, 29'900);
  EXPECT_LE(pause, 60'000);
}

TEST_F(Reenrol, E32_YesSendsItOnce) {
  meet_unknown();
  decide(bench, Button::talk);
  EXPECT_EQ(bench.gadget->session().phase(), Phase::connecting);
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 1);
  bench.welcome();
  EXPECT_TRUE(bench.gadget->session().online());
  bench.drop();
  bench.pass(1'100);
  bench.open();
  bench.challenge(true);
  bench.welcome();
  EXPECT_TRUE(bench.gadget->session().online());
}

TEST_F(Reenrol, E32_ConsentCountsForOneSendingOnly) {
  meet_unknown();
  decide(bench, Button::talk);
  meet_unknown();
  bench.drop();  // before welcome
  bench.until_connect();
  bench.sent.clear();
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 0);
}

TEST_F(Reenrol, E32_NoIsRememberedUntilThePersonAsks) {
  meet_unknown();
  decide(bench, Button::cancel);
  EXPECT_EQ(bench.state, screen::State::error);
  bench.until_connect();
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 0);
  EXPECT_EQ(bench.state, screen::State::error);
  bench.press(Button::talk);  // asks for the question
  EXPECT_EQ(bench.state, screen::State::question);
  decide(bench, Button::talk);
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 1);
}

// The question comes unforeseen, as every question does (Q3): a press that was meant for something
// else gives nobody the key, and refuses nobody.
TEST_F(Reenrol, E32_APressWithinTheGuardDecidesNothing) {
  meet_unknown();
  for (const Button button : {Button::talk, Button::cancel}) {
    bench.press(button);
    EXPECT_FALSE(bench.gadget->answer(bench.now, button == Button::talk));
    EXPECT_EQ(bench.state, screen::State::question);
  }
  bench.pass(kQuestionGuardMs);
  EXPECT_EQ(bench.gadget->session().phase(), Phase::pausing);
  EXPECT_EQ(bench.state, screen::State::question);
}

// The same hub is back every minute: who reads for longer than that need not wait again.
TEST_F(Reenrol, E32_TheGuardDoesNotBeginAnewWhileTheQuestionShows) {
  meet_unknown();
  bench.until_connect();
  meet_unknown();
  bench.press(Button::talk);
  bench.until_connect();
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 1);
}

TEST_F(Reenrol, E32_TheQuestionThatIsAskedForHasItsGuardToo) {
  meet_unknown();
  decide(bench, Button::cancel);
  bench.press(Button::talk);
  bench.press(Button::talk);
  EXPECT_EQ(bench.state, screen::State::question);
}

TEST_F(Reenrol, E32_OverTlsTheHubIsKnown) {
  bench.is_secure = true;
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 1);
}

TEST_F(Reenrol, E32_SurvivesAPowerCut) {
  Bench again{Bench::default_config(), nullptr, bench.store};
  again.start();
  again.open();
  again.challenge(false);
  EXPECT_EQ(again.count(R"("key")"), 0);
  EXPECT_EQ(again.state, screen::State::question);
}

TEST_F(Reenrol, E32_ConsoleAllowsIt) {
  bench.gadget->allow_reenrol(bench.now);
  meet_unknown();
  EXPECT_EQ(bench.count(R"("key")"), 1);
}

TEST(ReenrolPort, E32_PolicyOfAPortWithoutPerson) {
  auto config = Bench::default_config();
  config.reenrol = ReenrolPolicy::allow;
  Bench bench{config};
  bench.go_online(true);
  bench.drop();
  bench.pass(1'100);
  bench.open();
  bench.challenge(false);
  EXPECT_EQ(bench.count(R"("key")"), 1);
}

// ---- N1: the hub proves itself, once it has

class HubProof : public testing::Test {
 protected:
  void meet(bool prove, bool spoil = false) {
    bench.sent.clear();
    bench.open();
    const auto nonce = Bench::field(bench.last(), "nonce");
    bench.challenge(true);
    const protocol::Key key{
        std::span<const std::byte, protocol::kKeyBytes>{bench.store->values.at("key")}};
    auto mac = protocol::hub_mac(key, bench.gadget->id().text(), nonce);
    if (spoil) mac[0] = mac[0] == 'A' ? 'B' : 'A';
    bench.welcome(prove ? ",\"mac\":\"" + std::string{protocol::view(mac)} + "\"" : "");
  }
  void leave() {
    bench.drop();
    bench.until_connect();
  }
  Bench bench;
};

TEST_F(HubProof, N1_AHubWithoutItIsTakenUntilOneWasSeen) {
  bench.start();
  meet(false);
  EXPECT_TRUE(bench.gadget->session().online());
  leave();
  meet(true);
  EXPECT_TRUE(bench.gadget->session().online());
  leave();
  meet(false);
  EXPECT_FALSE(bench.gadget->session().online());
  EXPECT_EQ(bench.state, screen::State::question);
  EXPECT_TRUE(bench.shows_text("cannot prove"));
}

TEST_F(HubProof, N1_AWrongOneIsNoHubOfOurs) {
  bench.start();
  meet(true);
  leave();
  meet(true, true);
  EXPECT_FALSE(bench.gadget->session().online());
  const Millis pause = bench.gadget->pause_ends() - bench.now;
  EXPECT_GE(pause, 30'000);
  bench.until_connect();
  meet(true);
  EXPECT_TRUE(bench.gadget->session().online());
}

TEST_F(HubProof, N1_ThePersonMayTrustItAllTheSame) {
  bench.start();
  meet(true);
  leave();
  meet(false);
  decide(bench, Button::talk);
  ASSERT_EQ(bench.gadget->session().phase(), Phase::connecting);
  meet(false);
  EXPECT_TRUE(bench.gadget->session().online());
}

TEST_F(HubProof, N1_SurvivesAPowerCut) {
  bench.start();
  meet(true);
  Bench again{Bench::default_config(), nullptr, bench.store};
  again.start();
  again.open();
  again.challenge(true);
  again.welcome();
  EXPECT_FALSE(again.gadget->session().online());
}

}  // namespace
}  // namespace gadget::device
