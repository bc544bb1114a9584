// Events in any order, as bytes: the device core on a board in memory, watched by the model of what
// must hold (device/model). An input is a sequence: a byte for the board, eight for each step.
#include <cstdio>

#include "device/model/world.hpp"

namespace {

constexpr std::size_t kLongest = 1 + 400 * gadget::device::model::kStepBytes;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const auto fault = gadget::device::model::run(gadget::device::model::from_bytes({data, size}));
  if (fault) {
    std::fprintf(stderr, "step %zu: %s\n", fault->step, fault->what.c_str());
    __builtin_trap();
  }
  return 0;
}
