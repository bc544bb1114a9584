// What is sent from where it lies: whole, in order, and not touched when its owner may have it
// back.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include "wire/certificates_test_support.hpp"
#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

class LentBytes : public testing::TestWithParam<bool> {
 protected:
  ListenOptions listening() {
    ListenOptions options;
    if (!GetParam()) return options;
    const auto made = make_certificate(folder.path, "server", CertificateOptions{});
    auto loaded = TlsServer::load(made.certificate, made.key);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().text);
    options.tls = loaded.value_or(nullptr);
    return options;
  }
  ConnectOptions narrow(const EchoServer& server) {
    auto address = server.address();
    if (GetParam()) address.tls = *TlsClient::make({folder.path / "server.crt", "", {}});
    address.receive_buffer_bytes = 2048;  // so that writes end anywhere
    return address;
  }

  Folder folder;
};

// Parts below and above the size from which they are lent, more of them than one write takes.
TEST_P(LentBytes, LeaveWholeAndInOrderThroughANarrowPipe) {
  Loop loop;
  EchoServer server{loop.context, listening()};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(narrow(server));
    EXPECT_TRUE(client);
    co_await Loop::sleep(20ms);
    std::vector<std::pair<std::string, std::string>> parts;
    for (const std::size_t begin : {4UL, 1'023UL, 1'024UL, 1'284UL}) {
      for (const std::size_t rest : {0UL, 1UL, 1'023UL, 4'096UL, 30'000UL}) {
        std::string text(begin + rest, ' ');
        for (std::size_t i = 0; i < text.size(); ++i) {
          text[i] = static_cast<char>('a' + (i * 7 + parts.size()) % 26);
        }
        parts.emplace_back(text.substr(0, begin), text.substr(begin));
      }
    }
    std::vector<Outgoing> list;
    for (const auto& [begin, rest] : parts) {
      list.push_back({MessageKind::binary, bytes_of(begin), bytes_of(rest)});
    }
    bool written = false;
    const auto write = [&]() -> Task<> {
      for (int round = 0; round < 3; ++round) {
        auto result = co_await server.sockets.front().write(list);
        EXPECT_TRUE(result);
      }
      written = true;
    };
    boost::asio::co_spawn(loop.context, write, boost::asio::detached);
    for (std::size_t i = 0; i < 3 * parts.size(); ++i) {
      auto message = co_await client->socket.read();
      EXPECT_TRUE(message);
      if (!message) break;
      const auto& [begin, rest] = parts[i % parts.size()];
      EXPECT_EQ(message->text(), begin + rest) << i;
    }
    for (int i = 0; i < 200 && !written; ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(written);
  });
}

// The write fails at once; then its bytes are freed, while the system's answer is still to come.
TEST_P(LentBytes, AreNotTouchedAfterAnAbort) {
  Loop loop;
  EchoServer server{loop.context, listening()};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(narrow(server));
    EXPECT_TRUE(client);
    co_await Loop::sleep(20ms);
    auto large = std::make_unique<std::string>(4 * 1024 * 1024, 'x');
    bool ended = false;
    const auto write = [&]() -> Task<> {
      const std::vector<Outgoing> one{{MessageKind::binary, bytes_of(*large)}};
      auto written = co_await server.sockets.front().write(one);
      EXPECT_FALSE(written);
      large.reset();
      ended = true;
    };
    boost::asio::co_spawn(loop.context, write, boost::asio::detached);
    co_await Loop::sleep(50ms);
    EXPECT_FALSE(ended);
    EXPECT_GT(server.sockets.front().progress().pending_bytes, 1024U * 1024);
    server.sockets.front().abort();
    for (int i = 0; i < 200 && !ended; ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(ended);
    co_await Loop::sleep(20ms);
  });
}

INSTANTIATE_TEST_SUITE_P(Plain, LentBytes, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, LentBytes, testing::Values(true));

}  // namespace
}  // namespace gadget::wire::test
