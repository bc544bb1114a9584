// main.cpp - the program of a bare-metal port: everything is static, and the loop.
#include "ports/template/my_board.hpp"
#include "ports/template/port.hpp"
#include "ports/template/startup.hpp"

namespace port = gadget::ports::port_template;

// After reset (startup.cpp). With an SDK: call it from your main() or from a task of your RTOS.
extern "C" [[noreturn]] void gadget_main() {
  // PORT: with a clock of your own (MyBoard::ticks_ms) start that; then let a timer end the wait
  // below at least every 10 ms, or leave the wait out.
  port::start_systick();
  static port::MyBoard board;
  static port::PortMemory memory;
  // PORT: what the device is called and where your hub is, while nothing is set on the console;
  // `.actions`: what it can do for the agent.
  static const port::PortConfig config{
      .name = "", .token = "", .hub = "ws://hub.local:8765/gadget"};
  static port::Port device{board, config, memory};
  device.start();
  for (;;) {
    device.step();
    // PORT: sensors, when there is a new reading: as often as you like, changes are told every 2 s.
    //   device.gadget().sensor(device.now(), "temperature_c", "23.5");
    // Sleeps until the next interrupt: SysTick comes every millisecond, so no step is late.
    port::wait_for_interrupt();
  }
}
