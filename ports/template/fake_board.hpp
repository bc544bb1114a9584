// fake_board.hpp - a board in memory, and a hub at the other end of its byte stream. For tests
// only.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "device/websocket/frame.hpp"
#include "device/websocket/handshake.hpp"
#include "ports/template/board.hpp"

namespace gadget::ports::port_template::test {

// Two pages of NOR flash: an erase sets bits, a write only clears them. The power can go in the
// midst of the n-th operation: then half of it happened, and nothing after it does.
class FakeFlash {
 public:
  static constexpr std::size_t kPageBytes = 1'024;
  FakeFlash() {
    for (auto& page : pages) page.fill(std::byte{0x5A});  // never erased: not a store yet
  }
  [[nodiscard]] bool erase(unsigned index) {
    const std::size_t size = spend(kPageBytes);
    std::fill_n(pages.at(index).begin(), size, std::byte{0xFF});
    return size == kPageBytes;
  }
  [[nodiscard]] bool write(unsigned index, std::size_t offset, std::span<const std::byte> bytes) {
    if (offset % unit != 0 || bytes.size() % unit != 0) ++faults;
    if (bytes.empty() || offset / 256 != (offset + bytes.size() - 1) / 256) ++faults;
    const std::size_t size = spend(bytes.size());
    for (std::size_t i = 0; i < size; ++i) {
      std::byte& at = pages.at(index).at(offset + i);
      if (at != std::byte{0xFF}) ++faults;  // written twice
      at &= bytes[i];
    }
    return size == bytes.size();
  }

  std::array<std::array<std::byte, kPageBytes>, Flash::kPages> pages;
  int operations_left = 1'000'000;  // until the power goes
  int operations = 0;
  int faults = 0;  // of the caller
  std::size_t unit = 8;

 private:
  std::size_t spend(std::size_t size) {
    ++operations;
    if (operations_left <= 0) return 0;
    return --operations_left == 0 ? size / 2 : size;
  }
};

class FakeBoard : public Board {
 public:
  explicit FakeBoard(FakeFlash& with) : flash(with) {}

  // ---- Board
  std::uint32_t ticks_ms() override { return ticks; }
  void random(std::span<std::byte> out) override {
    for (auto& byte : out) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<std::byte>(seed >> 56U);
    }
  }
  [[nodiscard]] std::span<const std::byte> page(unsigned index) const override {
    return flash.pages.at(index);
  }
  [[nodiscard]] bool erase(unsigned index) override { return flash.erase(index); }
  [[nodiscard]] bool write(unsigned index, std::size_t offset,
                           std::span<const std::byte> bytes) override {
    return flash.write(index, offset, bytes);
  }
  void poll() override { ++polls; }
  [[nodiscard]] bool can_restart() const override { return restarts >= 0; }
  void restart() override { ++restarts; }
  bool network_up() override { return network; }
  bool stream_open(std::string_view host, std::uint16_t port, bool) override {
    ++opens;
    opened = std::string{host} + ":" + std::to_string(port);
    if (host.data()[host.size()] != '\0') ++stream_faults;  // NOLINT: that is the promise
    if (state != StreamState::closed) ++stream_faults;      // the one before is not gone
    up.clear();
    down.clear();
    state = opening_works ? StreamState::open : StreamState::closed;
    return true;
  }
  StreamState stream_state() override { return state; }
  std::size_t stream_room() override { return state == StreamState::open ? room : 0; }
  void stream_send(std::span<const std::byte> bytes) override {
    up.insert(up.end(), bytes.begin(), bytes.end());
  }
  std::size_t stream_receive(std::span<std::byte> out) override {
    const std::size_t size = std::min(out.size(), down.size());
    std::copy_n(down.begin(), size, out.begin());
    down.erase(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(size));
    return size;
  }
  void stream_close() override {
    ++stream_closes;
    state = drains ? StreamState::open : StreamState::closed;
    down.clear();
  }
  void screen_pixels(const device::screen::Rect& area,
                     std::span<const device::screen::Colour> pixels) override {
    if (static_cast<std::size_t>(area.area()) != pixels.size()) ++screen_faults;
    for (const auto pixel : pixels) lit += pixel != 0 ? 1 : 0;
    if (keeps_pixels) shown.insert(shown.end(), pixels.begin(), pixels.end());
    if (keeps_pixels) areas.push_back(area);
    rows_sent += area.h;
  }
  void microphone_on(bool on) override { listening = on; }
  std::size_t microphone_read(std::span<std::int16_t> out) override {
    const std::size_t size = std::min(out.size(), heard.size());
    std::copy_n(heard.begin(), size, out.begin());
    heard.erase(heard.begin(), heard.begin() + static_cast<std::ptrdiff_t>(size));
    return size;
  }
  void speaker_on(bool on) override {
    awake = on;
    off_at = ticks;
  }
  std::size_t speaker_room() override { return speaker_wants; }
  void speaker_write(std::span<const std::int16_t> samples) override {
    const auto sounds = [](std::int16_t sample) { return sample != 0; };
    if (std::any_of(samples.begin(), samples.end(), sounds)) voice_at = ticks;
    if (!awake) ++speaker_faults;
    played.insert(played.end(), samples.begin(), samples.end());
    speaker_wants -= samples.size();
  }
  std::uint8_t buttons() override { return pins; }
  std::size_t console_read(std::span<char> out) override {
    const std::size_t size = std::min(out.size(), typed.size());
    std::copy_n(typed.begin(), size, out.begin());
    typed.erase(0, size);
    return size;
  }
  void console_line(std::string_view line) override { console.emplace_back(line); }
  void log(std::string_view what, std::string_view text) override {
    lines.push_back(std::string{what} + " " + std::string{text});
  }

  FakeFlash& flash;
  std::uint32_t ticks = 0xFFFFFF00U;  // soon to wrap around
  std::uint64_t seed = 7;
  bool network = true;
  bool opening_works = true;
  bool drains = false;  // what was closed is not gone yet
  int stream_faults = 0;
  int stream_closes = 0;
  int polls = 0;
  int restarts = -1;  // -1: it cannot
  StreamState state = StreamState::closed;
  int opens = 0;
  std::string opened;
  std::size_t room = 8'192;
  std::vector<std::byte> up;   // sent by the device, not yet read by the hub
  std::deque<std::byte> down;  // sent by the hub, not yet read by the device
  int screen_faults = 0;
  int rows_sent = 0;
  bool keeps_pixels = false;
  std::vector<device::screen::Colour> shown;  // all that was sent, one after the other
  std::vector<device::screen::Rect> areas;
  std::uint64_t lit = 0;
  bool listening = false;
  bool awake = false;
  std::deque<std::int16_t> heard;
  std::size_t speaker_wants = 0;
  std::vector<std::int16_t> played;
  int speaker_faults = 0;
  std::uint32_t voice_at = 0;  // when the last piece was written that is not silent
  std::uint32_t off_at = 0;    // when the speaker was switched
  std::uint8_t pins = 0;
  std::vector<std::string> lines;
  std::string typed;
  std::vector<std::string> console;
};

// The other end: RFC 6455 as a server, and what it got.
class FakeHub {
 public:
  explicit FakeHub(FakeBoard& board) : board_(board) {}

  // Answers the upgrade; false: there is no whole request yet.
  bool accept() {
    const std::string head{reinterpret_cast<const char*>(board_.up.data()), board_.up.size()};
    const auto end = head.find("\r\n\r\n");
    const auto at = head.find("Sec-WebSocket-Key: ");
    if (end == std::string::npos || at == std::string::npos) return false;
    request = head.substr(0, end);
    device::websocket::KeyText key{};
    std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(at + 19), key.size(), key.begin());
    const auto accept = device::websocket::accept_text(key);
    board_.up.erase(board_.up.begin(), board_.up.begin() + static_cast<std::ptrdiff_t>(end + 4));
    raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Protocol: hermes-gadget.v1\r\nSec-WebSocket-Accept: " +
        std::string{accept.data(), accept.size()} + "\r\n\r\n");
    return true;
  }
  void text(std::string_view message) { frame(0x81, message); }
  void binary(std::string_view message) { frame(0x82, message); }
  void raw(std::string_view bytes) {
    for (const char c : bytes) board_.down.push_back(static_cast<std::byte>(c));
  }
  void frame(std::uint8_t first, std::string_view payload) {
    std::string bytes{static_cast<char>(first)};
    if (payload.size() < 126) {
      bytes += static_cast<char>(payload.size());
    } else {
      bytes += static_cast<char>(126);
      bytes += static_cast<char>(payload.size() >> 8U);
      bytes += static_cast<char>(payload.size() & 0xFFU);
    }
    raw(bytes + std::string{payload});
  }
  // Takes the next whole frame apart: texts, audio and close codes go where they belong.
  void read() {
    auto& in = board_.up;
    while (in.size() >= 2) {
      const auto byte = [&in](std::size_t i) { return std::to_integer<std::size_t>(in[i]); };
      std::size_t size = byte(1) & 0x7FU;
      std::size_t at = 2;
      if (size == 126) {
        size = byte(2) << 8U | byte(3);
        at = 4;
      }
      if (in.size() < at + 4 + size) return;
      if ((byte(1) & 0x80U) == 0) ++unmasked;
      std::string payload;
      for (std::size_t i = 0; i < size; ++i) {
        payload += static_cast<char>(byte(at + 4 + i) ^ byte(at + i % 4));
      }
      switch (byte(0)) {
        case 0x81: texts.push_back(payload); break;
        case 0x82: binaries.push_back(payload); break;
        case 0x88: closes.push_back(payload); break;
        default: break;
      }
      in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(at + 4 + size));
    }
  }
  [[nodiscard]] bool got(std::string_view part) const {
    return std::any_of(texts.begin(), texts.end(), [part](const std::string& one) {
      return one.find(part) != std::string::npos;
    });
  }

  std::string request;
  std::vector<std::string> texts;
  std::vector<std::string> binaries;
  std::vector<std::string> closes;
  int unmasked = 0;

 private:
  FakeBoard& board_;
};

}  // namespace gadget::ports::port_template::test
