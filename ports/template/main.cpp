// main.cpp - the program of a bare-metal port: everything is static, and the loop.
#include "ports/template/my_board.hpp"
#include "ports/template/port.hpp"
#include "ports/template/startup.hpp"

namespace port = gadget::ports::port_template;

// After reset (startup.cpp). With an SDK: call it from your main() or from a task of your RTOS.
extern "C" [[noreturn]] void gadget_main() {
  port::start_systick();
  static port::MyBoard board;
  static port::PortMemory memory;
  // PORT: where your hub is, and what the device is called. Boards with a console or settings pages
  // read these from the store.
  static port::Port device{
      board,
      {.name = "", .token = "", .hub = {.host = "hub.local", .authority = "hub.local:8765"}},
      memory};
  device.start();
  for (;;) {
    device.step();
    // Sleeps until the next interrupt: SysTick comes every millisecond, so no step is late.
    port::wait_for_interrupt();
  }
}
