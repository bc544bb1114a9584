// The client's request and the server's answer to it, in pieces of every kind (T1, T3, E27).
#include <gtest/gtest.h>

#include "device/websocket/sha1.hpp"
#include "device/websocket/test_server.hpp"

namespace gadget::device::websocket {
namespace {

using namespace test;

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const auto byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

TEST(Sha1, KnownDigests) {
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  // The lengths around one block: padding fits, and does not.
  EXPECT_EQ(hex(sha1(std::string(55, 'a'))), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(hex(sha1(std::string(56, 'a'))), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  EXPECT_EQ(hex(sha1(std::string(64, 'a'))), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

TEST(Client, T1_T3_TheRequestIsComplete) {
  Bench bench;
  ASSERT_TRUE(bench.client->start({"hub:8765"}));
  EXPECT_EQ(bench.out,
            "GET /gadget HTTP/1.1\r\nHost: hub:8765\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: hermes-gadget.v1\r\n\r\n");
  Bench narrow;
  narrow.room_bytes = 100;
  EXPECT_FALSE(narrow.client->start({"hub:8765"}));
  EXPECT_EQ(narrow.out, "");
}

TEST(Client, B10_OpensWhateverThePieces) {
  for (const auto piece : kPieces) {
    Bench bench;
    ASSERT_TRUE(bench.client->start({"hub:8765"}));
    bench.feed(kAnswer, piece);
    EXPECT_EQ(bench.opened, 1);
    EXPECT_EQ(bench.subprotocol, "hermes-gadget.v1");
    EXPECT_TRUE(bench.client->is_open());
  }
}

TEST(Client, B15_TheFirstFrameInTheSameSegmentAsTheAnswerIsDelivered) {
  for (const auto piece : kPieces) {
    Bench bench;
    ASSERT_TRUE(bench.client->start({"hub:8765"}));
    bench.feed(kAnswer + frame(0x81, "{\"type\":\"challenge\"}") + frame(0x82, "x"), piece);
    ASSERT_EQ(bench.messages.size(), 2U);
    EXPECT_EQ(bench.messages[0], "{\"type\":\"challenge\"}");
    EXPECT_EQ(bench.kinds[1], Kind::binary);
  }
}

struct AnswerCase {
  std::string answer;
  std::optional<Refusal> why;
  unsigned status = 101;
  unsigned retry = 0;
};

TEST(Client, B17_E27_AnswersAreJudged) {
  const std::string accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
  const std::string both = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
  const std::string ok = "HTTP/1.1 101 Switching Protocols\r\n";
  const AnswerCase cases[] = {
      {ok + both + accept + "\r\n", std::nullopt},
      {"HTTP/1.1 101\r\n" + both + accept + "\r\n", std::nullopt},
      {ok + "uPgRaDe:  WebSocket \r\nCONNECTION:keep-alive ,upgrade\r\n" + accept + "\r\n",
       std::nullopt},
      {ok + "Connection: x\r\n" + both + accept + "\r\n", std::nullopt},
      {ok + "Connection: Upgrade\r\n" + accept + "\r\n", Refusal::no_upgrade},
      {ok + "Upgrade: websocket\r\n" + accept + "\r\n", Refusal::no_upgrade},
      {ok + "Upgrade: h2c\r\nConnection: Upgrade\r\n" + accept + "\r\n", Refusal::no_upgrade},
      {ok + both + "\r\n", Refusal::wrong_accept},
      {ok + both + "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
       Refusal::wrong_accept},
      {ok + both + accept + accept + "\r\n", Refusal::wrong_accept},
      {ok + both + accept + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
       Refusal::extension},
      {ok + both + accept + "Sec-WebSocket-Protocol: chat\r\n\r\n", Refusal::subprotocol},
      {ok + both + accept +
           "Sec-WebSocket-Protocol: hermes-gadget.v1\r\n"
           "Sec-WebSocket-Protocol: hermes-gadget.v1\r\n\r\n",
       Refusal::subprotocol},
      {"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\n\r\n", Refusal::http_status, 503, 7},
      {"HTTP/1.1 503 x\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\n", Refusal::http_status,
       503, 0},
      {"HTTP/1.1 503 x\r\nRetry-After: 99999999999999999999\r\n\r\n", Refusal::http_status, 503,
       86400},
      {"HTTP/1.1 301 Moved\r\nLocation: http://elsewhere/\r\n\r\n", Refusal::http_status, 301},
      {"HTTP/1.1 404 Not Found\r\n\r\n", Refusal::http_status, 404},
      {"HTTP/1.0 101 x\r\n\r\n", Refusal::not_http, 0},
      {"HTTP/1.1 1x1 x\r\n\r\n", Refusal::not_http, 0},
      {"HTTP/1.1 1011 x\r\n\r\n", Refusal::not_http, 0},
      {"SSH-2.0-server\r\n\r\n", Refusal::not_http, 0},
      {"\r\n\r\n", Refusal::not_http, 0},
      {ok + both + accept + "no colon\r\n\r\n", Refusal::not_http},
      {ok + both + accept + "X: a\r\n folded\r\n\r\n", Refusal::not_http},
      {ok + both + accept + "X : a\r\n\r\n", Refusal::not_http},
      {ok + both + accept + ": a\r\n\r\n", Refusal::not_http},
      {ok + both + accept + "X: a\nb\r\n\r\n", Refusal::not_http},
  };
  for (const auto& tested : cases) {
    for (const auto piece : kPieces) {
      Bench bench;
      ASSERT_TRUE(bench.client->start({"hub:8765"}));
      bench.feed(tested.answer, piece);
      if (!tested.why) {
        EXPECT_EQ(bench.opened, 1) << tested.answer;
        continue;
      }
      EXPECT_EQ(bench.opened, 0) << tested.answer;
      ASSERT_TRUE(bench.refused) << tested.answer;
      EXPECT_EQ(bench.refused->why, *tested.why) << tested.answer;
      EXPECT_EQ(bench.refused->http_status, tested.status) << tested.answer;
      EXPECT_EQ(bench.refused->retry_after_s, tested.retry) << tested.answer;
      EXPECT_EQ(bench.ends, 1);
    }
  }
}

TEST(Client, AnswerHeadsAreBounded) {
  Bench bench{8192};
  ASSERT_TRUE(bench.client->start({"hub:8765"}));
  bench.feed("HTTP/1.1 101 x\r\nX: " + std::string(20000, 'a'), 1000);
  ASSERT_TRUE(bench.refused);
  EXPECT_EQ(bench.refused->why, Refusal::head_too_long);
  EXPECT_EQ(bench.ends, 1);
}

TEST(Client, AStreamThatEndsBeforeTheAnswerIsARefusal) {
  Bench bench;
  ASSERT_TRUE(bench.client->start({"hub:8765"}));
  bench.feed("HTTP/1.1 101", 1);
  bench.client->stream_ended();
  ASSERT_TRUE(bench.refused);
  EXPECT_EQ(bench.refused->why, Refusal::connection_ended);
  bench.client->stream_ended();
  EXPECT_EQ(bench.ends, 1);
}

}  // namespace
}  // namespace gadget::device::websocket
