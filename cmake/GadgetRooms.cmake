# gadget_room() and gadget_test(): a room is a library whose headers can be seen only by those that name it.
#
# Every room's folder is linked into an include root of its own (build/rooms/ROOM/ROOM), and a target sees the
# roots of the rooms that it depends on, no other. So an #include that breaks the rules of the house does not compile.

find_program(GADGET_CCACHE ccache)
if(GADGET_CCACHE AND NOT CMAKE_CXX_FLAGS MATCHES "callgraph-info")  # ccache does not keep that file
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GADGET_CCACHE})
endif()
if(NOT GADGET_BARE_METAL)
  find_program(GADGET_MOLD mold)
  if(GADGET_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
  find_package(Threads REQUIRED)
endif()

# With the build, so that only what changed is looked at again. Tests are not linted: GoogleTest's macros are.
if(GADGET_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy-14 --quiet)
endif()

add_library(gadget_warnings INTERFACE)
target_compile_options(gadget_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Known false positives of GCC 12's optimizer passes (GCC bugs 105329, 105562, 105651).
  target_compile_options(gadget_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized
    -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread
    -Wno-mismatched-new-delete)
endif()

if(GADGET_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(GADGET_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio's fences; its mutexes, which are seen, come on top of them
  endif()
  add_link_options(-fsanitize=thread)
endif()
if(GADGET_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
    -fno-sanitize=function,vptr)  # clang 14's runtime lacks what "function" calls; the core has no RTTI for "vptr"
  add_link_options(-fsanitize=address,undefined)
endif()
if(GADGET_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# gadget_room(NAME [FOLDER dir] [UBSAN] [CORE] SOURCES ... [DEPS ...] [PRIVATE_DEPS ...])
#   UBSAN  also checked for undefined behaviour in the asan preset (UBSan triples the compile time of Beast)
#   CORE   no exceptions and no RTTI: code that runs on a microcontroller
function(gadget_room name)
  cmake_parse_arguments(arg "UBSAN;CORE" "FOLDER" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  set(root ${CMAKE_BINARY_DIR}/rooms/${name})
  get_filename_component(parent ${root}/${arg_FOLDER} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${arg_FOLDER} ${root}/${arg_FOLDER} SYMBOLIC)
  add_library(gadget_${name} STATIC ${arg_SOURCES})
  target_include_directories(gadget_${name} PUBLIC ${root})
  target_link_libraries(gadget_${name} PUBLIC ${arg_DEPS} PRIVATE gadget_warnings ${arg_PRIVATE_DEPS})
  if(arg_UBSAN AND GADGET_SANITIZE STREQUAL "address")
    target_compile_options(gadget_${name} PRIVATE
      -fsanitize=undefined -fno-sanitize-recover=undefined)
  endif()
  if(arg_CORE)
    target_compile_options(gadget_${name} PRIVATE -fno-exceptions -fno-rtti)
    if(GADGET_TIDY)  # the path-sensitive checks take five times as long: for code that meets hostile bytes on a board
      set_target_properties(gadget_${name} PROPERTIES
        CXX_CLANG_TIDY "clang-tidy-14;--quiet;--checks=clang-analyzer-*,-clang-analyzer-optin.performance.Padding")
    endif()
  endif()
endfunction()

# What make check builds for ThreadSanitizer: the tests that are labelled `threads`.
add_custom_target(threads_tests)

# gadget_test(NAME SOURCES ... [DEPS ...] [LABELS ...] [TIMEOUT s]): one program, one entry of ctest.
# Labels that the tiers know: slow (make check), engines (real speech engines), threads (make tsan).
function(gadget_test name)
  if(NOT GADGET_TESTS OR GADGET_BARE_METAL)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(GADGET_SANITIZE STREQUAL "thread")
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")  # sound is worked on forty times slower
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} gadget_warnings GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE GADGET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "")
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(threads_tests ${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
