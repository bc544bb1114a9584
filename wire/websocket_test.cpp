// What a connection does with frames, right and wrong, over a real socket.
#include "wire/websocket.hpp"

#include <fstream>
#include <thread>

#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

struct Case {
  const char* name;
  const char* hex;  // sent by the client after the upgrade, masked with 00000000
  std::uint16_t code;
};

class Faults : public testing::TestWithParam<Case> {};

TEST_P(Faults, CloseWithTheRightCode) {
  Loop loop;
  EchoServer server{loop.context};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    auto head = co_await raw->upgrade(UpgradeOptions{}, kPatience);
    EXPECT_TRUE(head);
    co_await raw->send(unhex(GetParam().hex));
    auto frame = co_await raw->receive_frame(kPatience);
    EXPECT_TRUE(frame) << (frame ? "" : frame.error().text);
    if (!frame) co_return;
    EXPECT_EQ(frame->opcode, 8);
    EXPECT_EQ(frame->close_code(), GetParam().code);
    auto end = co_await raw->receive(kPatience);  // and nothing after it
    EXPECT_FALSE(end);
    co_await server.until_closed(1);
  });
  ASSERT_EQ(server.closed.size(), 1U);
  EXPECT_EQ(server.closed[0].by, ClosedBy::fault);
  EXPECT_EQ(server.closed[0].code, GetParam().code);
  EXPECT_TRUE(server.messages.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rfc6455, Faults,
    testing::Values(
        Case{"B03_NewTextInsideAFragmentedMessage", "01 81 00000000 7b 81 81 00000000 7d", 1002},
        Case{"B04_FragmentedControlFrame", "09 80 00000000", 1002},
        Case{"B06_DeclaredLengthBeyondTheLimit", "82 ff 0000000001000000 00000000", 1009},
        Case{"B07_OrphanContinuation", "80 80 00000000", 1002},
        Case{"B11_Rsv1WithoutExtension", "c1 82 00000000 7b7d", 1002},
        Case{"Rsv2", "a1 80 00000000", 1002}, Case{"Rsv3OnControl", "99 80 00000000", 1002},
        Case{"UnmaskedFrame", "81 02 7b7d", 1002}, Case{"UnmaskedControl", "89 00", 1002},
        Case{"ReservedDataOpcode", "83 80 00000000", 1002},
        Case{"ReservedControlOpcode", "8b 80 00000000", 1002},
        Case{"ControlBeyond125", "89 fe 007e 00000000", 1002},
        Case{"LengthNotInItsShortForm16", "81 fe 0002 00000000 7b7d", 1002},
        Case{"LengthNotInItsShortForm64", "81 ff 0000000000000002 00000000 7b7d", 1002},
        Case{"InvalidUtf8", "81 82 00000000 c328", 1007},
        Case{"Utf8Surrogate", "81 83 00000000 eda080", 1007},
        Case{"Utf8EndsInsideACharacter", "81 81 00000000 c3", 1007},
        Case{"Utf8EndsInsideACharacterWithAnEmptyLastFragment",
             "01 82 00000000 7bc3 80 80 00000000", 1007},
        Case{"Utf8EndsInsideALongCharacterWithAnEmptyLastFragment",
             "01 83 00000000 f09f98 80 80 00000000", 1007},
        Case{"CloseWithOneByte", "88 81 00000000 03", 1002},
        Case{"CloseWithAReservedCode", "88 82 00000000 03ed", 1002},
        Case{"CloseWithAnUnknownCode", "88 82 00000000 0001", 1002}),
    [](const auto& tested) { return std::string{tested.param.name}; });

TEST(WebSocket, B06_FragmentsCountTogetherAgainstTheLimit) {
  Loop loop;
  EchoServer server{loop.context};
  server.silent = true;
  server.prepare = [](WebSocket& socket) { socket.set_message_limit(100); };
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await raw->send_frame(RawFrame{1, std::string(60, 'a'), false}, 1);
    co_await raw->send_frame(RawFrame{0, std::string(41, 'a')}, 1);
    auto frame = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(frame->close_code(), 1009);
  });
  EXPECT_TRUE(server.messages.empty());
}

TEST(WebSocket, E6_AMessageOfExactlyTheLimitPasses) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    EXPECT_TRUE(client);
    const std::string text(kMessageLimitBytes, 'x');
    co_await client->socket.write(text);
    auto back = co_await client->socket.read();
    EXPECT_TRUE(back);
    if (back) {
      EXPECT_EQ(back->text(), text);
    }
    const std::string longer(kMessageLimitBytes + 1, 'x');
    co_await client->socket.write(longer);
    auto end = co_await client->socket.read();
    EXPECT_FALSE(end);
    if (!end) {
      EXPECT_EQ(end.error().code, 1009);
    }
  });
}

TEST(WebSocket, B73_TheLimitCanBeRaisedLater) {
  Loop loop;
  EchoServer server{loop.context};
  int seen = 0;
  server.prepare = [&](WebSocket& socket) {
    socket.set_message_limit(10);
    socket.on_sign_of_life([&seen, &socket] {
      if (++seen == 1) socket.set_message_limit(1000);
    });
  };
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    co_await client->socket.write("small");
    auto first = co_await client->socket.read();
    EXPECT_TRUE(first);
    co_await client->socket.ping();
    const std::string larger(1000, 'y');
    co_await client->socket.write(larger);
    auto second = co_await client->socket.read();
    EXPECT_TRUE(second);
    if (second) {
      EXPECT_EQ(second->bytes.size(), 1000U);
    }
  });
}

TEST(WebSocket, B01_B02_ControlFramesBetweenFragmentsLeaveTheMessageIntact) {
  Loop loop;
  EchoServer server{loop.context};
  int signs = 0;
  server.prepare = [&](WebSocket& socket) { socket.on_sign_of_life([&signs] { ++signs; }); };
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await raw->send(unhex("01 85 00000000 7b22747970"));  // {"typ
    co_await raw->send(unhex("89 82 00000000 6869"));        // ping "hi"
    auto pong = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(pong->opcode, 10);
    EXPECT_EQ(pong->payload, "hi");
    co_await raw->send(unhex("8a 80 00000000"));  // pong
    co_await raw->send(unhex("00 80 00000000"));  // empty fragment
    co_await raw->send(unhex("80 85 00000000 65223a317d"));
    auto echo = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(echo->opcode, 1);
    EXPECT_TRUE(echo->fin);
    EXPECT_EQ(echo->payload, "{\"type\":1}");
    EXPECT_GE(signs, 3);  // ping, pong, the first piece of text
    // B-02: a close inside a fragmented message is honoured at once.
    co_await raw->send(unhex("01 81 00000000 7b 88 85 00000000 03e8 627965"));
    auto close = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(close->opcode, 8);
    EXPECT_EQ(close->close_code(), 1000);
    co_await server.until_closed(1);
    EXPECT_EQ(server.closed[0].by, ClosedBy::peer);
    EXPECT_EQ(server.closed[0].code, 1000);
    EXPECT_EQ(server.closed[0].reason, "bye");
  });
  EXPECT_EQ(server.messages.size(), 1U);
}

TEST(WebSocket, B10_AMessageInSingleBytesIsOneMessage) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    const auto bytes = encode_frame({1, "in single bytes"}, 0x12345678);
    for (const char byte : bytes) co_await raw->send(std::string(1, byte));
    auto echo = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(echo->payload, "in single bytes");
  });
  EXPECT_EQ(server.messages.size(), 1U);
}

TEST(WebSocket, TextAndBinaryKeepTheirKindsAndEmptyMessagesArrive) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    EXPECT_EQ(client->subprotocol, "hermes-gadget.v1");
    const std::string data("\0\xff\x80", 3);
    co_await client->socket.write(MessageKind::binary, std::as_bytes(std::span{data}));
    auto binary = co_await client->socket.read();
    EXPECT_EQ(binary->kind, MessageKind::binary);
    EXPECT_EQ(binary->text(), data);
    co_await client->socket.write("");
    auto empty = co_await client->socket.read();
    EXPECT_EQ(empty->kind, MessageKind::text);
    EXPECT_EQ(empty->bytes.size(), 0U);
  });
}

TEST(WebSocket, MessagesOfOneStepLeaveTogetherAndInOrder) {
  Loop loop;
  EchoServer server{loop.context};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await Loop::sleep(20ms);
    const std::string a = "first";
    const std::string b(3000, 'b');
    const std::vector<Outgoing> list = {{MessageKind::text, std::as_bytes(std::span{a})},
                                        {MessageKind::binary, std::as_bytes(std::span{b})},
                                        {MessageKind::text, std::as_bytes(std::span{a})}};
    const auto before = server.sockets.front().progress().taken_bytes;
    auto written = co_await server.sockets.front().write(list);
    EXPECT_TRUE(written);
    EXPECT_EQ(server.sockets.front().progress().pending_bytes, 0U);
    EXPECT_EQ(server.sockets.front().progress().taken_bytes - before, 2U + 5 + 4 + 3000 + 2 + 5);
    auto bytes = co_await raw->receive(kPatience);
    EXPECT_EQ(bytes->size(), 3018U);  // one segment on the loopback: one write
    auto first = decode_frame(*bytes);
    auto second = decode_frame(*bytes);
    auto third = decode_frame(*bytes);
    EXPECT_EQ((*first)->payload, a);
    EXPECT_EQ((*second)->payload, b);
    EXPECT_EQ((*third)->payload, a);
  });
}

// The three forms of a frame's length, and a peer's ping in between.
TEST(WebSocket, MessagesOfEveryLengthLeaveWhole) {
  Loop loop;
  EchoServer server{loop.context};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await Loop::sleep(20ms);
    for (const std::size_t size : {0UL, 1UL, 125UL, 126UL, 65'535UL, 65'536UL}) {
      co_await raw->send_frame(RawFrame{9, "are you there"}, 1);
      const std::string text(size, 'x');
      const std::vector<Outgoing> one = {{MessageKind::text, std::as_bytes(std::span{text})}};
      auto written = co_await server.sockets.front().write(one);
      EXPECT_TRUE(written);
      bool pong = false;
      bool message = false;
      while (!pong || !message) {
        auto frame = co_await raw->receive_frame(kPatience);
        if (!frame) break;
        if (frame->opcode == 10) {
          pong = true;
        } else {
          message = true;
          EXPECT_EQ(frame->opcode, 1);
          EXPECT_EQ(frame->payload, text);
        }
      }
      EXPECT_TRUE(pong && message) << size;
    }
  });
}

TEST(WebSocket, CloseIsAnsweredAndSaysSo) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    auto closed = co_await client->socket.close(1000, "leaving");
    EXPECT_EQ(closed.by, ClosedBy::us);
    EXPECT_EQ(closed.code, 1000);
    EXPECT_TRUE(closed.answered);
    co_await server.until_closed(1);
    EXPECT_EQ(server.closed[0].by, ClosedBy::peer);
    EXPECT_EQ(server.closed[0].code, 1000);
    EXPECT_EQ(server.closed[0].reason, "leaving");
  });
}

TEST(WebSocket, E12_ACloseThatIsNotAnsweredIsBounded) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await Loop::sleep(20ms);
    const auto begun = std::chrono::steady_clock::now();
    auto closed = co_await server.sockets.front().close(1001, "server stopping", 200ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 190ms);
    EXPECT_FALSE(closed.answered);
    EXPECT_EQ(closed.by, ClosedBy::us);
    co_await server.until_closed(1);  // its read ended too
    auto frame = co_await raw->receive_frame(kPatience);
    EXPECT_EQ(frame->close_code(), 1001);
    EXPECT_EQ(frame->close_reason(), "server stopping");
  });
}

TEST(WebSocket, AReasonThatIsTooLongIsCutBetweenCharacters) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    std::string reason;
    for (int i = 0; i < 100; ++i) reason += "\xc3\xa9";
    auto closed = co_await client->socket.close(1000, reason);
    EXPECT_TRUE(closed.answered);
    co_await server.until_closed(1);
    EXPECT_EQ(server.closed[0].reason, reason.substr(0, 122));
  });
}

TEST(WebSocket, APeerThatVanishesIsLostNotClosed) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto first = co_await RawConnection::connect(server.address());
    co_await first->upgrade(UpgradeOptions{}, kPatience);
    first->reset();
    co_await server.until_closed(1);
    auto second = co_await RawConnection::connect(server.address());
    co_await second->upgrade(UpgradeOptions{}, kPatience);
    second->close();
    co_await server.until_closed(2);
    for (const auto& closed : server.closed) {
      EXPECT_EQ(closed.by, ClosedBy::lost);
      EXPECT_EQ(closed.code, close_code::lost);
    }
  });
}

TEST(WebSocket, E2_B32_AStalledWriteIsVisibleAndCanBeCutOff) {
  Loop loop;
  EchoServer server{loop.context};
  server.silent = true;
  loop.run([&]() -> Task<> {
    auto options = server.address();
    options.receive_buffer_bytes = 2048;
    auto raw = co_await RawConnection::connect(options);
    co_await raw->upgrade(UpgradeOptions{}, kPatience);
    co_await Loop::sleep(20ms);
    auto& socket = server.sockets.front();
    const std::string large(8 * 1024 * 1024, 'x');
    bool ended = false;
    boost::asio::co_spawn(
        loop.context,
        [&]() -> Task<> {
          auto written =
              co_await socket.write(MessageKind::binary, std::as_bytes(std::span{large}));
          EXPECT_FALSE(written);
          ended = true;
        },
        boost::asio::detached);
    co_await Loop::sleep(300ms);
    const auto progress = socket.progress();
    EXPECT_GT(progress.pending_bytes, 4U * 1024 * 1024);
    EXPECT_LT(progress.stalled_since, std::chrono::steady_clock::now() - 100ms);
    EXPECT_FALSE(ended);
    // A close cannot get through; it is bounded all the same.
    auto closed = co_await socket.close(1013, "too slow", 100ms);
    EXPECT_FALSE(closed.answered);
    for (int i = 0; i < 200 && !ended; ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(ended);
  });
}

TEST(WebSocket, B29_AbortFromItsOwnCallbackAndDestructionWhileInUse) {
  Loop loop;
  EchoServer server{loop.context};
  server.prepare = [](WebSocket& socket) { socket.on_sign_of_life([&socket] { socket.abort(); }); };
  loop.run([&]() -> Task<> {
    auto client = co_await open_websocket(server.address());
    const std::string comes_in_pieces(50'000, 'x');
    co_await client->socket.write(comes_in_pieces);
    auto end = co_await client->socket.read();
    EXPECT_FALSE(end);
    co_await server.until_closed(1);
    EXPECT_EQ(server.closed[0].by, ClosedBy::us);

    server.prepare = nullptr;
    auto second = co_await open_websocket(server.address());
    auto third = co_await open_websocket(server.address());
    bool ended = false;
    auto* reading = &second->socket;
    const auto read_to_the_end = [&ended, reading]() -> Task<> {
      auto read = co_await reading->read();
      EXPECT_FALSE(read);
      ended = true;
    };
    boost::asio::co_spawn(loop.context, read_to_the_end, boost::asio::detached);
    co_await Loop::sleep(10ms);
    second->socket = std::move(third->socket);  // the first one is destroyed while it reads
    for (int i = 0; i < 200 && !ended; ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(ended);
  });
}

TEST(WebSocket, B30_B31_ClosingAllWhileTheyTalk) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    std::vector<Upgraded> clients;
    for (int i = 0; i < 20; ++i) {
      auto client = co_await open_websocket(server.address());
      EXPECT_TRUE(client);
      clients.push_back(std::move(*client));
    }
    const std::string text(20000, 'z');
    for (auto& client : clients) co_await client.socket.write(text);
    for (auto& socket : server.sockets) socket.start_close(1001, "server stopping");
    for (auto& client : clients) {
      for (;;) {
        auto message = co_await client.socket.read();
        if (message) continue;
        EXPECT_EQ(message.error().code, 1001);
        EXPECT_EQ(message.error().by, ClosedBy::peer);
        break;
      }
    }
    co_await server.until_closed(20);
  });
}

// Resident kilobytes of this process.
long resident_kb() {
  std::ifstream file{"/proc/self/statm"};
  long all = 0;
  long resident = 0;
  file >> all >> resident;
  return resident * 4;
}

TEST(WebSocket, B06_MemoryGrowsWithBytesThatArriveNotWithLengthsDeclared) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory hides it";
#endif
  Loop loop;
  ListenOptions options;
  options.lobby = Lobby::make({1000, 1000});
  EchoServer server{loop.context, options};
  constexpr int kSockets = 200;
  loop.run([&]() -> Task<> {
    std::vector<RawConnection> all;
    for (int i = 0; i < kSockets; ++i) {
      auto raw = co_await RawConnection::connect(server.address());
      auto head = co_await raw->upgrade(UpgradeOptions{}, kPatience);
      EXPECT_TRUE(head);
      all.push_back(std::move(*raw));
    }
    const auto before = resident_kb();
    for (auto& raw : all) {
      auto sent = co_await raw.send(unhex("82 fe fff0 00000000 01020304"));  // 65,520 bytes to come
      EXPECT_TRUE(sent);
    }
    co_await Loop::sleep(100ms);
    EXPECT_LT(resident_kb() - before, kSockets * 8);
    EXPECT_TRUE(server.closed.empty());
  });
}

// TSan: the server's loop and the clients' loops are threads of their own.
TEST(WebSocket, B29_ThreadsApart) {
  Loop server_loop;
  EchoServer server{server_loop.context};
  const auto work = boost::asio::make_work_guard(server_loop.context);
  std::thread serving{[&] { server_loop.context.run(); }};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([address = server.address()] {
      Loop loop;
      loop.run([&]() -> Task<> {
        auto client = co_await open_websocket(address);
        EXPECT_TRUE(client);
        for (int i = 0; i < 50; ++i) {
          const auto text = "message " + std::to_string(i);
          co_await client->socket.write(text);
          auto back = co_await client->socket.read();
          EXPECT_TRUE(back);
          if (back) {
            EXPECT_EQ(back->text(), text);
          }
        }
        co_await client->socket.close(1000, "");
      });
    });
  }
  for (auto& thread : threads) thread.join();
  server_loop.context.stop();
  serving.join();
}

}  // namespace
}  // namespace gadget::wire::test
