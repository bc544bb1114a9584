// One image to all devices at once, after the one that goes first: bytes a second, and how much
// memory the hub takes for it.
#include <algorithm>

#include "base/files.hpp"
#include "conformance/image.hpp"
#include "load/scenario.hpp"
#include "protocol/binary_frame.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 1'000;
constexpr std::size_t kImageBytes = 1024 * 1024;
constexpr double kRateGoal = 500;
// One copy of the image, and what its devices may cost besides.
constexpr double kMemoryGoalMb = 16;
constexpr const char* kNonce = "MDEyMzQ1Njc4OWFiY2RlZg==";

struct Flow {
  std::uint64_t bytes = 0;
  Micros first = 0, last = 0;
  std::size_t finished = 0;
};

class UpdatingDevice : public CountedDevice {
 public:
  UpdatingDevice(Loop& loop, std::size_t index, Tally& tally, Flow& flow)
      : CountedDevice(loop, index, tally, {.speaker = false, .ota = true}), flow_(flow) {}
  [[nodiscard]] bool installed() const { return installed_; }
  [[nodiscard]] bool failed() const { return failed_; }
  void use(const Endpoint& endpoint) { endpoint_ = &endpoint; }

 protected:
  void on_message(std::string_view type, std::string_view text) override {
    if (type == "ota.offer") {
      taken_ = acked_ = 0;
      version_ = member(text, R"("version")");
      send_text(std::string(R"({"type":"ota.ready","nonce":")") + kNonce + "\"}");
    } else if (type == "ota.begin") {
      ack();
    } else if (type == "ota.end") {
      failed_ = failed_ || taken_ != kImageBytes;
      send_text(R"({"type":"ota.done","version":")" + version_ + "\"}");
      ++flow_.finished;
      set_firmware(version_);
      loop().after(20 * kMilli, [this] {
        installed_ = true;
        cut();
        begin(*endpoint_, source_of(index(), 64));
      });
    } else if (type == "ota.abort") {
      failed_ = true;
    }
  }
  void on_frame(std::span<const std::byte> frame) override {
    const auto decoded = protocol::decode_frame(frame);
    if (!decoded || decoded->channel != protocol::Channel::firmware) return;
    taken_ += decoded->payload.size();
    flow_.bytes += decoded->payload.size();
    flow_.last = Loop::now_us();
    if (flow_.first == 0) flow_.first = flow_.last;
    if (taken_ - acked_ >= protocol::kOtaAckBytes || taken_ == kImageBytes) ack();
  }

 private:
  void ack() {
    acked_ = taken_;
    send_text(R"({"type":"ota.ack","offset":)" + std::to_string(taken_) + "}");
  }
  Flow& flow_;
  const Endpoint* endpoint_ = nullptr;
  std::size_t taken_ = 0, acked_ = 0;
  std::string version_;
  bool installed_ = false, failed_ = false;
};

}  // namespace

Result<Report> run_firmware(const BenchOptions& options) {
  Report report("firmware");
  const std::size_t count = count_or(options, kDevices);
  auto hub = hub_for(options, 2 * count);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  Flow flow;
  auto devices = make_devices<UpdatingDevice>(count, 0, loop, tally, flow);
  for (auto& device : devices) device->use((*hub)->endpoint());
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally); !open) {
    return tl::unexpected<Failure>(open.error());
  }
  const auto image = (*hub)->state().parent_path() / "image.bin";
  const auto written = files::write(image, conformance::make_image("bench", "2.0.0", kImageBytes));
  if (!written) return tl::unexpected<Failure>(written.error());
  const auto before = (*hub)->process().memory();
  progress("firmware", readable(static_cast<double>(count)) + " devices, 1 MB each");
  const int started = (*hub)->owner({"update", "--all", image, "--batch", std::to_string(count),
                                     "--stop-after-failures", "1000000", "--no-wait"});
  if (started != 0) return fail(FailureCode::refused, "the update was not begun");
  // The canary: until it is back with the new version, nobody else gets any.
  loop.run(20 * kSecond, [&] { return flow.finished == 1; });
  const std::uint64_t canary_bytes = flow.bytes;
  flow.first = 0;
  std::int64_t most_kb = 0;
  Micros looked = Loop::now_us();
  CpuMeter meter((*hub)->process());
  const bool all = loop.run(60 * kSecond, [&] {
    if (Loop::now_us() - looked > 100 * kMilli) {
      looked = Loop::now_us();
      most_kb = std::max(most_kb, (*hub)->process().memory().rss_kb);
    }
    return flow.finished == count;
  });
  if (!all) {
    report.fault("only " + std::to_string(flow.finished) + " of " + std::to_string(count) +
                 " devices got it within 60 s");
  }
  const double seconds = static_cast<double>(flow.last - flow.first) / kSecond;
  const double megabytes = static_cast<double>(flow.bytes - canary_bytes) / 1e6;
  report.at_least("to " + readable(static_cast<double>(count)) + " devices at once",
                  seconds > 0 ? megabytes / seconds : 0, "MB/s", kRateGoal);
  report.add("processor time of the hub for a megabyte", meter.micros_each(megabytes), "us");
  report.add("of its core the hub used", meter.percent(), "%");
  report.at_most("memory beyond the idle devices, image of 1 MB",
                 static_cast<double>(most_kb - before.rss_kb) / 1024, "MB", kMemoryGoalMb);
  for (const auto& device : devices) {
    if (device->failed()) {
      report.fault("a device's update failed");
      break;
    }
  }
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
