// metrics.hpp - the hub in numbers, as Prometheus reads them (text format 0.0.4), and the page on
// which they stand.
//
// Values are passed in, once a request; nothing is kept. On the loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hub/core/counters.hpp"
#include "wire/http.hpp"

namespace gadget::hub {

// Of a loop that has devices' sockets.
struct LoopGauges {
  std::size_t connections = 0;
  std::int64_t delay_ms = 0;  // how late its last sweep was
};

// What only the shell knows.
struct Gauges {
  std::string version;
  std::int64_t enrolled = 0;        // devices in the store; -1: it cannot be read
  std::size_t online = 0;           // authenticated connections
  std::size_t unauthenticated = 0;  // sockets that have not shown their key yet
  std::size_t pending = 0;          // devices that wait for the owner's approval
  std::size_t waiting_bytes = 0;    // in all, for sockets that are slow
  std::int64_t loop_delay_ms = 0;   // how late the hub's loop's last sweep was
  bool stopping = false;
  std::vector<LoopGauges> loops;
};

[[nodiscard]] std::string render_metrics(const Counters& counters, const Gauges& gauges);

// The answer to a request on the port of `metrics_listen`: /metrics and /healthz. A name in Host
// that is none of `hosts` gets 421: no web page reads this by DNS rebinding (E9).
[[nodiscard]] wire::HttpResponse metrics_page(const wire::HttpRequest& request,
                                              const std::vector<std::string>& hosts,
                                              const Counters& counters, const Gauges& gauges);

}  // namespace gadget::hub
