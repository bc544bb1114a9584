#include "load/scenario.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace gadget::load {

std::span<const Scenario> scenarios() {
  static constexpr std::array<Scenario, 11> kAll{{
      {"idle", "memory of an idle authenticated device, plain and TLS", &run_idle},
      {"handshakes", "handshakes a second, plain at two numbers of enrolled devices, and TLS",
       &run_handshakes},
      {"reconnect", "all devices come back at once while another one has turns", &run_reconnect},
      {"uplink", "how many devices may stream speech up in real time", &run_uplink},
      {"downlink", "how many devices may hear 24 kHz speech resampled to 16 kHz", &run_downlink},
      {"turns", "echo turns a second of devices that never pause", &run_turns},
      {"utterances", "memory of recordings that are under way", &run_utterances},
      {"cancel", "from a cancel to the last frame of audio", &run_cancel},
      {"firmware", "one firmware image to all devices at once", &run_firmware},
      {"hostile", "turns of well-behaved devices beside a hostile client", &run_hostile},
      {"soak", "random faults for minutes; memory over time (not part of all)", &run_soak, false},
  }};
  return kAll;
}

void progress(std::string_view scenario, const std::string& text) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(scenario.size()), scenario.data(),
               text.c_str());
}

void CountedDevice::cut() {
  if (state() == State::closed) return;
  if (counted_online_) {
    --tally_.online;
  } else {
    --tally_.opening;
  }
  counted_online_ = false;
  drop();
}

void CountedDevice::on_end(std::uint16_t code, std::string_view reason, HttpStatus status) {
  if (std::exchange(counted_online_, false)) {
    --tally_.online;
    ++tally_.lost;
  } else {
    --tally_.opening;
    ++tally_.failed;
  }
  on_offline(code, reason, status);
}

double CpuMeter::percent() {
  const double cpu = process_.cpu_seconds();
  const Micros now = Loop::now_us();
  const double used = cpu - std::exchange(cpu_, cpu);
  const double time = static_cast<double>(now - std::exchange(at_, now)) / kSecond;
  return time > 0 ? 100 * used / time : 0;
}

double CpuMeter::micros_each(double count) const {
  return count > 0 ? (process_.cpu_seconds() - cpu_) * kSecond / count : 0;
}

std::vector<std::string> open_doors(std::size_t devices) {
  const std::string most = std::to_string(devices + devices / 5 + 64);
  return {"max_unauthenticated=" + most, "max_unauthenticated_per_address=" + most};
}

Result<std::unique_ptr<HubUnderTest>> hub_for(const BenchOptions& options, std::size_t devices,
                                              HubSetup setup) {
  if (auto allowed = allow_sockets(devices + devices / 5); !allowed) {
    return tl::unexpected<Failure>(allowed.error());
  }
  setup.program = options.program;
  setup.enrolled = std::max(setup.enrolled, devices);
  if (setup.settings.empty()) setup.settings = open_doors(devices);
  return HubUnderTest::start(setup, options.cores);
}

void check_hub(HubUnderTest& hub, Report& report) {
  if (!hub.process().alive()) report.fault("the hub has ended");
  const auto errors = hub.errors();
  if (!errors.empty()) {
    report.fault(std::to_string(errors.size()) + " errors in the hub's log: " + errors.front());
  }
}

void TurningDevice::turn() {
  if (!welcomed() || stopped_) return;
  asked_ = Loop::now_us();
  say("what time is it?");
}

void TurningDevice::on_message(std::string_view type, std::string_view text) {
  (void)text;
  if (type == "notice") ++notices_;
  if (type != "turn.end" || asked_ == 0) return;
  times_.add(Loop::now_us() - std::exchange(asked_, 0));
  if (pause_ == 0) return turn();
  loop().after(pause_, [this] { turn(); });
}

}  // namespace gadget::load
