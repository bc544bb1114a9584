// scenario.hpp - the measurements of `hermes-gadget bench`, and what they share.
//
// Each starts a hub of its own on one core and loads it from another. All methods block; one
// thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "load/device.hpp"
#include "load/hub.hpp"
#include "load/report.hpp"

namespace gadget::load {

inline constexpr Micros kSecond = 1'000'000;
inline constexpr Micros kMilli = 1'000;

struct BenchOptions {
  std::string program;      // hermes-gadget, to start hubs with
  std::size_t devices = 0;  // 0: as many as the goal names
  double seconds = 0;       // 0: as the scenario likes; of each of its parts
  std::size_t enrolled = 100'000;
  Cores cores;
};

struct Scenario {
  std::string_view name, about;
  Result<Report> (*run)(const BenchOptions& options);
  bool in_all = true;
};
[[nodiscard]] std::span<const Scenario> scenarios();

Result<Report> run_idle(const BenchOptions& options);
Result<Report> run_handshakes(const BenchOptions& options);
Result<Report> run_reconnect(const BenchOptions& options);
Result<Report> run_uplink(const BenchOptions& options);
Result<Report> run_downlink(const BenchOptions& options);
Result<Report> run_turns(const BenchOptions& options);
Result<Report> run_utterances(const BenchOptions& options);
Result<Report> run_cancel(const BenchOptions& options);
Result<Report> run_firmware(const BenchOptions& options);
Result<Report> run_hostile(const BenchOptions& options);
Result<Report> run_soak(const BenchOptions& options);

// ---- What they share ----

// What it is doing, for whoever waits; on the standard error stream.
void progress(std::string_view scenario, const std::string& text);

// How a number of devices stand. Devices count themselves in it.
struct Tally {
  std::size_t opening = 0, online = 0;
  std::size_t failed = 0;  // ended before `welcome`
  std::size_t lost = 0;    // ended after it
};

class CountedDevice : public Device {
 public:
  CountedDevice(Loop& loop, std::size_t index, Tally& tally, DeviceTraits traits = {})
      : Device(loop, index, std::move(traits)), tally_(tally) {}

  void begin(const Endpoint& endpoint, std::uint32_t source = 0) {
    ++tally_.opening;
    open(endpoint, source);
  }
  // Ends it as a power cut would.
  void cut();

 protected:
  void on_welcome() override {
    --tally_.opening;
    ++tally_.online;
    counted_online_ = true;
    on_online();
  }
  void on_end(std::uint16_t code, std::string_view reason, HttpStatus status) override;
  virtual void on_online() {}
  virtual void on_offline(std::uint16_t code, std::string_view reason, HttpStatus status) {
    (void)code, (void)reason, (void)status;
  }
  [[nodiscard]] Tally& tally() const { return tally_; }

 private:
  Tally& tally_;
  bool counted_online_ = false;
};

// Devices of 127.0.x.y: one of so many loopback addresses, by its number.
[[nodiscard]] constexpr std::uint32_t source_of(std::size_t index, std::size_t addresses) {
  return 0x000101U + static_cast<std::uint32_t>(index % addresses);
}

// Opens them, so many at a time, and waits until all are online.
template <class Pointers>
Result<void> open_all(Loop& loop, const Endpoint& endpoint, Pointers& devices, Tally& tally,
                      std::size_t at_a_time = 64, Micros limit = 60 * kSecond) {
  std::size_t next = 0;
  const bool all = loop.run(limit, [&] {
    while (next < devices.size() && tally.opening < at_a_time) {
      devices[next]->begin(endpoint, source_of(next, 64));
      ++next;
    }
    return tally.failed > 0 || (next == devices.size() && tally.opening == 0);
  });
  if (all && tally.failed == 0) return {};
  return fail(FailureCode::unavailable, std::to_string(tally.failed) +
                                            " devices were not let in, " +
                                            std::to_string(tally.online) + " were");
}

template <class Type, class... Arguments>
std::vector<std::unique_ptr<Type>> make_devices(std::size_t count, std::size_t first, Loop& loop,
                                                Arguments&&... arguments) {
  std::vector<std::unique_ptr<Type>> devices;
  devices.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    devices.push_back(std::make_unique<Type>(loop, first + i, arguments...));
  }
  return devices;
}

// How much of its core a process used between two calls, in percent.
class CpuMeter {
 public:
  explicit CpuMeter(const Process& process) : process_(process) { (void)percent(); }
  double percent();
  // Microseconds of its time since the last percent(), for each of so many.
  [[nodiscard]] double micros_each(double count) const;

 private:
  const Process& process_;
  double cpu_ = 0;
  Micros at_ = 0;
};

// The least limits of connections with which `devices` come in at once.
[[nodiscard]] std::vector<std::string> open_doors(std::size_t devices);
// Raises the limit of files, then starts it with these many devices, all of which may come at once.
[[nodiscard]] Result<std::unique_ptr<HubUnderTest>> hub_for(const BenchOptions& options,
                                                            std::size_t devices,
                                                            HubSetup setup = {});
// Adds what must not be in its log, and that it still lives.
void check_hub(HubUnderTest& hub, Report& report);

[[nodiscard]] inline std::size_t count_or(const BenchOptions& options, std::size_t usual) {
  return options.devices > 0 ? options.devices : usual;
}
[[nodiscard]] inline Micros time_or(const BenchOptions& options, double usual_s) {
  return static_cast<Micros>((options.seconds > 0 ? options.seconds : usual_s) * kSecond);
}

// A device that says something, and again when the answer has ended.
class TurningDevice : public CountedDevice {
 public:
  TurningDevice(Loop& loop, std::size_t index, Tally& tally, Times& times, Micros pause = 0)
      : CountedDevice(loop, index, tally), times_(times), pause_(pause) {}
  void turn();
  void stop() { stopped_ = true; }
  [[nodiscard]] std::uint64_t notices() const { return notices_; }
  // When the answer that is awaited was asked for; 0: none is.
  [[nodiscard]] Micros asked_us() const { return asked_; }

 protected:
  void on_message(std::string_view type, std::string_view text) override;
  void on_online() override { asked_ = 0; }

 private:
  Times& times_;
  Micros pause_;
  Micros asked_ = 0;
  bool stopped_ = false;
  std::uint64_t notices_ = 0;
};

}  // namespace gadget::load
