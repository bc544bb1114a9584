// process.hpp - what the daemon asks of the system for its whole process. Private to hub/server.
#pragma once

namespace gadget::hub {

// Once, before there is a second thread: as many files as the system allows, a table of them that
// need not grow while devices are served, and large buffers that go back when they are freed.
// What the system refuses stays as it is.
void set_up_process();

}  // namespace gadget::hub
