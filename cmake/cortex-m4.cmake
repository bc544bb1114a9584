set(GADGET_CPU cortex-m4)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
