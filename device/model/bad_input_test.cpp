// Bad input, one by one: every field of every message of the hub missing, null, of another type,
// huge; every message and frame cut at every byte; floods; ten thousand drops (E33, E34, B-28,
// B-68).
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"
#include "device/model/hub_lines.hpp"
#include "device/model/world.hpp"

namespace gadget::device::model {
namespace {

using test::Bench;

TEST(BadInput, E34_EveryFieldOfEveryMessageInEveryWay) {
  int lines = 0;
  for (std::size_t row = 0; row < hub_rows().size(); ++row) {
    const std::size_t fields = std::max<std::size_t>(1, hub_rows()[row].fields.size());
    for (std::size_t field = 0; field < fields; ++field) {
      World world{static_cast<std::uint8_t>(0x58 + 64 * (row % 2))};
      for (std::uint32_t i = 0; i < 8 * kHarms; ++i) {
        const auto harm = static_cast<std::uint8_t>(3U | (i % kHarms) << 2U);
        const auto which = static_cast<std::uint32_t>(field) << 24U | i;
        // A refusal or a welcome too many may have ended it: on to the next connection.
        for (int step = 0; step < 4; ++step) ASSERT_TRUE(world.apply({.op = Op::help, .a = 13}));
        ASSERT_TRUE(world.apply({Op::hub_line, harm, static_cast<std::uint16_t>(row), which}))
            << hub_rows()[row].type << ": " << world.fault();
        ++lines;
      }
      ASSERT_TRUE(world.recover()) << hub_rows()[row].type << ": " << world.fault();
    }
  }
  EXPECT_GT(lines, 5'000);
}

TEST(BadInput, E33_EveryMessageCutAtEveryByte) {
  Bench bench;
  bench.go_online();
  Random random{1};
  for (const auto& row : hub_rows()) {
    if (row.type == "error") continue;  // its refusal is no bad input
    const auto line = hub_line(row, random, Harm::none, 0);
    for (std::size_t length = 0; length < line.size(); ++length) {
      const auto malformed = bench.gadget->counters().malformed;
      bench.hub(std::string_view{line}.substr(0, length));
      ASSERT_EQ(bench.gadget->counters().malformed, malformed + 1) << line.substr(0, length);
      std::vector<char> beginning(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(length));
      bench.gadget->link_cut_text(bench.now, bench.epoch, beginning);
      ASSERT_TRUE(bench.gadget->session().online());
    }
  }
  EXPECT_TRUE(bench.closes.empty());
}

TEST(BadInput, T5_EveryFrameCutAtEveryByte) {
  Bench bench;
  bench.go_online();
  for (const int channel : {0, 1, 2, 3, 4, 255}) {
    bench.hub(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
    for (std::size_t length = 0; length <= 1'284; ++length) {
      std::vector<std::byte> frame(length, std::byte{1});
      if (length > 0) frame[0] = static_cast<std::byte>(channel);
      bench.gadget->link_binary(bench.now, bench.epoch, frame);
    }
    ASSERT_LE(bench.gadget->playback().waiting(), Bench::kRate);
  }
  EXPECT_TRUE(bench.gadget->session().online());
  EXPECT_EQ(bench.gadget->counters().malformed, 6U * 4U);
}

// Every action is answered, the newest question and card show, nothing piles up.
TEST(BadInput, X2_E36_AFloodOfPromptsActionsAndCards) {
  Bench bench;
  bench.go_online();
  for (int i = 0; i < 10'000; ++i) {
    const auto number = std::to_string(i);
    bench.hub(R"({"type":"prompt","id":")" + number + R"(","text":"Question )" + number + "?\"}");
    bench.hub(R"({"type":"action","id":")" + number +
              R"(","name":"led.set","args":{"color":"red"}})");
    bench.hub(R"({"type":"display","title":"T","body":"Card )" + number + "\"}");
  }
  EXPECT_EQ(bench.count("action.result"), 10'000);
  EXPECT_TRUE(bench.shows_text("Question 9999?"));
  bench.pass(700);
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
  EXPECT_TRUE(bench.shows_text("Card 9999"));
}

// B-28: dropped ten thousand times in every state of a handshake and of a conversation.
TEST(BadInput, B28_TenThousandDropsAndItAlwaysComesBack) {
  Bench bench;
  bench.start();
  Random random{28};
  for (int drop = 0; drop < 10'000; ++drop) {
    const Millis since = bench.now;
    while (bench.gadget->session().phase() != Phase::connecting) {
      bench.now = std::max(bench.now + 20, bench.gadget->pause_ends());
      bench.gadget->tick(bench.now);
      ASSERT_LE(bench.now - since, 60'020) << "after drop " << drop;
    }
    const std::uint32_t stage = random.below(7);
    if (stage > 0) bench.gadget->link_transport(bench.now, bench.epoch);
    if (stage > 1) bench.open();
    if (stage > 2) bench.challenge(true);
    if (stage > 3) bench.welcome();
    if (stage > 4) bench.gadget->button(bench.now, Button::talk, drop % 2 == 0);
    if (stage > 5) bench.pass(random.below(2'000));
    if (drop % 5 == 0) {
      bench.now += 1'000'000;  // silence instead of a close
      bench.gadget->tick(bench.now);
    } else {
      bench.drop({.close_code = static_cast<std::uint16_t>(1'000 + random.below(14)),
                  .reason = random.below(3) == 0 ? "busy" : ""});
    }
    ASSERT_EQ(bench.gadget->session().phase(), Phase::pausing);
    bench.sent.clear();
    bench.frames.clear();
    bench.facts.clear();
  }
  bench.now = bench.gadget->pause_ends();
  bench.gadget->tick(bench.now);
  bench.go_online(true);
  EXPECT_EQ(bench.state, screen::State::ready);
}

}  // namespace
}  // namespace gadget::device::model
