#include "device/core/backoff.hpp"

#include <iterator>

namespace gadget::device {
namespace {

// `span` times a random number of [0, 1).
Ticks part(Ticks span, std::uint32_t random) {
  return static_cast<Ticks>((std::uint64_t{span} * random) >> 32U);
}

}  // namespace

Ticks Backoff::next(std::uint32_t random) {
  const Ticks step = Ticks{kBackoffS[step_]} * 1'000;
  if (step_ + 1 < std::size(kBackoffS)) ++step_;
  return step / 2 + part(step / 2, random);
}

Ticks Backoff::refused(std::uint32_t random) {
  return kRefusedPauseMinMs + part(kRefusedPauseMaxMs - kRefusedPauseMinMs, random);
}

}  // namespace gadget::device
