// runtime.cpp - what the C++ library would otherwise bring along: its ways to report a broken
// promise end in halt() here, so that neither exceptions nor a heap are linked (50 KB of them).
//
// None of these is ever called by the core. The linked image is checked for it: scripts/size.
#include <cstddef>

#include "ports/template/startup.hpp"

using gadget::ports::port_template::halt;

namespace std {
// substr() and at() beyond the end.
[[noreturn]] void __throw_out_of_range_fmt(const char*, ...) { halt(); }
[[noreturn]] void __throw_out_of_range(const char*) { halt(); }
[[noreturn]] void __throw_length_error(const char*) { halt(); }
[[noreturn]] void __throw_logic_error(const char*) { halt(); }
[[noreturn]] void __throw_bad_optional_access() { halt(); }
[[noreturn]] void __throw_bad_variant_access(const char*) { halt(); }
[[noreturn]] void terminate() noexcept { halt(); }
}  // namespace std

extern "C" {
// A virtual call on an object that is being built.
[[noreturn]] void __cxa_pure_virtual() { halt(); }
// Destructors of static objects: a device never ends.
int __aeabi_atexit(void*, void (*)(void*), void*) { return 0; }
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
void* __dso_handle = nullptr;
[[noreturn]] void abort() { halt(); }
}
