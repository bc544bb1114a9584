// O1-O9, E38: the life of an update and of new firmware, every pair of state and event.
#include "device/update/update_phase.hpp"

#include <gtest/gtest.h>

namespace gadget::device {
namespace {

using enum UpdatePhase;
using Answer = UpdateAnswer;

// One row an event, one column a phase: idle offered receiving verifying installed leaving.
// "." nothing happens; a phase's letter (I O R V D L), then the answer.
TEST(UpdatePhase, E38_EveryPhaseAndEvent) {
  const char* const table[kUpdateEvents][kUpdatePhases] = {
      {"O ready", "O ready", "O ready", "O ready", ".", "."},                  // offer
      {"I bad_offer", "I bad_offer", "I bad_offer", "I bad_offer", ".", "."},  // bad_offer
      {"I too_large", "I too_large", "I too_large", "I too_large", ".", "."},  // too_large
      {"I no_offer", "R ", "I no_offer", "I no_offer", ".", "."},              // begin
      {"I no_offer", "I unauthorized", "I no_offer", "I no_offer", ".", "."},  // bad_mac
      {".", ".", ".", ".", ".", "."},                                          // bytes
      {".", ".", "I sequence", "I sequence", ".", "."},                        // gap
      {".", ".", "I size", "I size", ".", "."},                                // overrun
      {"I no_update", "I no_update", "V ", ".", ".", "."},                     // end
      {"I no_update", "I no_update", "I size", ".", ".", "."},                 // short_end
      {".", ".", "I flash", "I flash", ".", "."},                              // flash
      {".", ".", ".", "I checksum", ".", "."},                                 // wrong_sum
      {".", ".", ".", "I invalid", ".", "."},                                  // wrong_image
      {".", ".", ".", "D done", ".", "."},                                     // verified
      {"I ", "I ", "I ", "I ", ".", "."},                                      // abort
      {"I ", "I ", "I ", "I ", ".", "."},                                      // lost
      {".", "I timeout", "I timeout", ".", ".", "."},                          // timeout
      {"L ", "L ", "L ", "L ", "L ", "L "},                                    // restart
  };
  const std::string_view letters = "IORVDL";
  const auto word = [](Answer answer) -> std::string_view {
    switch (answer) {
      case Answer::none: return "";
      case Answer::ready: return "ready";
      case Answer::ack: return "ack";
      case Answer::done: return "done";
      default: return code(answer);
    }
  };
  for (std::size_t e = 0; e < kUpdateEvents; ++e) {
    for (std::size_t p = 0; p < kUpdatePhases; ++p) {
      const auto phase = static_cast<UpdatePhase>(p);
      const UpdateStep step = next(phase, static_cast<UpdateEvent>(e));
      const std::string_view expected = table[e][p];
      if (expected == ".") {
        EXPECT_EQ(step, (UpdateStep{phase, Answer::none})) << "event " << e << " phase " << p;
        continue;
      }
      EXPECT_EQ(letters[static_cast<std::size_t>(step.to)], expected[0])
          << "event " << e << " phase " << p;
      EXPECT_EQ(word(step.answer), expected.substr(2)) << "event " << e << " phase " << p;
    }
  }
}

TEST(UpdatePhase, E38_EveryErrorLeavesNeitherOfferNorUpdate) {
  for (std::size_t e = 0; e < kUpdateEvents; ++e) {
    for (std::size_t p = 0; p < kUpdatePhases; ++p) {
      const UpdateStep step = next(static_cast<UpdatePhase>(p), static_cast<UpdateEvent>(e));
      if (!std::string_view{code(step.answer)}.empty()) {
        EXPECT_EQ(step.to, idle) << e << " " << p;
        EXPECT_FALSE(std::string_view{sentence(step.answer)}.empty());
      }
    }
  }
}

TEST(Probation, O9_EveryStateAndEvent) {
  using enum Probation;
  const Probation table[kProbations][kProbationEvents] = {
      // boot, welcome, confirmed, expired
      {waiting, none, none, none},
      {waiting, proven, waiting, failed},
      {waiting, proven, none, proven},
      {waiting, failed, failed, failed},
  };
  for (std::size_t s = 0; s < kProbations; ++s) {
    for (std::size_t e = 0; e < kProbationEvents; ++e) {
      EXPECT_EQ(next(static_cast<Probation>(s), static_cast<ProbationEvent>(e)), table[s][e])
          << s << " " << e;
    }
  }
}

}  // namespace
}  // namespace gadget::device
