// What the tests of turns share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hub/core/bench.hpp"

namespace gadget::hub::bench {

using Types = std::vector<std::string>;
using AgentKind = Bench::AgentKind;

inline void text(Device& device, std::string_view words) {
  device.send(R"({"type":"text","text":")" + std::string(words) + R"("})");
}

inline void answer(ScriptedAgent::Turn& turn, std::string words) {
  turn.sink->final(std::move(words));
  turn.sink->end(TurnOutcome::success, {});
}

// Exactly one turn.end for each turn.start on this connection (R6); `open` may still run.
inline void expect_balanced(const Device& device, std::size_t open = 0) {
  std::map<std::string, int> balance;
  std::size_t starts = 0;
  std::size_t ends = 0;
  for (const Written& one : device.got()) {
    if (one.type == "turn.start") {
      EXPECT_EQ(balance[one.get("turn")]++, 0);
      ++starts;
    }
    if (one.type == "turn.end") {
      EXPECT_EQ(balance[one.get("turn")]--, 1);
      ++ends;
    }
  }
  EXPECT_EQ(starts, ends + open);
}

// No frame of a stream after its audio.end or audio.abort; frames numbered without a gap; one
// stream at a time; every frame within A4.
inline void expect_clean_audio(const Device& device) {
  std::map<std::uint8_t, int> next;  // -1: closed
  int open = -1;
  for (const Written& one : device.got()) {
    if (one.type == "audio.start") {
      EXPECT_EQ(open, -1) << "a second stream began within the first";
      open = std::stoi(one.get("stream"));
      next[static_cast<std::uint8_t>(open)] = 0;
    }
    if (one.type == "audio.end" || one.type == "audio.abort") {
      EXPECT_EQ(std::to_string(open), one.get("stream"));
      open = -1;
    }
    if (one.type != "frame") continue;
    EXPECT_EQ(static_cast<int>(one.stream), open);
    EXPECT_EQ(static_cast<int>(one.sequence), next[one.stream]++);
  }
}

}  // namespace gadget::hub::bench
