# Cross build of protocol/ and device/ for a Cortex-M4 with newlib: no OS, no exceptions, no RTTI.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CXX_FLAGS_INIT
  "-mcpu=cortex-m4 -mthumb -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_MINSIZEREL_INIT "-Os -DNDEBUG")
# tl::expected is a header; a folder that holds only it keeps the host's headers out of the cross build.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/cross-include)
file(CREATE_LINK /usr/include/tl ${CMAKE_BINARY_DIR}/cross-include/tl SYMBOLIC)
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/cross-include)
