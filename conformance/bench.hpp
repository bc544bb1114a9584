// bench.hpp - the implementation under test, as the runner starts it, reaches it and acts on it.
//
// One bench is one kind of implementation: our hub (hub_bench.hpp), a hub that runs somewhere
// (url_bench), our device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::conformance {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  std::string path = "/gadget";
};

class Bench {
 public:
  virtual ~Bench() = default;
  // `needs CAP`: false skips the scenario.
  [[nodiscard]] virtual bool has(std::string_view capability) const = 0;
  // Where to connect; starts the implementation if it does not run yet.
  [[nodiscard]] virtual Result<Endpoint> endpoint() = 0;
  // `! WORDS..`. Errors: invalid_argument for an unknown hook (the scenario ends with 2), others
  // fail the scenario.
  virtual Result<void> act(const std::vector<std::string>& words) = 0;
  // Where the runner listens, when it plays the hub and a device is under test.
  virtual void listens_at(std::uint16_t port) { (void)port; }
  // What it printed, for a failure's report.
  [[nodiscard]] virtual std::string log_tail() const = 0;
};

}  // namespace gadget::conformance
