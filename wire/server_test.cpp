// The hub's side of HTTP and of WebSocket's framing, against bytes over a real socket.
#include "wire/server.hpp"

#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

std::string request(const std::string& headers, const std::string& line = "GET /gadget HTTP/1.1") {
  return line + "\r\nHost: 127.0.0.1\r\n" + headers + "\r\n";
}
const std::string kVersion = "Sec-WebSocket-Version: 13\r\n";
const std::string kKey = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const std::string kUpgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n" + kVersion + kKey;

// Sends `bytes` on a new connection and gives the head of the answer.
RawHead answer_to(const std::string& bytes) {
  Loop loop;
  EchoServer server{loop.context};
  RawHead head;
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    EXPECT_TRUE(raw);
    if (!raw) co_return;
    auto sent = co_await raw->send(bytes);
    EXPECT_TRUE(sent);
    auto answer = co_await raw->receive_head(kPatience);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().text);
    if (answer) head = *answer;
  });
  return head;
}

TEST(Handshake, T3_AcceptValueIsThatOfTheStandardsExample) {
  const auto head = answer_to(request(kUpgrade));
  EXPECT_EQ(head.status, 101U);
  EXPECT_EQ(head.header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(head.header("Sec-WebSocket-Protocol"), "");
  EXPECT_EQ(head.header("Server"), "hub");
}

TEST(Handshake, B17_TokenListsCaseSpacesAndRepeatedHeadersAreUnderstood) {
  const std::vector<std::string> heads = {
      "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n",
      "Upgrade: WebSocket\r\nConnection: UPGRADE\r\n",
      "upgrade:websocket\r\nconnection:   upgrade  ,  keep-alive\r\n",
      "Upgrade: websocket\r\nConnection: keep-alive\r\nConnection: Upgrade\r\n",
      "Upgrade: h2c, websocket\r\nConnection: Upgrade, HTTP2-Settings\r\n",
      "Upgrade: h2c\r\nUpgrade: websocket\r\nConnection: ,upgrade,\r\n",
  };
  for (const auto& head : heads) {
    EXPECT_EQ(answer_to(request(head + kVersion + kKey)).status, 101U) << head;
  }
}

TEST(Handshake, E8_WhatIsNoUpgradeGets426AndOtherPaths404) {
  const auto plain = answer_to(request(""));
  EXPECT_EQ(plain.status, 426U);
  EXPECT_EQ(plain.header("Upgrade"), "websocket");
  EXPECT_EQ(answer_to(request(kUpgrade, "POST /gadget HTTP/1.1")).status, 426U);
  EXPECT_EQ(answer_to(request(kUpgrade, "GET /other HTTP/1.1")).status, 404U);
  EXPECT_EQ(
      answer_to(request("Upgrade: websocket\r\nConnection: close\r\n" + kVersion + kKey)).status,
      426U);
}

TEST(Handshake, WrongVersionGets426AndABadKey400) {
  const std::string base = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
  const auto old = answer_to(request(base + kKey + "Sec-WebSocket-Version: 8\r\n"));
  EXPECT_EQ(old.status, 426U);
  EXPECT_EQ(old.header("Sec-WebSocket-Version"), "13");
  EXPECT_EQ(answer_to(request(base + kVersion)).status, 400U);
  EXPECT_EQ(answer_to(request(base + kVersion + "Sec-WebSocket-Key: c2hvcnQ=\r\n")).status, 400U);
}

TEST(Handshake, T3_SelectsOursAmongThoseOfferedAndNoneOtherwise) {
  const auto select = [](const std::string& headers) {
    return answer_to(request(kUpgrade + headers)).header("Sec-WebSocket-Protocol");
  };
  EXPECT_EQ(select("Sec-WebSocket-Protocol: hermes-gadget.v1\r\n"), "hermes-gadget.v1");
  EXPECT_EQ(select("Sec-WebSocket-Protocol: a, hermes-gadget.v1 ,b\r\n"), "hermes-gadget.v1");
  EXPECT_EQ(select("Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: hermes-gadget.v1\r\n"),
            "hermes-gadget.v1");
  EXPECT_EQ(select("Sec-WebSocket-Protocol: hermes-gadget.v2\r\n"), "");
}

TEST(Handshake, T10_B11_B13_OfferedExtensionsAreDeclinedByLeavingThemOut) {
  const auto head = answer_to(request(
      kUpgrade + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"));
  EXPECT_EQ(head.status, 101U);
  EXPECT_EQ(head.header("Sec-WebSocket-Extensions"), "");
}

TEST(Handshake, E3_HeadsAreBounded) {
  EXPECT_EQ(answer_to(request("X: " + std::string(9000, 'a') + "\r\n")).status, 431U);
  EXPECT_EQ(answer_to("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n").status, 431U);
  EXPECT_EQ(answer_to("GARBAGE\r\n\r\n").status, 400U);
  EXPECT_EQ(answer_to(std::string("GET / HTTP/1.1\r\nA\0b: c\r\n\r\n", 26)).status, 400U);
  EXPECT_EQ(answer_to(request(kUpgrade + "X: " + std::string(7000, 'a') + "\r\n")).status, 101U);
}

TEST(Handshake, E3_AStepThatTakesTooLongIsToldSoByTheGivenClock) {
  Loop loop;
  std::int64_t now = 0;
  ListenOptions options;
  options.now_ms = [&now] { return now; };
  EchoServer server{loop.context, options};
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    co_await raw->send("GET /gadget HTTP/1.1\r\nHost:");
    co_await Loop::sleep(50ms);
    now = 9'999;
    server.listener->sweep();
    auto early = co_await raw->receive(50ms);
    EXPECT_EQ(early.error().code, FailureCode::timeout);
    now = 10'000;
    server.listener->sweep();
    auto head = co_await raw->receive_head(kPatience);
    EXPECT_TRUE(head);
    if (head) {
      EXPECT_EQ(head->status, 408U);
    }
  });
}

TEST(Handshake, B16_BytesPipelinedBehindTheRequestReachTheConnection) {
  Loop loop;
  EchoServer server{loop.context};
  loop.run([&]() -> Task<> {
    auto raw = co_await RawConnection::connect(server.address());
    std::string bytes = request(kUpgrade);
    for (int i = 0; i < 200; ++i) {  // beyond the buffer that the head is read into
      bytes += encode_frame({1, "message " + std::to_string(i)}, 7);
    }
    co_await raw->send(bytes);
    auto head = co_await raw->receive_head(kPatience);
    EXPECT_EQ(head->status, 101U);
    for (int i = 0; i < 200; ++i) {
      auto frame = co_await raw->receive_frame(kPatience);
      EXPECT_TRUE(frame);
      if (!frame) co_return;
      EXPECT_EQ(frame->payload, "message " + std::to_string(i));
    }
  });
}

TEST(Listener, PortInUseSaysWhatToDo) {
  Loop loop;
  EchoServer server{loop.context};
  ListenOptions options;
  options.port = server.listener->port();
  ListenerCalls calls;
  const auto second = Listener::open(loop.context.get_executor(), options, calls);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, FailureCode::unavailable);
  EXPECT_EQ(to_line(second.error()), "port " + std::to_string(options.port) +
                                         " on 127.0.0.1 is in use (--port 0 picks a free one)");
}

TEST(Listener, AHostThatIsNotOursIsRefused) {
  Loop loop;
  ListenOptions options;
  options.host = "192.0.2.1";
  options.port = 0;
  const auto opened = Listener::open(loop.context.get_executor(), options, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, FailureCode::invalid_argument);
}

TEST(Listener, E3_AnAddressThatHoldsTooManySocketsGets503WithRetryAfter) {
  Loop loop;
  ListenOptions options;
  options.lobby = Lobby::make({100, 2});
  EchoServer server{loop.context, options};
  loop.run([&]() -> Task<> {
    auto first = co_await open_websocket(server.address());
    auto second = co_await RawConnection::connect(server.address());
    co_await Loop::sleep(20ms);
    auto third = co_await open_websocket(server.address());
    EXPECT_FALSE(third);
    if (third) co_return;
    EXPECT_EQ(third.error().status, 503U);
    EXPECT_EQ(third.error().retry_after_s, kRetryAfterSeconds);
    server.sockets.front().leave_lobby();  // authenticated: counts no more
    auto fourth = co_await open_websocket(server.address());
    EXPECT_TRUE(fourth);
    EXPECT_EQ(options.lobby->waiting(), 2U);
  });
}

TEST(Listener, E3_BehindAProxyTheForwardedAddressCounts) {
  Loop loop;
  ListenOptions options;
  options.lobby = Lobby::make({100, 1});
  EchoServer server{loop.context, options};
  loop.run([&]() -> Task<> {
    server.forwarded = "10.0.0.1";
    auto first = co_await open_websocket(server.address());
    EXPECT_TRUE(first);
    auto second = co_await open_websocket(server.address());
    EXPECT_FALSE(second);
    if (!second) {
      EXPECT_EQ(second.error().status, 503U);
    }
    server.forwarded = "10.0.0.2";
    auto third = co_await open_websocket(server.address());
    EXPECT_TRUE(third);
  });
}

TEST(Listener, E3_AtTheCapOfAllTheOldestGoesWithAReason) {
  Loop loop;
  ListenOptions options;
  options.lobby = Lobby::make({2, 2});
  EchoServer server{loop.context, options};
  loop.run([&]() -> Task<> {
    server.forwarded = "10.0.0.1";
    auto oldest = co_await open_websocket(server.address());
    auto newer = co_await open_websocket(server.address());
    server.forwarded = "10.0.0.2";
    auto newest = co_await open_websocket(server.address());
    EXPECT_TRUE(newest);
    auto end = co_await oldest->socket.read();
    EXPECT_FALSE(end);
    if (end) co_return;
    EXPECT_EQ(end.error().by, ClosedBy::peer);
    EXPECT_EQ(end.error().code, close_code::policy);
    EXPECT_EQ(end.error().reason, "busy");
    auto alive = co_await newer->socket.write("hello");
    auto echoed = co_await newer->socket.read();
    EXPECT_TRUE(echoed);
  });
}

TEST(Lobby, E3_AddressesAreGroupedAndFreedPlacesAreFree) {
  EXPECT_EQ(address_group("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(address_group("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(address_group("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(address_group("2001:db8:1:2::9"), address_group("2001:db8:1:2:ffff::1"));
  const auto lobby = Lobby::make({10, 1});
  auto place = lobby->enter("::1", [] {});
  EXPECT_TRUE(place);
  EXPECT_FALSE(lobby->enter("::2", [] {}));
  place.leave();
  EXPECT_EQ(lobby->waiting(), 0U);
  EXPECT_TRUE(lobby->enter("::2", [] {}));
}

}  // namespace
}  // namespace gadget::wire::test
