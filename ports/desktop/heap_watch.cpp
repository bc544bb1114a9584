#include "ports/desktop/heap_watch.hpp"

#include <cerrno>
#include <cstdlib>
#include <utility>

#if defined(__has_feature)
#define GADGET_HAS_FEATURE(x) __has_feature(x)
#else
#define GADGET_HAS_FEATURE(x) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !GADGET_HAS_FEATURE(address_sanitizer) && !GADGET_HAS_FEATURE(thread_sanitizer) &&       \
    !GADGET_HAS_FEATURE(memory_sanitizer)
#define GADGET_COUNTS_HEAP 1
#else
#define GADGET_COUNTS_HEAP 0
#endif

namespace gadget::ports::desktop::heap {
namespace {

// initial-exec: reading it allocates nothing, also on a thread that is new.
struct State {
  bool watching = false;
  std::uint64_t count = 0;
};
__attribute__((tls_model("initial-exec"))) thread_local constinit State state;

#if GADGET_COUNTS_HEAP
void note() {
  if (state.watching) ++state.count;
}
#endif

}  // namespace

bool available() { return GADGET_COUNTS_HEAP != 0; }
std::uint64_t count() { return state.count; }

Watch::Watch() : before_(std::exchange(state.watching, true)) {}
Watch::~Watch() { state.watching = before_; }
Pause::Pause() : before_(std::exchange(state.watching, false)) {}
Pause::~Pause() { state.watching = before_; }

}  // namespace gadget::ports::desktop::heap

#if GADGET_COUNTS_HEAP
namespace heap = gadget::ports::desktop::heap;

// glibc's own allocator under its second names; free() stays as it is.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc chose the names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  heap::note();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  heap::note();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  heap::note();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  heap::note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  heap::note();
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const memory = __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
}
#endif
