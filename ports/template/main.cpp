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
  // PORT: what the device is called and where your hub is, while nothing is set on the console.
  static const port::PortConfig config{
      .name = "", .token = "", .hub = "ws://hub.local:8765/gadget"};
  static port::Port device{board, config, memory};
  device.start();
  for (;;) {
    device.step();
    // Sleeps until the next interrupt: SysTick comes every millisecond, so no step is late.
    port::wait_for_interrupt();
  }
}
