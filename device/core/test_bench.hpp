// test_bench.hpp - a Gadget on a bench: a platform that remembers everything, a clock that the test
// moves, and the hub's lines as JSON. For tests only.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/core/gadget.hpp"
#include "device/core/settings_menu.hpp"
#include "device/core/test_store.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"

namespace gadget::device::test {

class Bench final : public Link,
                    public Entropy,
                    public Screen,
                    public Microphone,
                    public Speaker,
                    public Lamp,
                    public Backlight,
                    public Watcher {
 public:
  static constexpr std::uint32_t kRate = 16'000;

  explicit Bench(GadgetConfig with = default_config(), Actions* board_actions = nullptr,
                 std::shared_ptr<BenchStore> kept = std::make_shared<BenchStore>(),
                 FirmwareSlots* firmware = nullptr)
      : config(with), store(std::move(kept)) {
    config.menu = &menu;
    gadget = std::make_unique<Gadget>(config,
                                      Platform{.link = *this,
                                               .store = *store,
                                               .entropy = *this,
                                               .screen = this,
                                               .microphone = this,
                                               .speaker = this,
                                               .lamp = this,
                                               .backlight = this,
                                               .actions = board_actions,
                                               .firmware = firmware,
                                               .watcher = this},
                                      buffers());
  }

  // With room for the pictures that the config announces.
  GadgetBuffers buffers() {
    GadgetBuffers view = memory->view();
    if (config.display && config.display->image) {
      pixels.resize(
          static_cast<std::size_t>(config.display->image->width * config.display->image->height));
      view.image = pixels;
    }
    return view;
  }

  static GadgetConfig default_config() {
    GadgetConfig config;
    config.name = "bench";
    config.board = "bench";
    config.firmware = "0.1.0";
    config.hub = "127.0.0.1";
    config.display = protocol::DisplayCaps{.width = 320,
                                           .height = 240,
                                           .color = true,
                                           .charset = protocol::Charset::ascii,
                                           .text_cols = 36,
                                           .text_rows = 9,
                                           .image = std::nullopt};
    config.screen_timeout_s = 0;  // tests of hours are not about the light
    config.mic_hz = kRate;
    config.speaker_hz = kRate;
    return config;
  }

  // ---- Link
  void connect(Epoch of) override {
    epoch = of;
    ++connects;
    connected_at = now;
  }
  bool send_text(std::string_view message) override {
    if (link_full) return false;
    sent.emplace_back(message);
    return true;
  }
  bool send_binary(std::span<const std::byte> message) override {
    if (link_full) return false;
    frames.emplace_back(message.begin(), message.end());
    return true;
  }
  void close(std::uint16_t code, std::string_view reason) override {
    closes.emplace_back(code, std::string{reason});
  }
  bool secure() const override { return is_secure; }
  // ---- Entropy: different every time, the same in every run
  void fill(std::span<std::byte> out) override {
    for (auto& byte : out) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<std::byte>(seed >> 56U);
    }
  }
  // ---- Screen and the rest
  void show(const screen::ScreenModel& model, Millis) override {
    ++shows;
    state = model.state;
  }
  void listen(bool on) override { listening = on; }
  void wake(bool on) override { awake = on; }
  void set(std::uint32_t rgb) override { lamp.push_back(rgb); }
  void set(int percent) override { light.push_back(percent); }
  void noticed(Fact fact, std::string_view what, Millis) override {
    facts.emplace_back(fact, std::string{what});
  }

  // ---- What a test does
  void start() { (void)gadget->start(now); }
  // Lets time pass in steps of a port's tick.
  void pass(Millis ms) {
    for (const Millis end = now + ms; now < end;) {
      now += std::min<Millis>(20, end - now);
      gadget->tick(now);
    }
  }
  // The pause before the next attempt, whatever it is.
  void until_connect() {
    const int before = connects;
    while (connects == before && now < 100'000'000) pass(20);
  }
  void hub(std::string_view json) {
    std::string bytes{json};
    gadget->link_text(now, epoch, bytes);
  }
  void hub_frame(std::uint8_t stream, std::uint16_t sequence, std::vector<std::int16_t> samples,
                 protocol::Channel channel = protocol::Channel::audio) {
    std::vector<std::byte> bytes(protocol::kFrameHeaderBytes + 2 * samples.size());
    protocol::encode_header({channel, stream, sequence, {}}, bytes);
    protocol::encode_samples(samples, std::span{bytes}.subspan(protocol::kFrameHeaderBytes));
    gadget->link_binary(now, epoch, bytes);
  }
  void open() { gadget->link_opened(now, epoch); }
  void drop(LinkEnd end = {}) { gadget->link_closed(now, epoch, end); }
  void challenge(bool enrolled = false) {
    hub(std::string{R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":)"} +
        (enrolled ? "true" : "false") + "}");
  }
  void welcome(std::string_view more = "") {
    hub(std::string{R"({"type":"welcome","session":"s1","paired":true,"heartbeat_s":20)"} +
        std::string{more} + "}");
  }
  // From nothing to `ready`.
  void go_online(bool enrolled = false) {
    if (gadget->session().phase() == Phase::off) start();
    open();
    challenge(enrolled);
    welcome();
    sent.clear();
  }
  void press(Button button, Millis ms = 100) {
    gadget->button(now, button, true);
    pass(ms);
    gadget->button(now, button, false);
  }
  // Plays for so long; returns the samples.
  std::vector<std::int16_t> listen_for(Millis ms) {
    std::vector<std::int16_t> heard;
    for (const Millis end = now + ms; now < end;) {
      now += 10;
      std::array<std::int16_t, kRate / 100> out{};
      gadget->play(now, out);
      gadget->tick(now);
      heard.insert(heard.end(), out.begin(), out.end());
    }
    return heard;
  }
  void speak_for(Millis ms, std::int16_t level = 1'000) {
    std::vector<std::int16_t> samples(kRate / 100, level);
    for (const Millis end = now + ms; now < end;) {
      now += 10;
      gadget->microphone(now, samples);
      gadget->tick(now);
    }
  }

  // ---- What a test asks
  [[nodiscard]] std::string last() const { return sent.empty() ? "" : sent.back(); }
  [[nodiscard]] int count(std::string_view part) const {
    return static_cast<int>(std::count_if(sent.begin(), sent.end(), [&](const std::string& one) {
      return one.find(part) != std::string::npos;
    }));
  }
  [[nodiscard]] bool noted(Fact fact) const { return note_count(fact) > 0; }
  [[nodiscard]] int note_count(Fact fact) const {
    return static_cast<int>(std::count_if(facts.begin(), facts.end(),
                                          [&](const auto& one) { return one.first == fact; }));
  }
  // What is to be read on the screen now.
  [[nodiscard]] std::string screen_now() const {
    screen::ScreenModel model;
    gadget->fill(now, model);
    std::array<char, 4096> room{};
    return std::string{screen::text_of(model, 320, 240, room)};
  }
  [[nodiscard]] bool shows_text(std::string_view part) const {
    return screen_now().find(part) != std::string::npos;
  }
  // The value of a string member, as it stands in the text.
  [[nodiscard]] static std::string field(std::string_view json, std::string_view name) {
    const std::string key = "\"" + std::string{name} + "\":\"";
    const auto at = json.find(key);
    if (at == std::string_view::npos) return "";
    const auto begin = at + key.size();
    return std::string{json.substr(begin, json.find('"', begin) - begin)};
  }

  Millis now = 1'000;
  SettingsMenu menu;
  GadgetConfig config;
  std::shared_ptr<BenchStore> store;
  std::unique_ptr<GadgetMemory<>> memory = std::make_unique<GadgetMemory<>>();
  std::vector<screen::Colour> pixels;

  Epoch epoch = 0;
  int connects = 0;
  Millis connected_at = 0;
  bool link_full = false;
  bool is_secure = false;
  std::vector<std::string> sent;
  std::vector<std::vector<std::byte>> frames;
  std::vector<std::pair<std::uint16_t, std::string>> closes;
  std::uint64_t seed = 1;
  int shows = 0;
  screen::State state = screen::State::boot;
  bool listening = false;
  bool awake = false;
  std::vector<std::uint32_t> lamp;
  std::vector<int> light;
  std::vector<std::pair<Fact, std::string>> facts;
  std::unique_ptr<Gadget> gadget;
};

}  // namespace gadget::device::test
