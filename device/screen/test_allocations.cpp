#include "device/screen/test_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> count{0};
}  // namespace

// In a file of their own: where the compiler sees both bodies it takes new and free for a mismatch.
void* operator new(std::size_t size) {
  ++count;
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace gadget::device::screen::test {

std::size_t allocations() { return count; }

}  // namespace gadget::device::screen::test
