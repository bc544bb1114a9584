#include "hub/server/process.hpp"

#include <algorithm>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace gadget::hub {
namespace {

// A device more than a process may usually have files costs nobody: as many as the system allows.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Linux grows a process's table of files when it is full, and with several threads waits 10 to 30
// ms for all processors (RCU) each time; all devices would wait with it. A file with a high number
// makes the table as large as it gets, 8 bytes a file; it never shrinks.
void grow_file_table() {
  constexpr rlim_t kMostFiles = 65'536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto last = static_cast<int>(std::min(limit.rlim_cur, kMostFiles)) - 1;
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int high = ::fcntl(file, F_DUPFD_CLOEXEC, last);
  if (high >= 0) ::close(high);
  if (file >= 0) ::close(file);
}

// What is large, such as a second of speech, is a mapping of its own and goes back to the system
// when it is freed. On the heap it would lie between what stays, and a peak would be held for good.
void give_back_large_buffers() {
#ifdef __GLIBC__
  constexpr int kLargeBytes = 32'000;
  constexpr int kMostMappings = 32'768;  // of the 65,530 that a process may have; then the heap
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  ::mallopt(M_MMAP_MAX, kMostMappings);
#endif
}

}  // namespace

void set_up_process() {
  raise_file_limit();
  grow_file_table();
  give_back_large_buffers();
}

}  // namespace gadget::hub
