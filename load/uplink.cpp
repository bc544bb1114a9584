// Devices that hold TALK and stream speech up in real time: how many keep the hub's core just busy.
// The same frames go to a bare server of Boost.Beast before, for comparison.
#include <array>

#include "load/scenario.hpp"
#include "protocol/binary_frame.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kStep = 500;
constexpr std::size_t kFirst = 2'000;
constexpr std::size_t kMost = 12'000;
constexpr double kShareGoal = 0.7;
constexpr double kDevicesGoal = 4'000;
constexpr Micros kFrameUs = 40 * kMilli;
constexpr std::size_t kFrameBytes = 16'000 / 25 * 2;
constexpr std::size_t kSlots = 40;  // devices take turns, one slot a millisecond
// Beyond so much of a core a server is full.
constexpr double kFullPercent = 96;

// One frame as everybody sends it; only stream and number differ.
std::string frame_template() {
  std::array<std::byte, protocol::kFrameHeaderBytes + kFrameBytes> bytes{};
  protocol::encode_header({protocol::Channel::audio, 1, 0, {}}, bytes);
  for (std::size_t i = protocol::kFrameHeaderBytes; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>((i * 37) & 0x0fU);
  }
  return masked_frame(2, bytes);
}
constexpr std::size_t kMaskedHeader = 8;  // of a frame of 126 to 65,535 bytes
constexpr std::size_t kSequenceAt = 2;

class Speaking : public CountedDevice {
 public:
  Speaking(Loop& loop, std::size_t index, Tally& tally, bool bare)
      : CountedDevice(loop, index, tally), bare_(bare) {}

  void start_speech() {
    if (!bare_) {
      send_text(
          R"({"type":"audio.start","id":"1","stream":1,"rate":16000,"format":"pcm16","mode":"hold"})");
    }
    speaking_ = true;
  }
  void frame(std::string& shared) {
    if (!speaking_) return;
    const std::array<std::byte, 2> number{static_cast<std::byte>(sequence_ & 0xffU),
                                          static_cast<std::byte>(sequence_ >> 8U)};
    ++sequence_;
    change_masked(shared, kMaskedHeader, kSequenceAt, number);
    send_raw(std::as_bytes(std::span(shared)));
  }
  [[nodiscard]] std::uint64_t notices() const { return notices_; }

 protected:
  void on_open() override {
    if (!bare_) return Device::on_open();
    on_welcome();
  }
  void on_message(std::string_view type, std::string_view) override {
    if (type == "notice") ++notices_;
  }

 private:
  bool bare_;
  bool speaking_ = false;
  std::uint16_t sequence_ = 0;
  std::uint64_t notices_ = 0;
};

struct Found {
  std::size_t devices = 0;  // the most that were kept up with
  double cpu_at_first = 0;  // percent, at the first step
  std::size_t first = 0;
  bool generator_full = false;
  std::uint64_t notices = 0;
};

Result<Found> search(const BenchOptions& options, const Endpoint& endpoint, const Process& server,
                     bool bare) {
  Loop loop;
  Tally tally;
  Found found;
  std::vector<std::unique_ptr<Speaking>> devices;
  std::string shared = frame_template();
  std::size_t slot = 0;
  Micros next = Loop::now_us();
  const auto send_due = [&](Micros now) {
    for (; next <= now; next += kFrameUs / static_cast<Micros>(kSlots)) {
      for (std::size_t i = slot; i < devices.size(); i += kSlots) devices[i]->frame(shared);
      slot = (slot + 1) % kSlots;
    }
  };
  loop.every_ms(send_due);
  const std::size_t first = options.devices > 0 ? options.devices : kFirst;
  const std::size_t most = options.devices > 0 ? options.devices : kMost;
  CpuMeter meter(server);
  for (std::size_t count = first; count <= most; count += kStep) {
    progress("uplink",
             readable(static_cast<double>(count)) + " devices" + (bare ? ", bare server" : ""));
    std::size_t begun = devices.size();
    const bool all = loop.run(30 * kSecond, [&] {
      while (devices.size() < count && tally.opening < 32) {
        devices.push_back(std::make_unique<Speaking>(loop, devices.size(), tally, bare));
        devices.back()->begin(endpoint, source_of(devices.size(), 64));
      }
      while (begun < devices.size() && devices[begun]->is_open() &&
             (bare || devices[begun]->welcomed())) {
        devices[begun++]->start_speech();
      }
      return begun == count || tally.failed > 0;
    });
    if (tally.failed > 0) return fail(FailureCode::unavailable, "a device was not let in");
    if (!all) break;
    loop.run_for(time_or(options, 1.5) / 3);
    (void)meter.percent();
    (void)loop.worst_turn_us();
    loop.run_for(time_or(options, 1.5));
    const double cpu = meter.percent();
    std::size_t unsent = 0;
    for (const auto& device : devices) unsent += device->unsent_bytes();
    if (found.first == 0) {
      found.first = count;
      found.cpu_at_first = cpu;
    }
    const bool late = Loop::now_us() - next > kFrameUs;
    const bool kept_up = cpu < kFullPercent && unsent < count * kFrameBytes / 10 && tally.lost == 0;
    if (late) found.generator_full = true;
    if (!kept_up || late) break;
    found.devices = count;
  }
  for (const auto& device : devices) found.notices += device->notices();
  return found;
}

}  // namespace

Result<Report> run_uplink(const BenchOptions& options) {
  Report report("uplink");
  const std::size_t most = options.devices > 0 ? options.devices : kMost;
  if (auto allowed = allow_sockets(most); !allowed) return tl::unexpected<Failure>(allowed.error());
  Result<Found> bare = Found{};
  {
    auto process =
        Process::start({options.program, "bench", "bare-server"}, "/dev/null", options.cores);
    if (!process) return tl::unexpected<Failure>(process.error());
    const Endpoint endpoint{.port = (*process)->port(), .path = "/", .tls = nullptr};
    bare = search(options, endpoint, **process, true);
    if (!bare) return tl::unexpected<Failure>(bare.error());
  }
  HubSetup setup;
  setup.settings = open_doors(most);
  setup.settings.push_back("max_utterance_s=600");
  auto hub = hub_for(options, most, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  const auto ours = search(options, (*hub)->endpoint(), (*hub)->process(), false);
  if (!ours) return tl::unexpected<Failure>(ours.error());
  const std::string at_first = readable(static_cast<double>(ours->first)) + " devices";
  report.add("bare server, of its core at " + at_first, bare->cpu_at_first, "%");
  report.add("hub, of its core at " + at_first, ours->cpu_at_first, "%");
  report.add(std::string("bare server keeps up with") +
                 (bare->generator_full ? " (the generator's limit)" : ""),
             static_cast<double>(bare->devices), "devices");
  report.at_least(
      std::string("hub keeps up with") + (ours->generator_full ? " (the generator's limit)" : ""),
      static_cast<double>(ours->devices), "devices", kDevicesGoal);
  report.at_least("share of the bare server, by processor time a device",
                  bare->cpu_at_first / ours->cpu_at_first, "", kShareGoal);
  if (ours->notices > 0) report.fault(std::to_string(ours->notices) + " notices came");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
