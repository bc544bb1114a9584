#include "hub/firmware/update_phase.hpp"

#include <map>

#include <gtest/gtest.h>

#include "hub/firmware/fleet.hpp"

namespace gadget::hub {
namespace {

using P = UpdatePhase;
using E = UpdateEvent;

// Every (phase, event) pair: those that are here lead there, all others lead nowhere.
TEST(UpdatePhases, O1_TheWholeTable) {
  std::map<std::pair<P, E>, P> table{
      {{P::waiting, E::offer}, P::offered},
      {{P::waiting, E::refused}, P::refused},
      {{P::waiting, E::given_up}, P::failed},
      {{P::waiting, E::cancel}, P::cancelled},
      {{P::waiting, E::reports_offered}, P::installed},
      {{P::offered, E::ready}, P::begun},
      {{P::begun, E::taken}, P::sending},
      {{P::sending, E::all_written}, P::ended},
      {{P::ended, E::done}, P::restarting},
      {{P::restarting, E::silent}, P::unknown},
  };
  for (const P during : {P::offered, P::begun, P::sending, P::ended}) {
    table[{during, E::broken_off}] = P::waiting;
    table[{during, E::given_up}] = P::failed;
    table[{during, E::refused}] = P::refused;
    table[{during, E::cancel}] = P::cancelled;
  }
  for (const P after : {P::restarting, P::unknown}) {
    table[{after, E::reports_offered}] = P::installed;
    table[{after, E::reports_previous}] = P::rolled_back;
    table[{after, E::reports_other}] = P::mismatched;
  }
  for (std::size_t p = 0; p < kUpdatePhases; ++p) {
    for (std::size_t e = 0; e < kUpdateEvents; ++e) {
      const auto phase = static_cast<P>(p);
      const auto event = static_cast<E>(e);
      const auto known = table.find({phase, event});
      const auto expected = known == table.end() ? std::nullopt : std::optional(known->second);
      EXPECT_EQ(next(phase, event), expected) << name(phase) << " " << e;
    }
  }
}

TEST(UpdatePhases, NamesAreStableAndComeBack) {
  for (std::size_t p = 0; p < kUpdatePhases; ++p) {
    const auto phase = static_cast<P>(p);
    EXPECT_EQ(update_phase(name(phase)), phase);
  }
  EXPECT_FALSE(update_phase("installing"));
}

// What is over stays over, whatever comes: never a loop (B-51).
TEST(UpdatePhases, B51_AnEndIsAnEnd) {
  for (std::size_t p = 0; p < kUpdatePhases; ++p) {
    const auto phase = static_cast<P>(p);
    if (is_open(phase)) continue;
    EXPECT_TRUE(is_told(phase));
    for (std::size_t e = 0; e < kUpdateEvents; ++e) {
      EXPECT_FALSE(next(phase, static_cast<E>(e))) << name(phase);
    }
  }
}

TEST(FleetStages, E43_TheWholeTable) {
  using S = FleetStage;
  using F = FleetEvent;
  for (const S over : {S::finished, S::halted, S::cancelled}) {
    for (const F event : {F::installed, F::failed, F::went_back, F::cancelled}) {
      EXPECT_EQ(next(over, event, 9, 1), over);
    }
  }
  for (const S stage : {S::canary, S::rolling}) {
    EXPECT_EQ(next(stage, F::installed, 0, 1), S::rolling);
    EXPECT_EQ(next(stage, F::cancelled, 0, 1), stage);
    EXPECT_EQ(next(stage, F::failed, 1, 2), stage);
    EXPECT_EQ(next(stage, F::failed, 2, 2), S::halted);
  }
  EXPECT_EQ(next(S::canary, F::went_back, 1, 5), S::halted);
  EXPECT_EQ(next(S::rolling, F::went_back, 1, 5), S::rolling);
  EXPECT_EQ(next(S::rolling, F::went_back, 5, 5), S::halted);
}

}  // namespace
}  // namespace gadget::hub
