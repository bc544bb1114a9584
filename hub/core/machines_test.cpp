// Every (state, event) pair of every state machine of the heart: what is not listed here has no
// place.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "hub/connection/connection.hpp"
#include "hub/core/scheduler.hpp"
#include "hub/turn/speech.hpp"
#include "hub/turn/turn.hpp"

namespace gadget::hub {
namespace {

template <class State, class Event>
using Table = std::map<std::pair<State, Event>, State>;

template <class State, class Event>
void walk(const std::vector<State>& states, const std::vector<Event>& events,
          const Table<State, Event>& table) {
  for (const State state : states) {
    for (const Event event : events) {
      const auto expected = table.find({state, event});
      const auto got = next(state, event);
      SCOPED_TRACE(static_cast<int>(state) * 100 + static_cast<int>(event));
      EXPECT_EQ(got.has_value(), expected != table.end());
      if (got && expected != table.end()) {
        EXPECT_EQ(*got, expected->second);
      }
    }
  }
}

TEST(Machines, H_ConnectionPhases) {
  using enum Phase;
  using E = PhaseEvent;
  walk<Phase, E>({hello, auth, online, closing}, {E::hello_taken, E::auth_taken, E::closed},
                 {{{hello, E::hello_taken}, auth},
                  {{auth, E::auth_taken}, online},
                  {{hello, E::closed}, closing},
                  {{auth, E::closed}, closing},
                  {{online, E::closed}, closing}});
}

TEST(Machines, A_SpeechPhases) {
  using enum SpeechPhase;
  using E = SpeechEvent;
  walk<SpeechPhase, E>({quiet, playing, ended, silenced}, {E::opened, E::drained, E::silenced},
                       {{{quiet, E::opened}, playing},
                        {{quiet, E::drained}, ended},
                        {{quiet, E::silenced}, silenced},
                        {{playing, E::drained}, ended},
                        {{playing, E::silenced}, silenced}});
}

TEST(Machines, R_TurnPhases) {
  using enum TurnPhase;
  using E = TurnEvent;
  walk<TurnPhase, E>({recognizing, answering, speaking, kept, ended},
                     {E::understood, E::heard_nothing, E::answered, E::spoken, E::lost, E::found,
                      E::expired, E::cancelled},
                     {{{recognizing, E::understood}, answering},
                      {{recognizing, E::heard_nothing}, ended},
                      {{answering, E::answered}, speaking},
                      {{speaking, E::spoken}, ended},
                      {{speaking, E::lost}, kept},
                      {{kept, E::found}, ended},
                      {{kept, E::expired}, ended},
                      {{recognizing, E::cancelled}, ended},
                      {{answering, E::cancelled}, ended},
                      {{speaking, E::cancelled}, ended},
                      {{kept, E::cancelled}, ended}});
}

TEST(Scheduler, CallsInOrderOnceAndOnlyWhatIsDue) {
  Scheduler scheduler;
  std::vector<int> called;
  Timer first;
  Timer second;
  Timer third;
  second.set(scheduler, 20, [&] { called.push_back(2); });
  first.set(scheduler, 10, [&] { called.push_back(1); });
  third.set(scheduler, 30, [&] { called.push_back(3); });
  EXPECT_EQ(scheduler.next(), 10);
  scheduler.run(20);
  EXPECT_EQ(called, (std::vector<int>{1, 2}));
  EXPECT_FALSE(first.is_set());
  EXPECT_TRUE(third.is_set());
  third.clear();
  scheduler.run(100);
  EXPECT_EQ(called.size(), 2U);
  EXPECT_EQ(scheduler.next(), Scheduler::kNever);
}

TEST(Scheduler, WhatACallSetsForNowIsLeftForTheNextRun) {
  Scheduler scheduler;
  Timer timer;
  int calls = 0;
  const std::function<void()> again = [&] {
    ++calls;
    timer.set(scheduler, 10, again);
  };
  timer.set(scheduler, 10, again);
  scheduler.run(10);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(scheduler.next(), 10);
}

TEST(Scheduler, CallsNoMoreThanItMayAtOnceAndTheOldestFirst) {
  Scheduler scheduler;
  std::vector<int> called;
  std::vector<Timer> timers(5);
  for (int i = 0; i < 5; ++i) {
    timers[static_cast<std::size_t>(i)].set(scheduler, 10 + i, [&, i] { called.push_back(i); });
  }
  scheduler.run(100, 3);
  EXPECT_EQ(called, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(scheduler.next(), 13);
  scheduler.run(100, 3);
  EXPECT_EQ(called, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Scheduler, ATimerThatIsGoneIsNotCalled) {
  Scheduler scheduler;
  auto timer = std::make_unique<Timer>();
  timer->set(scheduler, 10, [] { FAIL(); });
  timer.reset();
  scheduler.run(10);
}

// B-50: 60 days of a 24 h period on a 64 bit clock.
TEST(Scheduler, B50_SixtyDaysOfDays) {
  Scheduler scheduler;
  Timer timer;
  constexpr Scheduler::Millis kDay = 86'400'000;
  std::vector<Scheduler::Millis> fired;
  Scheduler::Millis now = 0;
  const std::function<void()> daily = [&] {
    fired.push_back(now);
    timer.set(scheduler, now + kDay, daily);
  };
  timer.set(scheduler, kDay, daily);
  while (scheduler.next() <= 60 * kDay) {
    now = scheduler.next();
    scheduler.run(now);
  }
  ASSERT_EQ(fired.size(), 60U);
  for (std::size_t i = 0; i < fired.size(); ++i) {
    EXPECT_EQ(fired[i], static_cast<Scheduler::Millis>(i + 1) * kDay);
  }
}

}  // namespace
}  // namespace gadget::hub
