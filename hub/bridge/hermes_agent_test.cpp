// Turns that Hermes answers.
#include "hub/bridge/bridge_test_support.hpp"

namespace gadget::hub::testing {
namespace {

using bench::Device;

class Turns : public WithHermes {
 protected:
  Turns() { approved(kitchen, plugin); }
  void end(const std::shared_ptr<Plugin>& from, const std::string& turn,
           std::string_view outcome = "success") {
    say(from, about("turn.end", turn, R"(,"outcome":")" + std::string(outcome) + "\""));
  }
  std::string ended() {
    bench.advance(20'000);
    const auto* end = kitchen.last("turn.end");
    return end == nullptr ? "" : end->get("outcome");
  }

  Device kitchen{bench};
  std::shared_ptr<Plugin> plugin = connect();
};

TEST_F(Turns, AMessageIsGivenWithItsDeviceAndItsAnswerSpoken) {
  const std::string turn = typed(kitchen, "what time is it", plugin);
  const auto given = plugin->last("turn");
  EXPECT_EQ(field(given, "source"), "typed");
  EXPECT_EQ(field(given, "text"), "what time is it");
  EXPECT_EQ(field(given, "device"), kitchen.id.text());
  EXPECT_EQ(field(plugin->frames[plugin->frames.size() - 2], "type"), "device");
  EXPECT_EQ(plugin->last("device").at("paired"), true);
  say(plugin, about("turn.taken", turn, ""));
  say(plugin, about("turn.began", turn, ""));
  say(plugin, about("turn.status", turn, R"(,"text":"is looking")"));
  EXPECT_EQ(kitchen.need("status").get("text"), "is looking");
  say(plugin, about("turn.delta", turn, R"(,"text":"It is")"));
  say(plugin, about("turn.interim", turn, R"(,"text":"Let me look.")"));
  say(plugin, about("turn.final", turn, R"(,"text":"It is ten.")"));
  end(plugin, turn);
  EXPECT_EQ(ended(), "success");
  EXPECT_EQ(kitchen.need("reply").get("text"), "It is ten.");
  ASSERT_EQ(bench.synthesizer.asked.size(), 1U);
  EXPECT_EQ(bench.synthesizer.asked[0], "It is ten.");
  EXPECT_EQ(kitchen.count("turn.end"), 1U);
}

TEST_F(Turns, ATranscriptIsGivenAsSpoken) {
  kitchen.utter(2000);
  bench.settle();
  EXPECT_EQ(field(plugin->last("turn"), "source"), "spoken");
  EXPECT_EQ(field(plugin->last("turn"), "text"), "what time is it");
}

TEST_F(Turns, WhatIsNotToBeSpokenIsShown) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.final", turn, R"(,"text":"Done.","speak":false)"));
  end(plugin, turn);
  EXPECT_EQ(ended(), "success");
  EXPECT_TRUE(bench.synthesizer.asked.empty());
  EXPECT_EQ(kitchen.need("reply").get("text"), "Done.");
}

TEST_F(Turns, AFailureSaysWhy) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin,
      about("turn.end", turn, R"(,"outcome":"failure","reason":"the model refused the key")"));
  EXPECT_EQ(ended(), "failure");
}

TEST_F(Turns, NothingOfATurnThatHasEndedIsHeard) {
  const std::string turn = typed(kitchen, "x", plugin);
  end(plugin, turn);
  end(plugin, turn, "failure");
  say(plugin, about("turn.final", turn, R"(,"text":"late")"));
  EXPECT_EQ(ended(), "success");
  EXPECT_EQ(kitchen.count("turn.end"), 1U);
  EXPECT_EQ(kitchen.last("reply"), nullptr);
}

TEST_F(Turns, CancelIsStopAndNothingMoreIsWaitedFor) {
  const std::string turn = typed(kitchen, "x", plugin);
  kitchen.send(R"({"type":"cancel"})");
  bench.settle();
  EXPECT_EQ(field(plugin->last("turn.cancel"), "turn"), turn);
  EXPECT_EQ(field(plugin->last("turn.cancel"), "because"), "button");
  EXPECT_EQ(ended(), "cancelled");
  end(plugin, turn, "cancelled");
  EXPECT_EQ(kitchen.count("turn.end"), 1U);
  const std::string next = typed(kitchen, "y", plugin);
  EXPECT_NE(next, turn);
}

TEST_F(Turns, CancelledBySpeechIsSaid) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.began", turn, ""));
  say(plugin, about("turn.delta", turn, R"(,"text":"It is a long story. Once upon a time. ")"));
  bench.advance(100);
  kitchen.utter(2000);
  bench.settle();
  EXPECT_EQ(field(plugin->last("turn.cancel"), "turn"), turn);
  EXPECT_EQ(field(plugin->last("turn.cancel"), "because"), "speech");
}

TEST_F(Turns, CancelledByTheOwnerIsNeither) {
  (void)typed(kitchen, "x", plugin);
  say(plugin, R"({"type":"authorized","device":")" + std::string(kitchen.id.text()) +
                  R"(","authorized":false})");
  EXPECT_EQ(field(plugin->last("turn.cancel"), "because"), "other");
}

TEST_F(Turns, WelcomeNamesTheTurnsThatTheHubKnows) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.began", turn, ""));
  bridge.detached(plugin);
  const auto again = connect("one", "\"" + turn + R"(","t-of-another-hub")");
  EXPECT_EQ(boost::json::serialize(again->last("welcome").at("turns")), "[\"" + turn + "\"]");
  end(again, turn);
  bridge.detached(again);
  // What it ended it may say once more: its connection broke before it was sure.
  EXPECT_EQ(boost::json::serialize(connect("one")->last("welcome").at("turns")),
            "[\"" + turn + "\"]");
}

TEST_F(Turns, ATurnThatIsCancelledWithoutAPluginIsStoppedWhenItComes) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.began", turn, ""));
  bridge.detached(plugin);
  kitchen.send(R"({"type":"cancel"})");
  bench.settle();
  const auto again = connect("one", "\"" + turn + "\"");
  EXPECT_EQ(boost::json::serialize(again->last("welcome").at("turns")), "[\"" + turn + "\"]");
  EXPECT_EQ(field(again->last("turn.cancel"), "turn"), turn);
  EXPECT_EQ(field(again->last("turn.cancel"), "because"), "button");
  // Once; and a plugin that does not have it is told nothing.
  bridge.detached(again);
  EXPECT_EQ(connect("one", "\"" + turn + "\"")->count("turn.cancel"), 0U);
}

TEST_F(Turns, AnUtteranceGoesToAPluginThatHears) {
  plugin = connect("two", "", R"(,"hears":true)");
  kitchen.utter(2000);
  bench.settle();
  const auto turn = plugin->last("turn");
  EXPECT_EQ(field(turn, "source"), "spoken");
  EXPECT_EQ(field(turn, "text"), "");
  const auto piece = plugin->last("turn.audio");
  EXPECT_EQ(field(piece, "turn"), field(turn, "turn"));
  EXPECT_EQ(piece.at("rate_hz").to_number<int>(), 16'000);
  // 2 s at 16 kHz, a piece of 98,304 bytes at most.
  std::size_t chars = 0;
  for (const auto& frame : plugin->frames) chars += field(frame, "pcm").size();
  EXPECT_GE(chars * 3 / 4, 2UL * 16'000 * 2 - 2'000);
  EXPECT_LE(field(piece, "pcm").size(), 131'072U);
  // A gateway that dies before it began gets all of it again, one that comes later does not.
  bridge.detached(plugin);
  plugin = connect("three", "", R"(,"hears":true)");
  EXPECT_EQ(plugin->count("turn"), 1U);
  EXPECT_GE(plugin->count("turn.audio"), 1U);
  say(plugin, about("turn.began", field(turn, "turn"), ""));
  say(plugin, about("turn.final", field(turn, "turn"), R"(,"text":"I heard you.")"));
  end(plugin, field(turn, "turn"));
  EXPECT_EQ(ended(), "success");
}

TEST_F(Turns, AnUtteranceWaitsForAPluginThatHears) {
  plugin = connect("two", "", R"(,"hears":true)");
  bridge.detached(plugin);
  kitchen.utter(2000);
  bench.settle();
  plugin = connect("two", "", R"(,"hears":true)");
  EXPECT_EQ(plugin->count("turn"), 1U);
  EXPECT_GE(plugin->count("turn.audio"), 1U);
}

TEST_F(Turns, HermesOwnVoiceIsPlayedAndTheHubsIsNot) {
  plugin = connect("two", "", R"(,"speaks":true)");
  kitchen.utter(2000);
  bench.settle();
  const std::string turn = field(plugin->last("turn"), "turn");
  say(plugin, about("turn.began", turn, ""));
  say(plugin, about("turn.delta", turn, R"(,"text":"It is ten. ")"));
  // A tenth of a second of silence at 24 kHz.
  std::string pcm(static_cast<std::size_t>(2'400) * 2 / 3 * 4, 'A');
  say(plugin, about("turn.audio", turn, R"(,"rate_hz":24000,"pcm":")" + pcm + "\""));
  say(plugin, about("turn.final", turn, R"(,"text":"It is ten.")"));
  end(plugin, turn);
  EXPECT_EQ(ended(), "success");
  EXPECT_TRUE(bench.synthesizer.asked.empty());
  EXPECT_EQ(kitchen.count("audio.start"), 1U);
  EXPECT_EQ(kitchen.count("audio.end"), 1U);
  // What was typed is answered by the hub's voice: Hermes speaks after a voice message only.
  const std::string typing = typed(kitchen, "x", plugin);
  say(plugin, about("turn.final", typing, R"(,"text":"Eleven.")"));
  end(plugin, typing);
  EXPECT_EQ(ended(), "success");
  ASSERT_EQ(bench.synthesizer.asked.size(), 1U);
  EXPECT_EQ(bench.synthesizer.asked[0], "Eleven.");
}

TEST_F(Turns, AudioThatIsNoneIsAFault) {
  plugin = connect("two", "", R"(,"speaks":true)");
  kitchen.utter(2000);
  bench.settle();
  const std::string turn = field(plugin->last("turn"), "turn");
  for (const char* wrong :
       {R"(,"rate_hz":24000)", R"(,"rate_hz":24000,"pcm":"")", R"(,"rate_hz":24000,"pcm":"AAA")",
        R"(,"rate_hz":24000,"pcm":"AA==")", R"(,"rate_hz":24000,"pcm":"====")",
        R"(,"rate_hz":24000,"pcm":"AA=A")", R"(,"rate_hz":7,"pcm":"AAAAAAAA")",
        R"(,"rate_hz":1e300,"pcm":"AAAAAAAA")", R"(,"pcm":"AAAAAAAA")"}) {
    const std::size_t before = plugin->count("fault");
    say(plugin, about("turn.audio", turn, wrong));
    EXPECT_EQ(plugin->count("fault"), before + 1) << wrong;
  }
  EXPECT_EQ(kitchen.count("audio.start"), 0U);
}

TEST_F(Turns, ANewSessionIsTold) {
  kitchen.send(R"({"type":"session.new"})");
  bench.settle();
  EXPECT_EQ(field(plugin->last("session.new"), "device"), kitchen.id.text());
}

TEST_F(Turns, WithoutAPluginATurnWaitsAndThenSaysWhy) {
  bridge.detached(plugin);
  (void)typed(kitchen, "x", plugin);
  EXPECT_EQ(kitchen.need("status").get("text"), "Waiting for Hermes");
  bench.advance(kHermesAbsentMs - 1000);
  EXPECT_EQ(kitchen.last("turn.end"), nullptr);
  EXPECT_EQ(ended(), "failure");
}

TEST_F(Turns, APluginThatComesInTimeGetsTheTurn) {
  bridge.detached(plugin);
  (void)typed(kitchen, "x", plugin);
  bench.advance(kHermesAbsentMs - 1000);
  const auto late = connect();
  ASSERT_EQ(late->count("turn"), 1U);
  end(late, field(late->last("turn"), "turn"));
  EXPECT_EQ(ended(), "success");
}

TEST_F(Turns, ATurnOutlivesABrokenBridge) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.began", turn, ""));
  bridge.detached(plugin);
  bench.advance(30'000);
  const auto again = connect("one", "\"" + turn + "\"");
  EXPECT_EQ(again->count("turn"), 0U);
  say(again, about("turn.final", turn, R"(,"text":"Still here.")"));
  end(again, turn);
  EXPECT_EQ(ended(), "success");
  EXPECT_EQ(kitchen.need("reply").get("text"), "Still here.");
}

TEST_F(Turns, ATurnThatAGatewayHadNotBegunIsGivenToTheNext) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.taken", turn, ""));
  bridge.detached(plugin);
  const auto other = connect("two");
  EXPECT_EQ(field(other->last("turn"), "turn"), turn);
  end(other, turn);
  EXPECT_EQ(ended(), "success");
}

TEST_F(Turns, ATurnThatDiedWithItsGatewaySaysSo) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.began", turn, ""));
  bridge.detached(plugin);
  const auto other = connect("two");
  EXPECT_EQ(other->count("turn"), 0U);
  EXPECT_EQ(ended(), "failure");
}

TEST_F(Turns, APluginThatStaysAwayEndsTheTurn) {
  const std::string turn = typed(kitchen, "x", plugin);
  bridge.detached(plugin);
  pass(kitchen, kHermesGoneMs - 1000);
  EXPECT_EQ(kitchen.last("turn.end"), nullptr);
  EXPECT_EQ(ended(), "failure");
  const auto late = connect("one", "\"" + turn + "\"");
  end(late, turn);
  EXPECT_EQ(kitchen.count("turn.end"), 1U);
}

TEST_F(Turns, AnEventIsContentAndSaysItsName) {
  kitchen.send(R"({"type":"event","name":"doorbell","data":{"times":2},"notify":true})");
  bench.settle();
  const auto given = plugin->last("turn");
  EXPECT_EQ(field(given, "source"), "event");
  EXPECT_EQ(field(given, "event"), "doorbell");
  EXPECT_EQ(field(given, "text"), R"({"times":2})");
}

TEST_F(Turns, ATextOfAMebibyteIsCutForTheDevice) {
  const std::string turn = typed(kitchen, "x", plugin);
  say(plugin, about("turn.delta", turn, R"(,"text":")" + std::string(1'000'000, 'a') + "\""));
  say(plugin, about("turn.final", turn, R"(,"text":")" + std::string(1'000'000, 'b') + "\""));
  end(plugin, turn);
  bench.advance(10'000);
  EXPECT_LE(kitchen.need("reply").text.size(), 64U * 1024);
}

}  // namespace
}  // namespace gadget::hub::testing
