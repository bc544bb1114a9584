// The bridge itself: who may speak, and what a plugin may ask for.
#include "hub/bridge/bridge_test_support.hpp"

namespace gadget::hub::testing {
namespace {

using bench::Device;

TEST_F(WithHermes, APluginIsWelcomedAndToldWhoIsOnline) {
  Device kitchen(bench);
  kitchen.come();
  const auto plugin = connect();
  ASSERT_EQ(plugin->frames.size(), 3U);
  EXPECT_EQ(boost::json::serialize(plugin->frames[0]),
            R"({"type":"welcome","bridge":1,"hub":"0.1.0","turns":[]})");
  EXPECT_EQ(field(plugin->frames[1], "type"), "device");
  EXPECT_EQ(plugin->frames[1].at("online"), true);
  EXPECT_EQ(plugin->frames[1].at("paired"), false);
  EXPECT_FALSE(plugin->frames[1].contains("actions"));
  EXPECT_EQ(field(plugin->frames[2], "type"), "pair");
}

TEST_F(WithHermes, AnotherVersionOfTheBridgeIsRefusedWithItsReason) {
  for (const char* version : {"2", "0", "\"1\"", "null", "1e400", "[1]"}) {
    const auto link = std::make_shared<Plugin>();
    bridge.attached(link);
    say(link, R"({"type":"hello","instance":"x","bridge":)" + std::string(version) + "}");
    if (link->closed == 0) {  // no JSON at all
      EXPECT_EQ(link->count("fault"), 1U) << version;
      continue;
    }
    EXPECT_EQ(link->closed, 1008) << version;
    EXPECT_EQ(field(link->last("refused"), "code"), "bridge_version");
    EXPECT_FALSE(bridge.connected());
  }
}

TEST_F(WithHermes, NonsenseIsAnsweredAndTheConnectionStays) {
  const auto plugin = connect();
  for (const char* frame :
       {"", "nonsense", "[]", "{}", R"({"type":1})", R"({"type":"turn.end"})",
        R"({"type":"pairing","device":"nobody","code":"X"})",
        R"({"type":"authorized","device":"hg-0123456789abcdef","authorized":"yes"})",
        R"({"type":"withdraw"})", R"({"type":"request","call":"info"})",
        R"({"type":"hello","bridge":1,"instance":"again"})"}) {
    const std::size_t before = plugin->count("fault");
    say(plugin, frame);
    EXPECT_EQ(plugin->count("fault"), before + 1) << frame;
  }
  const std::string deep(100'000, '[');
  say(plugin, R"({"type":"turn.delta","text":)" + deep);
  say(plugin, R"({"type":"of.a.later.version","x":1})");
  EXPECT_TRUE(bridge.connected());
  EXPECT_EQ(plugin->closed, 0);
}

TEST_F(WithHermes, ASecondPluginReplacesTheFirst) {
  const auto first = connect("one");
  const auto second = connect("two");
  EXPECT_EQ(first->closed, 1008);
  EXPECT_EQ(first->why, "replaced");
  const std::size_t heard = second->frames.size();
  say(first, R"({"type":"request","id":"1","call":"info"})");
  EXPECT_TRUE(calls.empty());
  bridge.detached(first);
  EXPECT_TRUE(bridge.connected());
  EXPECT_EQ(second->frames.size(), heard);
}

TEST_F(WithHermes, ARequestIsACallOfTheOwnerApi) {
  const auto plugin = connect();
  say(plugin,
      R"({"type":"request","id":"7","call":"say","args":{"device":"kitchen","text":"hi"}})");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0], R"(say {"device":"kitchen","text":"hi"})");
  EXPECT_EQ(boost::json::serialize(plugin->last("response")),
            R"({"type":"response","id":"7","ok":true,"result":{"api":1}})");
}

TEST_F(WithHermes, RightsAreNotGivenOverTheBridge) {
  const auto plugin = connect();
  for (const char* call : {"pairing/approve", "pairing/revoke", "backup", "test/advance", "../x"}) {
    say(plugin, R"({"type":"request","id":"1","call":")" + std::string(call) + "\"}");
    EXPECT_EQ(plugin->last("response").at("ok"), false) << call;
  }
  EXPECT_TRUE(calls.empty());
}

TEST_F(WithHermes, RequestsAreBoundedAndAnswersOfAnOldConnectionAreDropped) {
  answers_now = false;
  const auto plugin = connect();
  for (std::size_t i = 0; i < kBridgeRequests + 1; ++i) {
    say(plugin, R"({"type":"request","id":")" + std::to_string(i) + R"(","call":"info"})");
  }
  EXPECT_EQ(calls.size(), kBridgeRequests);
  EXPECT_EQ(plugin->last("response").at("ok"), false);
  bridge.detached(plugin);
  const auto again = connect();
  waiting.front()(true, "{}");
  EXPECT_EQ(again->count("response"), 0U);
  answers_now = true;
  say(again, R"({"type":"request","id":"x","call":"info"})");
  EXPECT_EQ(again->count("response"), 1U);
}

// ---- Questions ----

class Asked : public WithHermes {
 protected:
  Asked() { approved(kitchen, plugin); }
  std::string ask(const std::shared_ptr<Plugin>& from, std::string_view id) {
    say(from, R"({"type":"request","id":")" + std::string(id) +
                  R"(","call":"ask","ref":"approval-17","args":{"device":")" +
                  std::string(kitchen.id.text()) + R"(","title":"Run it?","text":"rm -r x"}})");
    const auto* prompt = kitchen.last("prompt");
    return prompt == nullptr ? "" : prompt->get("id");
  }
  void press(const std::string& prompt, std::string_view answer) {
    kitchen.send(R"({"type":"prompt.reply","id":")" + prompt + R"(","answer":")" +
                 std::string(answer) + "\"}");
    bench.settle();
  }

  Device kitchen{bench};
  std::shared_ptr<Plugin> plugin = connect();
};

TEST_F(Asked, TheAnswerComesBackWithTheRequestsId) {
  press(ask(plugin, "q1"), "yes");
  EXPECT_EQ(boost::json::serialize(plugin->last("response")),
            R"({"type":"response","id":"q1","ok":true,"result":{"answer":"yes"}})");
}

TEST_F(Asked, SilenceIsExpiredAndNotAnAnswer) {
  (void)ask(plugin, "q1");
  bench.advance(300'000);
  EXPECT_EQ(field(plugin->last("response").at("result").as_object(), "answer"), "expired");
}

TEST_F(Asked, APluginThatAsksAgainFindsItsQuestion) {
  const std::string prompt = ask(plugin, "q1");
  bridge.detached(plugin);
  const auto again = connect();
  EXPECT_EQ(ask(again, "q2"), prompt);
  EXPECT_EQ(kitchen.count("prompt"), 1U);
  press(prompt, "no");
  EXPECT_EQ(field(again->last("response"), "id"), "q2");
  EXPECT_EQ(field(again->last("response").at("result").as_object(), "answer"), "no");
}

TEST_F(Asked, AnAnswerWhileTheBridgeIsBrokenIsKept) {
  const std::string prompt = ask(plugin, "q1");
  bridge.detached(plugin);
  press(prompt, "yes");
  const auto again = connect();
  (void)ask(again, "q2");
  EXPECT_EQ(kitchen.count("prompt"), 1U);
  EXPECT_EQ(field(again->last("response"), "id"), "q2");
  EXPECT_EQ(field(again->last("response").at("result").as_object(), "answer"), "yes");
}

TEST_F(Asked, QuestionsOfAGatewayThatIsGoneAreWithdrawn) {
  const std::string prompt = ask(plugin, "q1");
  bridge.detached(plugin);
  const auto other = connect("two");
  EXPECT_EQ(kitchen.need("prompt.close").get("id"), prompt);
  (void)ask(other, "q1");
  EXPECT_EQ(kitchen.count("prompt"), 2U);
}

TEST_F(Asked, WithdrawTakesItFromTheScreen) {
  const std::string prompt = ask(plugin, "q1");
  say(plugin, R"({"type":"withdraw","ref":"approval-17"})");
  EXPECT_EQ(kitchen.need("prompt.close").get("id"), prompt);
  EXPECT_EQ(field(plugin->last("response").at("result").as_object(), "answer"), "withdrawn");
}

TEST_F(Asked, WhatCannotBeAskedIsSaid) {
  say(plugin, R"({"type":"request","id":"1","call":"ask","args":{"device":"nobody","text":"?"}})");
  EXPECT_EQ(field(plugin->last("response").at("error").as_object(), "code"), "not_found");
  say(plugin, R"({"type":"request","id":"2","call":"ask","args":{"device":")" +
                  std::string(kitchen.id.text()) + "\"}}");
  EXPECT_EQ(field(plugin->last("response").at("error").as_object(), "code"), "invalid_argument");
}

}  // namespace
}  // namespace gadget::hub::testing
