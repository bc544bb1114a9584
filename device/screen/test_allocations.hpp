// test_allocations.hpp - for tests: how often this program has taken memory from the heap with new.
#pragma once

#include <cstddef>

namespace gadget::device::screen::test {

[[nodiscard]] std::size_t allocations();

}  // namespace gadget::device::screen::test
