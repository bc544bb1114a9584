// Fuzz target: whatever comes in on a serial line, in whatever pieces, every command has exactly
// one answer, of one line, and a secret is never in it. The first byte steers: the size of the
// pieces, and whether there is a hub.
#include "device/core/console.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include "device/core/settings_menu.hpp"
#include "device/core/test_store.hpp"

namespace {

namespace device = gadget::device;

constexpr std::string_view kToken = "forced-token-that-nobody-may-see";

void require(bool holds) {
  if (!holds) std::abort();
}

class FuzzPort final : public device::Link,
                       public device::Entropy,
                       public device::Watcher,
                       public device::ConsolePort {
 public:
  // ---- Link: takes everything
  void connect(device::Epoch of) override { epoch = of; }
  bool send_text(std::string_view) override { return true; }
  bool send_binary(std::span<const std::byte>) override { return true; }
  void close(std::uint16_t, std::string_view) override {}
  bool secure() const override { return false; }
  // ---- The board
  void fill(std::span<std::byte> out) override {
    for (auto& byte : out) byte = static_cast<std::byte>(++random);
  }
  void noticed(device::Fact fact, std::string_view text, device::Millis) override {
    if (console != nullptr) console->noticed(fact, text);
  }
  // ---- ConsolePort
  void write_line(std::string_view line) override {
    require(!line.empty() && line.size() <= device::kConsoleAnswerBytes);
    require(line.find_first_of("\r\n") == std::string_view::npos);
    require(line.find(kToken) == std::string_view::npos);
    if (line.starts_with("log ")) return;
    require(line == "ok" || line.starts_with("ok {") || line.starts_with("error "));
    if (line.starts_with("ok {")) require(gadget::protocol::check_json(line.substr(3)).has_value());
    ++answers;
  }
  bool restart() override { return true; }

  device::Epoch epoch = 0;
  std::uint8_t random = 0;
  device::Console* console = nullptr;
  std::size_t answers = 0;
};

// Lines that are commands, or an attempt at one.
std::size_t commands_in(std::string_view text) {
  std::size_t count = 0;
  bool blank = true;
  for (const char c : text) {
    if (c != '\n' && c != '\r') {
      blank = blank && c == ' ';
      continue;
    }
    count += blank ? 0 : 1;
    blank = true;
  }
  return count;
}

void tell(device::Gadget& gadget, FuzzPort& port, device::Millis now, std::string text) {
  gadget.link_text(now, port.epoch, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t steer = data[0];
  const std::string text{reinterpret_cast<const char*>(data) + 1, size - 1};
  if (text.find(kToken) != std::string::npos) return 0;  // what was typed may be shown
  FuzzPort port;
  device::test::BenchStore store;
  device::GadgetConfig config;
  config.mic_hz = 16'000;
  config.speaker_hz = 16'000;
  config.forced.token = kToken;
  device::SettingsMenu menu;
  config.menu = &menu;
  const auto memory = std::make_unique<device::GadgetMemory<>>();
  device::Gadget gadget{
      config, device::Platform{.link = port, .store = store, .entropy = port, .watcher = &port},
      memory->view()};
  device::Console console{gadget, port};
  port.console = &console;
  device::Millis now = 1;
  gadget.start(now);
  if ((steer & 1U) != 0) {
    gadget.link_opened(now, port.epoch);
    tell(gadget, port, now,
         R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":false})");
    tell(gadget, port, now, R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20})");
    tell(gadget, port, now, R"({"type":"prompt","id":"p","title":"","text":"Restart?"})");
  }
  const std::size_t piece = 1 + steer / 2;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    console.feed(now, std::string_view{text}.substr(at, piece));
    now += 20;
    gadget.tick(now);
    console.tick(now);
  }
  // A check that still runs answers in the end.
  for (int i = 0; i < 600; ++i) {
    now += 20;
    gadget.tick(now);
    console.tick(now);
  }
  require(port.answers == commands_in(text));
  return 0;
}
