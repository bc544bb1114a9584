// test_server.hpp - a server without a socket for tests of the client: its frames, what the client
// sent, and bytes that arrive in one piece, one by one (B-10) or in random pieces.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/websocket/client.hpp"

namespace gadget::device::websocket::test {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

inline std::string unhex(std::string_view hex) {
  std::string out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return out;
}

// A server's frame.
inline std::string frame(unsigned first, const std::string& payload) {
  std::string out(1, static_cast<char>(first));
  if (payload.size() < 126) {
    out += static_cast<char>(payload.size());
  } else if (payload.size() < 65536) {
    out += static_cast<char>(126);
    out += static_cast<char>(payload.size() >> 8U & 0xFFU);
    out += static_cast<char>(payload.size() & 0xFFU);
  } else {
    out += static_cast<char>(127);
    for (int shift = 56; shift >= 0; shift -= 8) {
      out += static_cast<char>(payload.size() >> static_cast<unsigned>(shift) & 0xFFU);
    }
  }
  return out + payload;
}

// What a client sent, unmasked; fails the test when it is not masked or not whole.
struct SentFrame {
  unsigned first = 0;
  std::string payload;
};
inline std::vector<SentFrame> sent_frames(const std::string& bytes) {
  std::vector<SentFrame> list;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes.at(i)); };
    SentFrame next;
    next.first = byte(at);
    EXPECT_NE(byte(at + 1) & 0x80U, 0U) << "not masked";
    std::size_t size = byte(at + 1) & 0x7FU;
    at += 2;
    const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (extra > 0) size = 0;
    for (std::size_t i = 0; i < extra; ++i) size = size << 8U | byte(at++);
    const std::string mask = bytes.substr(at, 4);
    at += 4;
    EXPECT_LE(at + size, bytes.size());
    next.payload = bytes.substr(at, size);
    for (std::size_t i = 0; i < next.payload.size(); ++i) {
      next.payload[i] = static_cast<char>(next.payload[i] ^ mask[i % 4]);
    }
    at += size;
    list.push_back(next);
  }
  return list;
}

inline const std::string kAnswer =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    "Sec-WebSocket-Protocol: hermes-gadget.v1\r\n\r\n";

class Bench : public Port {
 public:
  explicit Bench(std::size_t buffer_bytes = 4096) : buffer(buffer_bytes) {
    client = std::make_unique<Client>(std::span<std::byte>{buffer}, *this);
  }

  // The key of RFC 6455's example, then masks that differ.
  void random(std::span<std::byte> into) override {
    if (into.size() == 16) {
      const std::string_view nonce = "the sample nonce";
      for (std::size_t i = 0; i < 16; ++i) into[i] = static_cast<std::byte>(nonce[i]);
      return;
    }
    for (auto& byte : into) byte = static_cast<std::byte>(++masks * 37U);
  }
  std::size_t room() const override { return room_bytes - std::min(room_bytes, out.size()); }
  void send(std::span<const std::byte> bytes) override {
    ASSERT_LE(bytes.size(), room());
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void on_open(std::string_view protocol) override {
    ++opened;
    subprotocol = protocol;
    if (act_open) act_open();
  }
  void on_message(const Message& message) override {
    messages.emplace_back(message.text());
    kinds.push_back(message.kind);
    totals.push_back(message.total_bytes);
    if (act_message) act_message();
  }
  void on_closed(const Closed& end) override {
    ++ends;
    closed = end;
    reason = end.reason;
    closed.reason = reason;
    if (act_closed) act_closed();
  }
  void on_refused(const Refused& end) override {
    ++ends;
    refused = end;
    if (act_closed) act_closed();
  }
  void on_sign_of_life() override {
    ++signs;
    if (act_sign) act_sign();
  }

  void open() {
    ASSERT_TRUE(client->start({"hub:8765"}));
    out.clear();
    client->feed(bytes_of(kAnswer));
    ASSERT_EQ(opened, 1);
  }
  void feed(const std::string& bytes, std::size_t piece) {
    std::minstd_rand dice{static_cast<unsigned>(bytes.size())};
    for (std::size_t at = 0; at < bytes.size() && client;) {
      const std::size_t size = piece > 0 ? piece : 1 + dice() % 7;
      const auto part = std::string_view{bytes}.substr(at, size);
      // A copy of exactly this size: the sanitizer sees a read beyond it.
      const std::vector<char> exact(part.begin(), part.end());
      client->feed(std::as_bytes(std::span{exact}));
      at += part.size();
    }
  }

  std::vector<std::byte> buffer;
  std::unique_ptr<Client> client;
  std::string out;
  std::size_t room_bytes = 1 << 20;
  unsigned masks = 0;
  int opened = 0;
  int ends = 0;
  int signs = 0;
  std::string subprotocol;
  std::vector<std::string> messages;
  std::vector<Kind> kinds;
  std::vector<std::uint64_t> totals;
  Closed closed;
  std::string reason;
  std::optional<Refused> refused;
  std::function<void()> act_open, act_message, act_closed, act_sign;
};

inline constexpr std::size_t kPieces[] = {1 << 20, 1, 2, 3, 0};

}  // namespace gadget::device::websocket::test
