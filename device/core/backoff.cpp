#include "device/core/backoff.hpp"

#include <iterator>

namespace gadget::device {
namespace {

// `span` times a random number of [0, 1).
Millis part(Millis span, std::uint32_t random) {
  return static_cast<Millis>((static_cast<std::uint64_t>(span) * random) >> 32U);
}

}  // namespace

Millis Backoff::next(std::uint32_t random) {
  const Millis step = kBackoffS[step_] * 1'000;
  if (step_ + 1 < std::size(kBackoffS)) ++step_;
  return step / 2 + part(step / 2, random);
}

Millis Backoff::refused(std::uint32_t random) {
  return kRefusedPauseMinMs + part(kRefusedPauseMaxMs - kRefusedPauseMinMs, random);
}

}  // namespace gadget::device
