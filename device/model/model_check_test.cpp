// A million random sequences of events find nothing (GADGET_SEQUENCES=1000000; a few thousand in
// everyday tests). A sequence that fails is printed with its seed, made as short as it gets, and
// can be run again: GADGET_SEED=n runs that one alone.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "device/model/world.hpp"

namespace gadget::device::model {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Where a failing sequence is left, for `fuzz_gadget FILE` and a debugger.
void keep(const Sequence& sequence) {
  const auto bytes = to_bytes(sequence);
  std::ofstream out("failing.steps", std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

TEST(ModelCheck, B28_RandomSequencesFindNothing) {
  const std::uint64_t only = setting("GADGET_SEED", 0);
  const std::uint64_t from = only != 0 ? only : setting("GADGET_FIRST_SEED", 1);
  const std::uint64_t count = only != 0 ? 1 : setting("GADGET_SEQUENCES", 3'000);
  std::uint64_t steps = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t seed = from; seed < from + count; ++seed) {
    const auto sequence = draw(seed);
    steps += sequence.steps.size();
    const auto fault = run(sequence);
    if (!fault) continue;
    const auto shorter = shrink(sequence);
    const auto again = run(shorter);
    keep(shorter);
    FAIL() << "seed " << seed << ": " << fault->what << "\nshorter, at step "
           << (again ? again->step : 0) << ": " << (again ? again->what : "") << "\n"
           << describe(shorter);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  RecordProperty("steps", std::to_string(steps));
  std::printf("%llu sequences, %llu steps, %.1f s\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(steps), took.count());
}

TEST(ModelCheck, BytesAndStepsAreTheSame) {
  const auto sequence = draw(7);
  const auto again = from_bytes(to_bytes(sequence));
  EXPECT_EQ(describe(again), describe(sequence));
}

}  // namespace
}  // namespace gadget::device::model
