# Cross build of protocol/, device/ and ports/template for a Cortex-M with newlib: no OS, no exceptions, no RTTI.
# Included by cortex-m3.cmake and cortex-m4.cmake, which set GADGET_CPU and GADGET_CALLGRAPH.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# -fno-threadsafe-statics: one thread; the guards would bring exceptions and a heap along.
# max-inline-insns-size: inline functions a little larger than their call too, above all those of string_view, whose
# length is then a constant; it makes everything smaller.
# max-jump-thread-duplication-stmts: no block is copied to spare a jump, which happens at -Os too.
# lifetime-dse=1: an object's constructor may build on what a base of it stored before (device/core/cleared.hpp).
# -flto: the rooms are optimised as one program, 7 % less code. ports/template is not part of it, as an SDK would not be.
# lto-partitions: in two pieces at most, not in as many as it likes; found by trying, see docs/numbers.md.
set(CMAKE_CXX_FLAGS_INIT "-mcpu=${GADGET_CPU} -mthumb -fno-exceptions -fno-rtti -fno-threadsafe-statics \
-ffunction-sections -fdata-sections -flifetime-dse=1 --param max-inline-insns-size=2 \
--param max-jump-thread-duplication-stmts=1 -flto=auto --param lto-partitions=2 ${GADGET_CALLGRAPH}")
set(CMAKE_CXX_FLAGS_MINSIZEREL_INIT "-Os -DNDEBUG")
# tl::expected is a header; a folder that holds only it keeps the host's headers out of the cross build.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/cross-include)
file(CREATE_LINK /usr/include/tl ${CMAKE_BINARY_DIR}/cross-include/tl SYMBOLIC)
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/cross-include)
