// notify.hpp - tells systemd how the daemon is (sd_notify's datagram, without its library).
#pragma once

#include <string_view>

namespace gadget::hub {

// Sends `state` ("READY=1", "STOPPING=1") to $NOTIFY_SOCKET; without one, or when nobody listens,
// nothing happens. Any thread.
void notify_supervisor(std::string_view state);

// Whether the supervisor ends us when "WATCHDOG=1" does not come in time ($WATCHDOG_USEC).
[[nodiscard]] bool supervisor_watches();

}  // namespace gadget::hub
