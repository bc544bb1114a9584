// What the device core costs: instructions of this host for a second of speech up and down and for
// each kind of message. Under valgrind (scripts/bench-device) it counts, alone it takes the time.
//
// The screen is left out (null): drawing has its own figure.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <valgrind/callgrind.h>

#include "device/core/gadget.hpp"
#include "protocol/binary_frame.hpp"

namespace {

using namespace gadget;
using device::Gadget;
using device::Millis;

constexpr std::uint32_t kRateHz = 16'000;
constexpr int kRounds = 200;  // when the time is taken

class Swallow final : public device::Link, public device::Store, public device::Entropy {
 public:
  void connect(device::Epoch of) override { epoch = of; }
  bool send_text(std::string_view) override { return true; }
  bool send_binary(std::span<const std::byte>) override { return true; }
  void close(std::uint16_t, std::string_view) override {}
  [[nodiscard]] bool secure() const override { return false; }
  std::optional<std::size_t> get(std::string_view, std::span<std::byte>) override {
    return std::nullopt;
  }
  bool put(std::string_view, std::span<const std::byte>) override { return true; }
  void fill(std::span<std::byte> out) override { std::fill(out.begin(), out.end(), std::byte{7}); }
  device::Epoch epoch = 0;
};

struct Bench {
  Bench() {
    gadget.start(now);
    gadget.link_opened(now, port.epoch);
    hear(R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":false})");
    hear(R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20})");
  }
  static device::GadgetConfig config() {
    device::GadgetConfig out;
    out.name = "bench";
    out.mic_hz = kRateHz;
    out.speaker_hz = kRateHz;
    out.display.emplace();
    out.display->width = 320;
    out.display->height = 240;
    return out;
  }
  void hear(std::string_view json) {
    text.assign(json.begin(), json.end());
    gadget.link_text(now, port.epoch, text);
  }
  void speech_frame(std::uint16_t number, std::size_t samples) {
    std::array<std::byte, 4 + 2 * 48'000 / 25> room{};
    const auto frame = std::span{room}.first(4 + 2 * samples);
    protocol::encode_header({protocol::Channel::audio, 1, number, {}}, frame);
    gadget.link_binary(now, port.epoch, frame);
  }
  Swallow port;
  device::GadgetMemory<> memory;
  Gadget gadget{config(), {.link = port, .store = port, .entropy = port}, memory.view()};
  Millis now = 1'000;
  std::vector<char> text;
  std::vector<std::int16_t> sound = std::vector<std::int16_t>(kRateHz / 100, 1'200);
};

// `prepare` is not measured.
void measure(const char* name, const std::function<void(Bench&)>& prepare,
             const std::function<void(Bench&)>& act) {
  Bench bench;
  if (RUNNING_ON_VALGRIND != 0) {
    prepare(bench);
    CALLGRIND_ZERO_STATS;
    act(bench);
    CALLGRIND_DUMP_STATS_AT(name);
    return;
  }
  std::chrono::nanoseconds best = std::chrono::hours{1};
  for (int round = 0; round < kRounds; ++round) {
    prepare(bench);
    const auto before = std::chrono::steady_clock::now();
    act(bench);
    best = std::min(best, std::chrono::steady_clock::now() - before);
    bench.now += 10'000;
    bench.hear(R"({"type":"ping"})");
  }
  std::printf("%-44s %10lld ns\n", name, static_cast<long long>(best.count()));
}

void measure_message(const char* name, const std::string& json, const std::string& before = {}) {
  measure(
      name,
      [&](Bench& bench) {
        if (!before.empty()) bench.hear(before);
        bench.text.reserve(json.size());
      },
      [&](Bench& bench) { bench.hear(json); });
}

void measure_talk(const char* name, std::string_view mode) {
  measure(
      name,
      [&](Bench& bench) {
        (void)bench.gadget.set(bench.now, device::Setting::talk_mode, mode);
        do {  // a tap may end the one of before
          bench.gadget.button(bench.now, device::Button::talk, false);
          bench.gadget.button(bench.now, device::Button::talk, true);
        } while (!bench.gadget.talk().recording());
      },
      [](Bench& bench) {
        for (int i = 0; i < 100; ++i) bench.gadget.microphone(bench.now += 10, bench.sound);
      });
}

void measure_speech(const char* name, std::uint32_t rate_hz) {
  measure(
      name,
      [&](Bench& bench) {
        bench.hear(R"({"type":"audio.start","stream":1,"format":"pcm16","rate":)" +
                   std::to_string(rate_hz) + "}");
      },
      [&](Bench& bench) {
        for (int i = 0; i < 100; ++i) {
          if (i % 4 == 0) bench.speech_frame(static_cast<std::uint16_t>(i / 4), rate_hz / 25);
          bench.gadget.play(bench.now += 10, bench.sound);
        }
      });
}

}  // namespace

int main() {
  measure_talk("1 s of speech up, held", "hold");
  measure_talk("1 s of speech up, tapped", "tap");
  measure_speech("1 s of speech down, 16 kHz", 16'000);
  measure_speech("1 s of speech down, 24 to 16 kHz", 24'000);
  const std::string turn = R"({"type":"turn.start","turn":"t1"})";
  const std::string words(1'000, 'w');
  measure_message("ping", R"({"type":"ping","ts":1767225600000})");
  measure_message("turn.start", turn);
  measure_message("transcript, 30 characters",
                  R"({"type":"transcript","text":"what is seventeen times three?"})", turn);
  measure_message("status", R"({"type":"status","text":"Looking at the sensors"})", turn);
  measure_message("reply.delta, 1,000 characters",
                  R"({"type":"reply.delta","turn":"t1","text":")" + words + "\"}", turn);
  measure_message("reply, 1,000 characters",
                  R"({"type":"reply","turn":"t1","text":")" + words + "\"}", turn);
  measure_message("turn.end", R"({"type":"turn.end","turn":"t1","outcome":"success"})", turn);
  measure_message("notice", R"({"type":"notice","text":"That was too short","ttl_s":8})");
  measure_message("display", R"({"type":"display","title":"Shopping","body":"- milk","ttl_s":15})");
  measure_message("prompt", R"({"type":"prompt","id":"q1","title":"Router","text":"Restart?"})");
  measure_message("prompt.close", R"({"type":"prompt.close","id":"q1"})",
                  R"({"type":"prompt","id":"q1","text":"Restart?"})");
  measure_message("action (speaker.volume), with its answer",
                  R"({"type":"action","id":"a1","name":"speaker.volume","args":{"percent":100}})");
  measure_message("audio.start",
                  R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  measure_message("ota.offer, refused",
                  R"({"type":"ota.offer","stream":1,"size":1,"version":"2"})");
  const auto nothing = [](Bench&) {};
  measure("text, 30 characters", nothing,
          [](Bench& bench) { bench.gadget.text(bench.now, "what is seventeen times three?"); });
  measure("event", nothing, [](Bench& bench) {
    bench.gadget.event(bench.now, "doorbell", R"({"who":"front"})", true);
  });
  measure(
      "state, one reading", [](Bench& bench) { bench.now += 5'000; },
      [](Bench& bench) {
        bench.gadget.sensor(bench.now, "temperature_c", bench.now % 2 == 0 ? "21.5" : "21.6");
      });
  measure("hello, challenge, auth, welcome", nothing, [](Bench&) { const Bench another; });
  measure("tick with nothing to do", nothing, [](Bench& bench) { bench.gadget.tick(bench.now); });
  return 0;
}
