// heap_watch.hpp - counts what is taken from the heap while a watch is on: the device core must
// take nothing (design: no heap after begin()). `sim --heap-check`.
//
// malloc and its kin are interposed in the programs that link this file; operator new goes through
// malloc. Off, it costs one thread-local test a call. Not available under sanitizers, which
// interpose the same functions, and outside glibc. A watch counts on its own thread only.
#pragma once

#include <cstdint>

namespace gadget::ports::desktop::heap {

// Whether this build can count.
[[nodiscard]] bool available();
// Allocations of this thread under a watch, so far.
[[nodiscard]] std::uint64_t count();

// Counts from construction to destruction. They nest: within a pause another watch counts again.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  bool before_;
};

// Does not count: for what the core asks of the port within a watched call.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool before_;
};

}  // namespace gadget::ports::desktop::heap
