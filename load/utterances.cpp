// Recordings of 8 s that are all under way at once, then all end: what the hub holds meanwhile.
#include <algorithm>
#include <array>

#include "load/scenario.hpp"
#include "protocol/binary_frame.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 2'000;
constexpr std::size_t kFrames = 8 * 25;
constexpr std::size_t kFrameBytes = 16'000 / 25 * 2;
constexpr double kGoal = 2;

class Recording : public CountedDevice {
 public:
  using CountedDevice::CountedDevice;
  void start() {
    send_text(
        R"({"type":"audio.start","id":"1","stream":1,"rate":16000,"format":"pcm16","mode":"hold"})");
  }
  // True: all of it is with the kernel.
  bool feed() {
    std::array<std::byte, protocol::kFrameHeaderBytes + kFrameBytes> bytes{};
    constexpr std::size_t kUnsent = 64 * 1024;
    while (sent_ < kFrames && unsent_bytes() < kUnsent) {
      protocol::encode_header({protocol::Channel::audio, 1, static_cast<std::uint16_t>(sent_), {}},
                              bytes);
      // Not zeros, which a kernel could share.
      bytes[protocol::kFrameHeaderBytes + sent_] = static_cast<std::byte>(index() & 0xffU);
      send_binary(bytes);
      ++sent_;
    }
    return sent_ == kFrames && unsent_bytes() == 0;
  }
  void finish() { send_text(R"({"type":"audio.end","id":"1","stream":1,"duration_ms":8000})"); }
  // What comes back in order tells that all before it was read.
  void ask_whether_read() { send_text(R"({"type":"ping","ts":1})"); }
  [[nodiscard]] bool read() const { return read_; }
  [[nodiscard]] bool answered() const { return answered_; }

 protected:
  void on_message(std::string_view type, std::string_view text) override {
    if (type == "pong") read_ = true;
    if (type == "reply" && text.find("8.000") != std::string_view::npos) answered_ = true;
  }

 private:
  std::size_t sent_ = 0;
  bool answered_ = false;
  bool read_ = false;
};

}  // namespace

Result<Report> run_utterances(const BenchOptions& options) {
  Report report("utterances");
  const std::size_t count = count_or(options, kDevices);
  auto hub = hub_for(options, count);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  auto devices = make_devices<Recording>(count, 0, loop, tally);
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally); !open) {
    return tl::unexpected<Failure>(open.error());
  }
  const auto before = (*hub)->process().memory();
  progress("utterances", readable(static_cast<double>(count)) + " recordings of 8 s");
  for (auto& device : devices) device->start();
  std::int64_t most_kb = 0;
  Micros looked = 0;
  const auto look = [&] {
    if (Loop::now_us() - looked < 100 * kMilli) return;
    looked = Loop::now_us();
    most_kb = std::max(most_kb, (*hub)->process().memory().rss_kb);
  };
  const bool fed = loop.run(60 * kSecond, [&] {
    look();
    bool all = true;
    for (auto& device : devices) all = device->feed() && all;
    return all;
  });
  if (!fed) return fail(FailureCode::timeout, "the recordings were not taken within 60 s");
  for (auto& device : devices) device->ask_whether_read();
  const bool read = loop.run(30 * kSecond, [&] {
    look();
    return std::all_of(devices.begin(), devices.end(),
                       [](const auto& device) { return device->read(); });
  });
  if (!read) return fail(FailureCode::timeout, "the hub did not read the recordings within 30 s");
  looked = 0;
  look();
  for (auto& device : devices) device->finish();
  const bool answered = loop.run(30 * kSecond, [&] {
    look();
    return std::all_of(devices.begin(), devices.end(),
                       [](const auto& device) { return device->answered(); });
  });
  if (!answered) report.fault("not all recordings were heard whole");
  loop.run_for(kSecond);
  const double audio_mb = static_cast<double>(count * kFrames * kFrameBytes) / 1024 / 1024;
  const double most_mb = static_cast<double>(most_kb - before.rss_kb) / 1024;
  report.add("the audio itself", audio_mb, "MB");
  report.at_most("most memory beyond the idle devices", most_mb, "MB", audio_mb * kGoal);
  report.at_most("the same, in shares of the audio", most_mb / audio_mb, "", kGoal);
  report.add("left when they were answered",
             static_cast<double>((*hub)->process().memory().rss_kb - before.rss_kb) / 1024, "MB");
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
