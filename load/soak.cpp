// Minutes or hours of everything at once, with random faults; the hub's memory must stay flat.
#include <algorithm>
#include <array>
#include <random>

#include "load/listening.hpp"
#include "load/nonsense.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kDevices = 1'000;
// What each device does, or what happens to it, on average once in so long.
constexpr double kActEveryS = 4;
// How far memory may be above what it was after the first third.
constexpr double kGrowthGoalPercent = 10;

class Soaking : public ListeningDevice {
 public:
  using ListeningDevice::ListeningDevice;

  void act(std::minstd_rand& random, const Endpoint& endpoint) {
    if (state() == State::closed) return begin(endpoint, source_of(index(), 64));
    if (!welcomed()) return;
    switch (random() % 16) {
      case 0: return cut();    // the power
      case 1: return leave();  // in good order
      case 2: return cancel();
      case 3: return send_text(R"({"type":"session.new"})");
      case 4: return send_text("{\"type\":");  // malformed
      case 5: return send_binary(std::as_bytes(std::span("x", 1)));
      case 6: return slow_reader();
      case 7: return send_text(R"({"type":"state","sensors":{"t":21.5,"on":true}})");
      case 8: return send_text(R"({"type":"event","name":"bump","data":{"g":2},"notify":true})");
      case 9: return begin_utterance();
      case 10: return cut_utterance();
      case 11: return send_text(R"({"type":"prompt.reply","id":"q-none","answer":"yes"})");
      case 12: return shut_down_writing();
      default: return say("tell me something");
    }
  }
  [[nodiscard]] static std::uint64_t strange() { return strange_; }

 protected:
  void on_message(std::string_view type, std::string_view text) override {
    // It asks by itself when its time has come, not because an answer has ended.
    if (type != "turn.end") ListeningDevice::on_message(type, text);
  }
  void on_online() override {}
  void on_offline(std::uint16_t code, std::string_view reason, HttpStatus status) override {
    ListeningDevice::on_offline(code, reason, status);
    const bool known = code == kLost || code == 1000 || reason == "too slow" ||
                       reason == "protocol" || code == 1005;
    if (!known) {
      ++strange_;
      progress("soak", "closed with " + std::to_string(code) + " " + std::string(reason));
    }
  }

 private:
  void leave() {
    send_close(1000);
    loop().after(100 * kMilli, [this] { cut(); });
  }
  void slow_reader() {
    pause(true);
    loop().after(2 * kSecond, [this] { pause(false); });
  }
  void begin_utterance() {
    send_text(
        R"({"type":"audio.start","id":"1","stream":3,"rate":16000,"format":"pcm16","mode":"hold"})");
    std::array<std::byte, 1'284> frame{};
    frame[0] = std::byte{1};
    frame[1] = std::byte{3};
    for (unsigned i = 0; i < 25; ++i) {
      frame[2] = static_cast<std::byte>(i);
      send_binary(frame);
    }
  }
  void cut_utterance() {
    begin_utterance();
    send_text(R"({"type":"audio.end","id":"1","stream":3,"duration_ms":1000})");
  }
  static inline std::uint64_t strange_ = 0;
};

}  // namespace

Result<Report> run_soak(const BenchOptions& options) {
  Report report("soak");
  const std::size_t count = count_or(options, kDevices);
  const Micros time = time_or(options, 60);
  HubSetup setup;
  setup.enrolled = count + 32;
  setup.spoken_seconds = 2;
  setup.settings = open_doors(count);
  auto hub = hub_for(options, count + 512, setup);
  if (!hub) return tl::unexpected<Failure>(hub.error());
  Loop loop;
  Tally tally;
  Tally witness_tally;
  Times witness;
  auto devices = make_devices<Soaking>(count, 0, loop, tally);
  if (auto open = open_all(loop, (*hub)->endpoint(), devices, tally); !open) {
    return tl::unexpected<Failure>(open.error());
  }
  TurningDevice other(loop, count + 31, witness_tally, witness, 10 * kMilli);
  other.begin((*hub)->endpoint());
  loop.run(5 * kSecond, [&] { return other.welcomed(); });
  other.turn();
  Hostile hostile(loop, (*hub)->endpoint(), count);
  std::minstd_rand random(1);
  double due = 0;
  Micros ticked = Loop::now_us();
  const double acts_a_micro = static_cast<double>(count) / kActEveryS / kSecond;
  loop.every_ms([&](Micros now) {
    due += static_cast<double>(now - std::exchange(ticked, now)) * acts_a_micro;
    for (; due >= 1; due -= 1) devices[random() % count]->act(random, (*hub)->endpoint());
    if (random() % 8 == 0) hostile.act();
  });
  const Micros begin = Loop::now_us();
  constexpr int kLooks = 12;
  std::vector<double> memory_mb;
  for (int i = 0; i < kLooks; ++i) {
    loop.run_for(time / kLooks);
    memory_mb.push_back(static_cast<double>((*hub)->process().memory().rss_kb) / 1024);
    progress("soak", readable(static_cast<double>(Loop::now_us() - begin) / kSecond) + " s: " +
                         readable(memory_mb.back()) + " MB, " + std::to_string(tally.online) +
                         " online, " + std::to_string(tally.lost) + " lost");
    if (!(*hub)->process().alive()) break;
  }
  const auto third = static_cast<std::ptrdiff_t>(memory_mb.size() / 3);
  const double early = *std::max_element(memory_mb.begin(), memory_mb.begin() + third + 1);
  const double late = *std::max_element(memory_mb.end() - third - 1, memory_mb.end());
  report.add("time", static_cast<double>(Loop::now_us() - begin) / kSecond, "s");
  report.add("most memory in the first third", early, "MB");
  report.add("most memory in the last third", late, "MB");
  report.at_most("growth", std::max(0.0, 100 * (late - early) / early), "%", kGrowthGoalPercent);
  report.add("connections that ended", static_cast<double>(tally.lost), "");
  report.add("hostile connections", static_cast<double>(hostile.begun()), "");
  report.add("turns of a device that is left alone", static_cast<double>(witness.count()), "");
  report.add("their 99th percentile", witness.percentile_ms(99), "ms");
  if (Soaking::strange() > 0) report.fault(std::to_string(Soaking::strange()) + " unknown closes");
  if (witness_tally.lost > 0) report.fault("the device that is left alone was lost");
  if (witness.count() == 0) report.fault("the device that is left alone had no turn");
  loop.every_ms({});
  check_hub(**hub, report);
  return report;
}

}  // namespace gadget::load
