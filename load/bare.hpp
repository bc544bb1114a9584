// bare.hpp - what the hub is compared with: a WebSocket server of Boost.Beast that does nothing
// with what it reads. Runs in a process of its own, on the hub's core, in the same run.
#pragma once

namespace gadget::load {

// Prints `ready ws://127.0.0.1:PORT/` and serves until SIGTERM ends the process.
int run_bare_server();

}  // namespace gadget::load
