// Fuzz target: whatever a server sends, in whatever pieces, the client ends at most once, sends
// only whole frames and reads nothing outside what it was given. The first byte steers, the rest is
// what comes in after the upgrade (or instead of it).
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device/websocket/client.hpp"

namespace {

namespace ws = gadget::device::websocket;

void require(bool holds) {
  if (!holds) std::abort();
}

class FuzzPort final : public ws::Port {
 public:
  explicit FuzzPort(std::uint8_t steer) : steer_(steer) {}

  void random(std::span<std::byte> out) override {
    // The nonce of RFC 6455's example, so that its answer is right.
    constexpr std::string_view kNonce = "the sample nonce";
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(kNonce[i % 16]);
  }
  std::size_t room() const override { return (steer_ & 8U) != 0 ? 300 : 100'000; }
  void send(std::span<const std::byte> bytes) override { require(bytes.size() <= room()); }
  void on_open(std::string_view) override { act(); }
  void on_message(const ws::Message& message) override {
    require(message.bytes.size() <= message.total_bytes);
    require(message.total_bytes <= ws::kMessageBytes);
    gadget::protocol::Utf8Check check;
    if (message.kind == ws::Kind::text) {
      for (const auto byte : message.bytes) require(check.take(byte));
      require(check.at_boundary());
    }
    act();
  }
  void on_closed(const ws::Closed&) override { end(); }
  void on_refused(const ws::Refused&) override { end(); }

  ws::Client* client = nullptr;
  int ends = 0;

 private:
  void act() {
    if ((steer_ & 16U) != 0) static_cast<void>(client->send("from within"));
    if ((steer_ & 32U) != 0 && ++acts_ == 3) client->close(1000, "enough");
  }
  void end() {
    ++ends;
    require(ends == 1);
    require(!client->is_open());
  }
  std::uint8_t steer_;
  int acts_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t steer = data[0];
  FuzzPort port{steer};
  std::array<std::byte, 512> buffer{};
  ws::Client client{buffer, port};
  port.client = &client;
  if (!client.start({"hub", "/gadget", "hermes-gadget.v1"})) return 0;
  if ((steer & 1U) == 0) {
    constexpr std::string_view kAnswer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    client.feed(std::as_bytes(std::span{kAnswer}));
    require(client.is_open());
  }
  const std::size_t piece = (steer & 2U) != 0 ? 1 : (steer & 4U) != 0 ? 7 : size;
  for (std::size_t at = 1; at < size; at += piece) {
    const std::size_t count = piece < size - at ? piece : size - at;
    const std::vector<std::uint8_t> exact(data + at, data + at + count);
    client.feed(std::as_bytes(std::span{exact}));
    if ((steer & 64U) != 0) client.pump();
  }
  client.stream_ended();
  require(port.ends == 1);
  return 0;
}
