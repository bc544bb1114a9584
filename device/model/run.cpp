// Runs sequences, and makes one that fails shorter.
#include "device/model/world.hpp"

namespace gadget::device::model {

std::optional<Fault> run(const Sequence& sequence) {
  World world{sequence.profile};
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    if (!world.apply(sequence.steps[i])) return Fault{world.fault(), i};
  }
  if (!world.recover()) return Fault{world.fault(), sequence.steps.size()};
  return std::nullopt;
}

Sequence shrink(Sequence sequence) {
  const auto fails = [](const Sequence& one) { return run(one).has_value(); };
  for (std::size_t part = sequence.steps.size(); part >= 1; part /= 2) {
    for (std::size_t at = 0; at < sequence.steps.size();) {
      Sequence shorter = sequence;
      const auto from = shorter.steps.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = std::min(part, shorter.steps.size() - at);
      shorter.steps.erase(from, from + static_cast<std::ptrdiff_t>(count));
      if (fails(shorter)) {
        sequence = std::move(shorter);
      } else {
        at += part;
      }
    }
  }
  return sequence;
}

}  // namespace gadget::device::model
