// Every case runs with the server's bytes in one piece, byte by byte (B-10) and in random pieces.
#include <gtest/gtest.h>

#include "device/websocket/test_server.hpp"

namespace gadget::device::websocket {
namespace {

using namespace test;

TEST(Client, B01_B02_ControlFramesBetweenFragments) {
  for (const auto piece : kPieces) {
    Bench bench;
    bench.open();
    bench.feed(unhex("01 05 68656c6c6f 89 00 8a 01 78 00 00 80 05 776f726c64"), piece);
    ASSERT_EQ(bench.messages.size(), 1U);
    EXPECT_EQ(bench.messages[0], "helloworld");
    EXPECT_EQ(bench.totals[0], 10U);
    EXPECT_EQ(bench.signs, 5);  // E30: every frame
    const auto sent = sent_frames(bench.out);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 0x8AU);
    EXPECT_EQ(sent[0].payload, "");
    // A close between fragments is honoured at once.
    bench.out.clear();
    bench.feed(unhex("01 01 78 88 05 03e8 627965") + frame(0x80, "never"), piece);
    EXPECT_EQ(bench.messages.size(), 1U);
    EXPECT_EQ(bench.ends, 1);
    EXPECT_EQ(bench.closed.by, ClosedBy::peer);
    EXPECT_EQ(bench.closed.code, 1000);
    EXPECT_EQ(bench.reason, "bye");
    const auto answer = sent_frames(bench.out);
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer[0].first, 0x88U);
    EXPECT_EQ(answer[0].payload, unhex("03e8"));
  }
}

struct FaultCase {
  const char* name;
  std::string bytes;
  unsigned code;
};

TEST(Client, B03_B04_B06_B07_B11_FaultsOfTheHubCloseWithTheRightCode) {
  const FaultCase cases[] = {
      {"B-03 new text inside a message", unhex("01 01 7b 81 01 7d"), 1002},
      {"B-04 fragmented control frame", unhex("09 00"), 1002},
      {"B-07 orphan continuation", unhex("80 00"), 1002},
      {"B-07 continuation after the end", unhex("01 01 78 80 00 80 00"), 1002},
      {"B-11 RSV1", unhex("c1 02 7b7d"), 1002},
      {"RSV2", unhex("a1 00"), 1002},
      {"RSV3 on a control frame", unhex("98 00"), 1002},
      {"masked frame", unhex("81 82 00000000 7b7d"), 1002},
      {"reserved data opcode", unhex("83 00"), 1002},
      {"reserved control opcode", unhex("8b 00"), 1002},
      {"control frame of 126", unhex("89 7e 007e"), 1002},
      {"16 bit length not shortest", unhex("81 7e 007d"), 1002},
      {"64 bit length not shortest", unhex("81 7f 000000000000ffff"), 1002},
      {"64 bit length with highest bit", unhex("82 7f 8000000000000000"), 1002},
      {"close of one byte", unhex("88 01 03"), 1002},
      {"close 1005", unhex("88 02 03ed"), 1002},
      {"close 1006", unhex("88 02 03ee"), 1002},
      {"close 999", unhex("88 02 03e7"), 1002},
      {"close 5000", unhex("88 02 1388"), 1002},
      {"close reason not UTF-8", unhex("88 03 03e8 ff"), 1007},
      {"close reason ends inside a character", unhex("88 03 03e8 c3"), 1007},
      {"text not UTF-8", unhex("81 02 c328"), 1007},
      {"overlong", unhex("81 02 c080"), 1007},
      {"overlong of three", unhex("81 03 e09f80"), 1007},
      {"surrogate", unhex("81 03 eda080"), 1007},
      {"beyond U+10FFFF", unhex("81 04 f4908080"), 1007},
      {"text ends inside a character", unhex("81 01 c3"), 1007},
      {"message ends inside a character", unhex("01 01 c3 80 00"), 1007},
      {"E33 a frame beyond 1 MiB", unhex("81 7f 0000000000100001"), 1009},
      {"E33 B-06 fragments beyond 1 MiB", unhex("02 01 00 80 7f 0000000000100000"), 1009},
  };
  for (const auto& tested : cases) {
    for (const auto piece : kPieces) {
      Bench bench;
      bench.open();
      bench.feed(tested.bytes + frame(0x81, "after"), piece);
      EXPECT_EQ(bench.ends, 1) << tested.name;
      EXPECT_EQ(bench.closed.by, ClosedBy::fault) << tested.name;
      EXPECT_EQ(bench.closed.code, tested.code) << tested.name;
      for (const auto& message : bench.messages) EXPECT_EQ(message, "x") << tested.name;
      const auto sent = sent_frames(bench.out);
      ASSERT_EQ(sent.size(), 1U) << tested.name;
      EXPECT_EQ(sent[0].first, 0x88U) << tested.name;
      EXPECT_EQ(sent[0].payload, std::string({static_cast<char>(tested.code >> 8U),
                                              static_cast<char>(tested.code & 0xFFU)}));
    }
  }
}

TEST(Client, B06_AHugeLengthEndsOnItsHeaderBeforeAnyByteOfIt) {
  Bench bench;
  bench.open();
  bench.feed(unhex("82 7f 0000000001000000"), 1);
  EXPECT_EQ(bench.closed.code, 1009);
  EXPECT_EQ(bench.ends, 1);
}

TEST(Client, B30_SendingGoesOnWhileALongMessageArrives) {
  Bench bench{200'000};
  bench.open();
  const std::string message(100'000, 'm');
  const std::string bytes = frame(0x81, message);
  std::size_t at = 0;
  for (int i = 0; i < 10; ++i) {
    bench.feed(bytes.substr(at, 9'000), 1'000);
    at += 9'000;
    ASSERT_TRUE(bench.client->send("up " + std::to_string(i)));
  }
  bench.act_message = [&bench] { EXPECT_TRUE(bench.client->send("from inside")); };
  bench.feed(bytes.substr(at), 1'000);
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.messages[0], message);
  const auto sent = sent_frames(bench.out);
  ASSERT_EQ(sent.size(), 11U);
  EXPECT_EQ(sent[9].payload, "up 9");
  EXPECT_EQ(sent[10].payload, "from inside");
}

// Wherever the stream breaks: one end is told, and the next start begins clean.
TEST(ClientProperty, B28_TenThousandBreaksAtRandomPlaces) {
  std::minstd_rand dice{28};
  Bench bench;
  const std::string whole = kAnswer + frame(0x01, "half") + frame(0x89, "ping") +
                            frame(0x80, " whole") + frame(0x88, "\x03\xe8");
  int ends = 0;
  for (int i = 0; i < 10'000; ++i) {
    bench.out.clear();
    ASSERT_TRUE(bench.client->start({"hub:8765"})) << "after break " << i;
    bench.feed(whole.substr(0, dice() % (whole.size() + 1)), 0);
    if (dice() % 4 == 0 && bench.client->is_open()) {
      EXPECT_TRUE(bench.client->begin(Kind::binary, 1'000));
      (void)bench.client->more(std::vector<std::byte>(500));
    }
    bench.client->stream_ended();
    ASSERT_EQ(bench.ends, ++ends) << "break " << i;
    ASSERT_FALSE(bench.client->is_open());
    for (const auto& message : bench.messages) ASSERT_EQ(message, "half whole");
  }
}

TEST(Client, ACharacterMayBeSplitBetweenFragments) {
  for (const auto piece : kPieces) {
    Bench bench;
    bench.open();
    bench.feed(unhex("01 02 f09f 89 00 00 01 98 80 01 80"), piece);
    ASSERT_EQ(bench.messages.size(), 1U);
    EXPECT_EQ(bench.messages[0], "\xf0\x9f\x98\x80");
  }
}

TEST(Client, E33_ALongTextIsCutAtACharacterAndSaysHowLongItWas) {
  for (const auto piece : kPieces) {
    Bench bench{512};
    bench.open();
    std::string text;
    for (int i = 0; i < 300; ++i) text += "\xe2\x82\xac";  // 900 bytes; 512 is inside a character
    bench.feed(frame(0x01, text.substr(0, 400)) + frame(0x80, text.substr(400)), piece);
    ASSERT_EQ(bench.messages.size(), 1U);
    EXPECT_EQ(bench.messages[0], text.substr(0, 510));
    EXPECT_EQ(bench.totals[0], 900U);
    bench.feed(frame(0x82, std::string(600, '\xff')), piece);
    EXPECT_EQ(bench.messages[1], std::string(512, '\xff'));
    EXPECT_EQ(bench.totals[1], 600U);
    bench.feed(frame(0x81, "short again"), piece);
    EXPECT_EQ(bench.messages[2], "short again");
    // What does not fit is checked all the same.
    bench.feed(frame(0x81, std::string(600, 'a') + "\xff"), piece);
    EXPECT_EQ(bench.closed.code, 1007);
  }
}

TEST(Client, E33_AMessageOfExactlyOneMiBPasses) {
  Bench bench;
  bench.open();
  bench.feed(frame(0x81, std::string(kMessageBytes, 'a')), 10'000);
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.totals[0], kMessageBytes);
  EXPECT_EQ(bench.messages[0].size(), 4096U);
}

TEST(Client, CloseCodesOfTheHubArriveWithTheirReason) {
  Bench bench;
  bench.open();
  bench.feed(frame(0x88, unhex("03f5") + "too slow"), 1);
  EXPECT_EQ(bench.closed.by, ClosedBy::peer);
  EXPECT_EQ(bench.closed.code, 1013);
  EXPECT_EQ(bench.reason, "too slow");
  Bench empty;
  empty.open();
  empty.feed(frame(0x88, ""), 1);
  EXPECT_EQ(empty.closed.code, 1005);
  EXPECT_EQ(sent_frames(empty.out)[0].payload, unhex("03e8"));
}

TEST(Client, OurCloseWaitsForTheAnswer) {
  Bench bench;
  bench.open();
  bench.client->close(1000, "leaving");
  bench.client->close(1001, "again");
  EXPECT_FALSE(bench.client->send("too late"));
  const auto sent = sent_frames(bench.out);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].payload, unhex("03e8") + "leaving");
  bench.feed(frame(0x81, "on its way") + frame(0x89, "") + frame(0x88, unhex("03e8")), 3);
  EXPECT_TRUE(bench.messages.empty());
  EXPECT_EQ(bench.closed.by, ClosedBy::us);
  EXPECT_EQ(bench.closed.code, 1000);
  EXPECT_TRUE(bench.closed.answered);
  EXPECT_EQ(bench.ends, 1);
  EXPECT_EQ(sent_frames(bench.out).size(), 1U);

  Bench lost;
  lost.open();
  lost.client->close(1001, "");
  lost.client->stream_ended();
  EXPECT_EQ(lost.closed.by, ClosedBy::us);
  EXPECT_FALSE(lost.closed.answered);
}

TEST(Client, ALongReasonIsCutAtACharacter) {
  Bench bench;
  bench.open();
  std::string reason;
  for (int i = 0; i < 62; ++i) reason += "\xc3\xa9";  // 124 bytes
  bench.client->close(1000, reason);
  EXPECT_EQ(sent_frames(bench.out)[0].payload, unhex("03e8") + reason.substr(0, 122));
}

TEST(Client, AStreamThatEndsIsLost) {
  Bench bench;
  bench.open();
  bench.client->stream_ended();
  EXPECT_EQ(bench.closed.by, ClosedBy::lost);
  EXPECT_EQ(bench.closed.code, 1006);
  bench.feed(frame(0x81, "late"), 1);
  EXPECT_TRUE(bench.messages.empty());
}

TEST(Client, MessagesGoOutMaskedInOneFrame) {
  Bench bench;
  bench.open();
  for (const std::size_t size : {0U, 1U, 125U, 126U, 255U, 256U, 257U, 65535U, 65536U}) {
    bench.out.clear();
    const std::string text(size, 'q');
    ASSERT_TRUE(bench.client->send(Kind::binary, bytes_of(text)));
    const auto sent = sent_frames(bench.out);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 0x82U);
    EXPECT_EQ(sent[0].payload, text);
  }
  bench.out.clear();
  ASSERT_TRUE(bench.client->send("text"));
  EXPECT_EQ(sent_frames(bench.out)[0].first, 0x81U);
}

TEST(Client, B27_WithoutRoomNothingIsSentAndNothingBlocks) {
  Bench bench;
  bench.open();
  bench.room_bytes = 20;
  EXPECT_FALSE(bench.client->send("fifteen bytes.."));
  EXPECT_EQ(bench.out, "");
  EXPECT_TRUE(bench.client->send("fourteen bytes"));
  EXPECT_EQ(bench.out.size(), 20U);
  // Pongs wait, the newest wins; then they go first.
  bench.feed(frame(0x89, "one") + frame(0x89, "two"), 1);
  EXPECT_EQ(bench.out.size(), 20U);
  bench.out.clear();
  bench.room_bytes = 1000;
  EXPECT_TRUE(bench.client->send("next"));
  const auto sent = sent_frames(bench.out);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].first, 0x8AU);
  EXPECT_EQ(sent[0].payload, "two");
  EXPECT_EQ(sent[1].payload, "next");
}

TEST(Client, B09_AMessageLargerThanTheRoomIsOneMessage) {
  Bench bench;
  bench.open();
  bench.room_bytes = 300;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>('a' + i % 26);
  ASSERT_TRUE(bench.client->begin(Kind::text, text.size()));
  EXPECT_FALSE(bench.client->send("between"));
  EXPECT_FALSE(bench.client->begin(Kind::text, 5));
  std::string wire;
  std::size_t at = 0;
  int calls = 0;
  while (bench.client->remaining() > 0 && ++calls < 1000) {
    at += bench.client->more(bytes_of(std::string_view{text}.substr(at)));
    if (calls == 5) bench.feed(frame(0x89, "ping"), 1);
    wire += std::exchange(bench.out, {});
    if (calls == 5) bench.client->pump();
  }
  wire += bench.out;
  EXPECT_EQ(at, text.size());
  std::string joined;
  int pongs = 0;
  int begins = 0;
  int ends = 0;
  for (const auto& sent : sent_frames(wire)) {
    if (sent.first == 0x8AU) {
      ++pongs;
      EXPECT_EQ(ends, 0);  // between the fragments
      continue;
    }
    if ((sent.first & 0x0FU) == 1U) ++begins;
    if ((sent.first & 0x80U) != 0U) ++ends;
    joined += sent.payload;
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(pongs, 1);
  bench.out.clear();
  EXPECT_TRUE(bench.client->send("afterwards"));
}

TEST(Client, B29_EveryCallbackMayCallAnything) {
  const std::string traffic =
      kAnswer + frame(0x81, "a") + frame(0x89, "p") + frame(0x82, "b") + frame(0x88, unhex("03e8"));
  using Hook = std::function<void()> Bench::*;
  for (const Hook hook :
       {&Bench::act_open, &Bench::act_message, &Bench::act_closed, &Bench::act_sign}) {
    for (int action = 0; action < 6; ++action) {
      for (const auto piece : kPieces) {
        Bench bench;
        int calls = 0;
        bench.*hook = [&] {
          if (++calls > 3) return;
          switch (action) {
            case 0: bench.client.reset(); break;
            case 1: bench.client->close(1000, "now"); break;
            case 2: static_cast<void>(bench.client->send("from within")); break;
            case 3: static_cast<void>(bench.client->start({"other:1"})); break;
            case 4: bench.client->stream_ended(); break;
            default: bench.client->pump(); break;
          }
          if (action == 0) bench.*hook = nullptr;
        };
        ASSERT_TRUE(bench.client->start({"hub:8765"}));
        bench.feed(traffic, piece);
        EXPECT_GT(calls, 0);
        if (action == 2 || action == 5) {
          EXPECT_EQ(bench.messages.size(), 2U);
          EXPECT_EQ(bench.ends, 1);
        }
        EXPECT_LE(bench.ends, 1 + (action == 3 ? 3 : 0));
      }
    }
  }
}

TEST(Client, AConnectionAfterAnotherStartsClean) {
  Bench bench;
  bench.open();
  bench.feed(unhex("01 02 f09f"), 1);  // half a character of half a message
  ASSERT_TRUE(bench.client->begin(Kind::text, 10));
  ASSERT_TRUE(bench.client->start({"hub:8765"}));
  bench.feed(kAnswer + frame(0x81, "fresh"), 1);
  EXPECT_EQ(bench.messages.at(0), "fresh");
  EXPECT_TRUE(bench.client->send("also fresh"));
}

TEST(Client, CloseDuringTheUpgradeIsSilent) {
  Bench bench;
  ASSERT_TRUE(bench.client->start({"hub:8765"}));
  bench.client->close(1000, "never mind");
  bench.feed(kAnswer, 1);
  bench.client->stream_ended();
  EXPECT_EQ(bench.opened, 0);
  EXPECT_EQ(bench.ends, 0);
}

// Whatever the pieces, the events are the same; and random bytes end in an orderly way.
TEST(ClientProperty, PiecesDoNotMatter) {
  std::mt19937 dice{20'24};
  for (int round = 0; round < 300; ++round) {
    std::string stream = kAnswer;
    bool open_message = false;
    for (int i = 0; i < 20; ++i) {
      std::string payload;
      const auto size = dice() % (dice() % 4 == 0 ? 700 : 20);
      for (unsigned j = 0; j < size; ++j) payload += static_cast<char>('a' + dice() % 26);
      switch (dice() % 5) {
        case 0: stream += frame(0x89, payload.substr(0, 100)); break;
        case 1: stream += frame(0x8A, payload.substr(0, 100)); break;
        default: {
          const unsigned opcode = open_message ? 0U : 1U + dice() % 2;
          const bool fin = dice() % 2 == 0;
          stream += frame((fin ? 0x80U : 0U) | opcode, payload);
          open_message = !fin;
        }
      }
    }
    if (dice() % 3 == 0) {  // damage it
      stream[kAnswer.size() + dice() % (stream.size() - kAnswer.size())] =
          static_cast<char>(dice());
    }
    Bench whole;
    ASSERT_TRUE(whole.client->start({"hub:8765"}));
    whole.client->feed(bytes_of(stream));
    whole.client->stream_ended();
    EXPECT_EQ(whole.ends, 1);
    for (const std::size_t piece : {1UL, 0UL, 13UL}) {
      Bench parts;
      ASSERT_TRUE(parts.client->start({"hub:8765"}));
      parts.feed(stream, piece);
      parts.client->stream_ended();
      EXPECT_EQ(parts.messages, whole.messages);
      EXPECT_EQ(parts.kinds, whole.kinds);
      EXPECT_EQ(parts.out, whole.out);
      EXPECT_EQ(parts.closed.code, whole.closed.code);
      EXPECT_EQ(parts.signs, whole.signs);
    }
  }
}

}  // namespace
}  // namespace gadget::device::websocket
