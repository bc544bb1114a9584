// transitions.hpp - a state machine's next() as a table: a byte for each event in each phase.
// Private to the .cpp files of the core.
//
//   constexpr Transitions<Phase, Event, Phase::last, Event::last> kTransitions;
//   if (kTransitions.take(phase_, event)) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gadget::device {

template <class Phase, class Event, Phase kLastPhase, Event kLastEvent>
class Transitions {
 public:
  constexpr Transitions() {
    for (std::size_t event = 0; event < kEvents; ++event) {
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        const std::optional<Phase> to = next(static_cast<Phase>(phase), static_cast<Event>(event));
        to_[event * kPhases + phase] = to ? static_cast<std::uint8_t>(*to) : kNone;
      }
    }
  }

  // False: the event means nothing in that phase, which stays.
  bool take(Phase& phase, Event event) const {
    const std::uint8_t to =
        to_[static_cast<std::size_t>(event) * kPhases + static_cast<std::size_t>(phase)];
    if (to == kNone) return false;
    phase = static_cast<Phase>(to);
    return true;
  }

 private:
  static constexpr std::size_t kPhases = static_cast<std::size_t>(kLastPhase) + 1;
  static constexpr std::size_t kEvents = static_cast<std::size_t>(kLastEvent) + 1;
  static constexpr std::uint8_t kNone = 0xFF;

  std::array<std::uint8_t, kPhases * kEvents> to_{};
};

}  // namespace gadget::device
