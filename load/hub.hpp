// hub.hpp - the hub under test: this same program, started as a user starts it, on a core of its
// own and a state folder of its own, with devices already enrolled. Ends with the object.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "conformance/child.hpp"
#include "load/client.hpp"

namespace gadget::load {

// Which cores the hub and we run on. With one core only both share it, which is said.
struct Cores {
  int hub = 0;
  int load = 0;
  [[nodiscard]] bool apart() const { return hub != load; }
};
// The last two of those that this process may use. Pins the calling thread to `load`.
[[nodiscard]] Cores take_cores();

// The soft limit of open files becomes what `sockets` need. Errors: unavailable, with what to do.
[[nodiscard]] Result<void> allow_sockets(std::size_t sockets);

struct Memory {
  std::int64_t rss_kb = 0;
  std::int64_t pss_kb = 0;
};
[[nodiscard]] Memory memory_of(pid_t pid);       // 0 when it cannot be read
[[nodiscard]] double cpu_seconds_of(pid_t pid);  // user and system

// Ctrl-C and SIGTERM end the processes that run beside us, too. Their folders stay.
void end_processes_with_us();

// A process beside us on the hub's core.
class Process {
 public:
  // Waits until it says `ready ws://...:PORT/...`.
  [[nodiscard]] static Result<std::unique_ptr<Process>> start(
      const std::vector<std::string>& arguments, const std::filesystem::path& log,
      const Cores& cores);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  [[nodiscard]] Memory memory() const { return memory_of(pid()); }
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_of(pid()); }
  [[nodiscard]] bool alive() const;

 private:
  explicit Process(conformance::Child child);

 public:
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

 private:
  conformance::Child child_;
  std::uint16_t port_ = 0;
};

struct HubSetup {
  std::string program;       // hermes-gadget
  std::size_t enrolled = 1;  // devices 0 to enrolled - 1 of key_of(), approved
  bool tls = false;
  double spoken_seconds = 0;          // above 0: every sentence is a recording so long, at 24 kHz
  std::vector<std::string> settings;  // KEY=VALUE
};

class HubUnderTest {
 public:
  [[nodiscard]] static Result<std::unique_ptr<HubUnderTest>> start(const HubSetup& setup,
                                                                   const Cores& cores);
  ~HubUnderTest();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] Process& process() { return *process_; }
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }
  // Runs an owner's command beside it, on our core, and waits: its exit code.
  int owner(std::vector<std::string> arguments);
  // How many lines of its log begin as errors; and the first of them.
  [[nodiscard]] std::vector<std::string> errors() const;

 private:
  HubUnderTest() = default;
  std::string program_;
  std::filesystem::path folder_, state_;
  std::unique_ptr<ClientTls> tls_;
  std::unique_ptr<Process> process_;
  Endpoint endpoint_;
};

}  // namespace gadget::load
