// The byte stream by itself, and the device's WebSocket client on it against the hub's side.
#include "wire/byte_stream.hpp"

#include <array>

#include <openssl/rand.h>

#include "device/websocket/client.hpp"
#include "wire/certificates_test_support.hpp"
#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

// What a desktop port is: a stream and a client on it.
class Device : public device::websocket::Port {
 public:
  explicit Device(Loop& loop)
      : stream(std::make_unique<ByteStream>(
            loop.context.get_executor(),
            ByteStreamCalls{[this] {
                              EXPECT_TRUE(client.start({"hub:1", "/gadget", "hermes-gadget.v1"}));
                            },
                            [this](std::span<const std::byte> bytes) { client.feed(bytes); },
                            [this] { client.pump(); },
                            [this](const Failure& failure) {
                              ended = failure;
                              client.stream_ended();
                            }})) {}

  void random(std::span<std::byte> out) override {
    RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
  }
  std::size_t room() const override { return stream->room(); }
  void send(std::span<const std::byte> bytes) override { EXPECT_TRUE(stream->write(bytes)); }
  void on_open(std::string_view selected) override { protocol = selected; }
  void on_message(const device::websocket::Message& message) override {
    messages.emplace_back(message.text());
  }
  void on_closed(const device::websocket::Closed& end) override {
    close_code = end.code;
    stream->close();
  }
  void on_refused(const device::websocket::Refused& end) override {
    refused = end;
    stream->close();
  }

  Task<> until(std::function<bool()> done) {
    for (int i = 0; i < 2000 && !done(); ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(done());
  }

  std::array<std::byte, 65'536> buffer{};
  device::websocket::Client client{buffer, *this};
  std::unique_ptr<ByteStream> stream;
  std::string protocol = "none yet";
  std::vector<std::string> messages;
  std::optional<Failure> ended;
  std::optional<device::websocket::Refused> refused;
  int close_code = 0;
};

ByteStreamOptions to(std::uint16_t port) {
  ByteStreamOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  return options;
}

TEST(DeviceOnByteStream, TalksToTheHubsSide) {
  Loop loop;
  EchoServer server{loop.context};
  Device device{loop};
  loop.run([&]() -> Task<> {
    device.stream->connect(to(server.listener->port()));
    co_await device.until([&] { return device.client.is_open(); });
    EXPECT_EQ(device.protocol, "hermes-gadget.v1");
    const std::string large(60'000, 'l');
    EXPECT_TRUE(device.client.send("{\"type\":\"hello\"}"));
    EXPECT_TRUE(device.client.send(large));
    co_await device.until([&] { return device.messages.size() == 2; });
    EXPECT_EQ(device.messages[0], "{\"type\":\"hello\"}");
    EXPECT_EQ(device.messages[1], large);
    // In pieces, with a ping of the hub between the fragments.
    EXPECT_TRUE(device.client.begin(device::websocket::Kind::text, 30));
    EXPECT_EQ(device.client.more(std::as_bytes(std::span{large}.first(20))), 20U);
    co_await server.sockets.front().ping();
    co_await Loop::sleep(20ms);
    EXPECT_EQ(device.client.more(std::as_bytes(std::span{large}.first(10))), 10U);
    co_await device.until([&] { return device.messages.size() == 3; });
    EXPECT_EQ(device.messages[2], large.substr(0, 30));
    device.client.close(1000, "leaving");
    co_await server.until_closed(1);
    EXPECT_EQ(server.closed[0].code, 1000);
    EXPECT_EQ(server.closed[0].reason, "leaving");
    co_await device.until([&] { return device.close_code == 1000; });
    EXPECT_FALSE(device.ended);
  });
}

TEST(DeviceOnByteStream, T2_TalksThroughTlsAndRefusesAnotherKey) {
  Folder folder;
  const auto made = make_certificate(folder.path, "server", {});
  Loop loop;
  ListenOptions listen;
  listen.tls = *TlsServer::load(made.certificate, made.key);
  EchoServer server{loop.context, listen};
  Device device{loop};
  loop.run([&]() -> Task<> {
    auto options = to(server.listener->port());
    options.tls = *TlsClient::make({made.certificate, "", {}});
    device.stream->connect(options);
    co_await device.until([&] { return device.client.is_open(); });
    EXPECT_TRUE(device.client.send("over TLS"));
    co_await device.until([&] { return !device.messages.empty(); });
    EXPECT_EQ(device.messages[0], "over TLS");
    options.tls = *TlsClient::make({"", std::string(64, 'a'), {}});
    device.stream->connect(options);  // the open connection ends without `ended`
    co_await device.until([&] { return device.ended.has_value(); });
    EXPECT_EQ(device.ended->code, FailureCode::refused);
  });
}

TEST(DeviceOnByteStream, E27_AnHttpStatusAndRetryAfterAreReported) {
  Loop loop;
  ListenOptions listen;
  listen.lobby = Lobby::make({10, 0});
  EchoServer server{loop.context, listen};
  Device device{loop};
  loop.run([&]() -> Task<> {
    device.stream->connect(to(server.listener->port()));
    co_await device.until([&] { return device.refused.has_value(); });
    EXPECT_EQ(device.refused->http_status, 503);
    EXPECT_EQ(device.refused->retry_after_s, 10U);
  });
}

TEST(DeviceOnByteStream, B15_TheFirstMessageInTheSameSegmentAsTheAnswer) {
  Loop loop;
  auto hub = RawListener::open(loop.context.get_executor(), "127.0.0.1", 0);
  ASSERT_TRUE(hub);
  Device device{loop};
  loop.run([&]() -> Task<> {
    device.stream->connect(to((*hub)->port()));
    auto connection = co_await (*hub)->accept(kPatience);
    auto behind = encode_frame({1, "challenge"}) + encode_frame({1, "second"});
    auto head = co_await connection->accept_upgrade("hermes-gadget.v1", kPatience, behind);
    EXPECT_TRUE(head);
    co_await device.until([&] { return device.messages.size() == 2; });
    EXPECT_EQ(device.messages[0], "challenge");
    // The device's frames, seen raw.
    EXPECT_TRUE(device.client.send("hello"));
    auto frame = co_await connection->receive_frame(kPatience);
    EXPECT_TRUE(frame->masked);
    EXPECT_EQ(frame->payload, "hello");
    connection->reset();
    co_await device.until([&] { return device.ended.has_value(); });
    EXPECT_EQ(device.close_code, 1006);
  });
}

TEST(ByteStream, NobodyThereIsAFailureAndNothingBlocks) {
  Loop loop;
  std::uint16_t port = 0;
  {
    auto hub = RawListener::open(loop.context.get_executor(), "127.0.0.1", 0);
    port = (*hub)->port();
  }
  Device device{loop};
  loop.run([&]() -> Task<> {
    const auto before = std::chrono::steady_clock::now();
    device.stream->connect(to(port));
    EXPECT_FALSE(device.stream->write(std::as_bytes(std::span{"x", 1})));
    EXPECT_LT(std::chrono::steady_clock::now() - before, 100ms);
    co_await device.until([&] { return device.ended.has_value(); });
    EXPECT_EQ(device.ended->code, FailureCode::io);
  });
}

TEST(ByteStream, E27_AHubThatNeverAnswersTlsTimesOut) {
  Loop loop;
  auto hub = RawListener::open(loop.context.get_executor(), "127.0.0.1", 0);
  Device device{loop};
  loop.run([&]() -> Task<> {
    auto options = to((*hub)->port());
    options.tls = *TlsClient::make({"", std::string(64, 'a'), {}});
    options.connect_timeout = 200ms;
    device.stream->connect(options);
    co_await device.until([&] { return device.ended.has_value(); });
    EXPECT_EQ(device.ended->code, FailureCode::timeout);
  });
}

TEST(ByteStream, TheQueueIsBoundedAndCloseSendsWhatIsQueued) {
  Loop loop;
  auto hub = RawListener::open(loop.context.get_executor(), "127.0.0.1", 0);
  ByteStream stream{loop.context.get_executor(), {}};
  loop.run([&]() -> Task<> {
    auto options = to((*hub)->port());
    options.queue_limit_bytes = 1000;
    stream.connect(options);
    auto connection = co_await (*hub)->accept(kPatience);
    for (int i = 0; i < 200 && !stream.is_open(); ++i) co_await Loop::sleep(5ms);
    const std::string text(600, 'q');
    EXPECT_EQ(stream.room(), 1000U);
    EXPECT_TRUE(stream.write(std::as_bytes(std::span{text})));
    EXPECT_EQ(stream.room(), 400U);
    EXPECT_FALSE(stream.write(std::as_bytes(std::span{text})));
    stream.close();
    EXPECT_FALSE(stream.is_open());
    std::string received;
    for (;;) {
      auto bytes = co_await connection->receive(kPatience);
      if (!bytes) break;
      received += *bytes;
    }
    EXPECT_EQ(received, text);
  });
}

TEST(ByteStream, B29_ACallbackMayDestroyTheStream) {
  Loop loop;
  auto hub = RawListener::open(loop.context.get_executor(), "127.0.0.1", 0);
  std::unique_ptr<ByteStream> stream;
  int calls = 0;
  ByteStreamCalls hooks;
  hooks.received = [&](std::span<const std::byte>) {
    ++calls;
    stream.reset();
  };
  hooks.ended = [&](const Failure&) { ++calls; };
  stream = std::make_unique<ByteStream>(loop.context.get_executor(), hooks);
  loop.run([&]() -> Task<> {
    stream->connect(to((*hub)->port()));
    auto connection = co_await (*hub)->accept(kPatience);
    co_await connection->send("anything");
    auto end = co_await connection->receive(kPatience);
    EXPECT_FALSE(end);
    co_await Loop::sleep(20ms);
    EXPECT_EQ(calls, 1);
  });
}

}  // namespace
}  // namespace gadget::wire::test
