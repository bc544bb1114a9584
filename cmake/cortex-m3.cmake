set(GADGET_CPU cortex-m3)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
