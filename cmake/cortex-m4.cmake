set(GADGET_CPU cortex-m4)
# For each object the stack of every function and whom it calls (scripts/stack_depth.py).
set(GADGET_CALLGRAPH -fcallgraph-info=su)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
