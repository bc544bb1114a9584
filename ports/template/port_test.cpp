// The template port, whole, on a board in memory: what a maker starts from works.
#include "ports/template/port.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "ports/template/fake_board.hpp"
#include "ports/template/hub_address.hpp"

namespace gadget::ports::port_template {
namespace {

using test::FakeBoard;
using test::FakeFlash;
using test::FakeHub;

class TemplatePort : public testing::Test {
 protected:
  void power_on() {
    port.reset();
    port = std::make_unique<Port>(
        board, PortConfig{.name = "bench", .hub = "ws://hub.local:8765/gadget"}, *memory);
    started = port->start();
  }
  // Lets time pass, 10 ms a step; the speaker plays in real time.
  void pass(int ms) {
    for (; ms > 0; ms -= 10) {
      board.ticks += 10;
      board.speaker_wants += kSpeakerHz / 100;
      port->step();
      hub.read();
    }
  }
  // The same in great steps, for the pauses between connections.
  void wait(int ms) {
    for (; ms > 0; ms -= 500) {
      board.ticks += 500;
      port->step();
      hub.read();
    }
  }
  void connect() {
    for (int i = 0; i < 100 && !hub.accept(); ++i) {
      board.ticks += 10;
      port->step();
    }
  }
  void go_online() {
    power_on();
    connect();
    hub.text(R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":false})");
    pass(20);
    hub.text(R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20})");
    pass(20);
  }

  FakeFlash flash;
  FakeBoard board{flash};
  FakeHub hub{board};
  std::unique_ptr<PortMemory> memory = std::make_unique<PortMemory>();
  std::unique_ptr<Port> port;
  bool started = false;
};

TEST_F(TemplatePort, H1_T3_HandshakeOverTheByteStream) {
  go_online();
  EXPECT_TRUE(started);
  EXPECT_EQ(hub.request.rfind("GET /gadget HTTP/1.1\r\nHost: hub.local:8765\r\n", 0), 0U);
  EXPECT_NE(hub.request.find("Sec-WebSocket-Protocol: hermes-gadget.v1"), std::string::npos);
  ASSERT_EQ(hub.texts.size(), 2U);
  EXPECT_TRUE(hub.got(R"("type":"hello","proto":1)"));
  EXPECT_TRUE(hub.got(R"("name":"bench")"));
  EXPECT_TRUE(hub.got(R"("type":"auth","key":)"));
  EXPECT_EQ(port->gadget().state(), device::screen::State::ready);
  EXPECT_EQ(hub.unmasked, 0);
  EXPECT_EQ(flash.faults, 0);
}

TEST_F(TemplatePort, ASpokenTurnFromButtonToSpeaker) {
  go_online();
  board.pins = kTalkBit;
  pass(100);
  EXPECT_TRUE(board.listening);
  for (int i = 0; i < 100; ++i) {
    board.heard.insert(board.heard.end(), kMicHz / 100, 500);
    pass(10);
  }
  board.pins = 0;
  pass(100);
  EXPECT_FALSE(board.listening);
  EXPECT_TRUE(hub.got(R"("type":"audio.start")"));
  EXPECT_TRUE(hub.got(R"("type":"audio.end")"));
  EXPECT_GE(hub.binaries.size(), 20U);

  hub.text(R"({"type":"turn.start","turn":"t1"})");
  hub.text(R"({"type":"reply","turn":"t1","text":"Hello."})");
  hub.text(R"({"type":"audio.start","stream":3,"rate":16000,"format":"pcm16","turn":"t1"})");
  for (int i = 0; i < 10; ++i) {
    std::string message{"\x01\x03", 2};
    message += static_cast<char>(i);
    message += '\0';
    for (int k = 0; k < 640; ++k) message += std::string{"\x00\x10", 2};
    hub.binary(message);
  }
  hub.text(R"({"type":"audio.end","stream":3})");
  hub.text(R"({"type":"turn.end","turn":"t1","outcome":"success"})");
  pass(1'000);
  EXPECT_FALSE(board.awake);
  const auto voiced = std::count_if(board.played.begin(), board.played.end(),
                                    [](std::int16_t sample) { return sample != 0; });
  // B-48: to the last sample, whatever volume and fades make of them.
  EXPECT_GE(voiced, 6'000);
  EXPECT_EQ(port->gadget().state(), device::screen::State::ready);
}

TEST_F(TemplatePort, TheScreenIsSentInBandsThatCoverIt) {
  go_online();
  board.rows_sent = 0;
  pass(1'000);
  EXPECT_EQ(board.screen_faults, 0);
  EXPECT_GT(board.rows_sent, 0);
  EXPECT_EQ(board.rows_sent % kScreenHeight, 0);
  EXPECT_GT(board.lit, 0U);
}

TEST(TemplateScreen, WithMemoryForTheWholePictureOnlyWhatChangedIsSent) {
  FakeFlash flash;
  FakeBoard board{flash};
  std::vector<device::screen::Colour> pixels(std::size_t{kScreenWidth} * kScreenHeight);
  std::vector<device::screen::Colour> stripe(std::size_t{kScreenWidth} * 8);
  ScreenOut out{board, pixels, stripe, kScreenWidth, kScreenHeight, device::screen::kAsciiFonts};
  device::screen::ScreenModel model;
  model.state = device::screen::State::card;
  model.card.title = "Shopping";
  out.show(model, 0);
  EXPECT_GE(board.rows_sent, kScreenHeight);
  EXPECT_GT(board.lit, 0U);
  EXPECT_EQ(board.screen_faults, 0);

  board.rows_sent = 0;
  out.show(model, 0);
  EXPECT_EQ(board.rows_sent, 0);
  model.card.body = "Milk";
  out.show(model, 0);
  EXPECT_GT(board.rows_sent, 0);
  EXPECT_LT(board.rows_sent, kScreenHeight);
  EXPECT_EQ(board.screen_faults, 0);
}

TEST_F(TemplatePort, B15_WhatFollowsTheUpgradeInTheSameSegmentCounts) {
  power_on();
  connect();
  hub.text(R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":false})");
  hub.text(R"({"type":"ping","ts":7})");
  pass(20);
  EXPECT_TRUE(hub.got(R"("type":"auth")"));
  EXPECT_TRUE(hub.got(R"({"type":"pong","ts":7})"));
}

TEST_F(TemplatePort, H1_TheKeyOutlivesAPowerCut) {
  go_online();
  const std::string id{port->gadget().id().text()};
  hub.texts.clear();
  board.state = StreamState::closed;
  power_on();
  connect();
  pass(20);
  EXPECT_EQ(std::string{port->gadget().id().text()}, id);
  EXPECT_TRUE(hub.got(id));
}

TEST_F(TemplatePort, E27_AStreamThatEndsIsOpenedAgainLater) {
  go_online();
  const int before = board.opens;
  board.state = StreamState::closed;
  pass(100);
  EXPECT_EQ(port->gadget().state(), device::screen::State::connecting);
  EXPECT_EQ(board.opens, before);
  pass(1'500);
  EXPECT_EQ(board.opens, before + 1);
}

TEST_F(TemplatePort, B28_AlwaysComesBackWhereverTheStreamBreaks) {
  power_on();
  for (int drop = 0; drop < 100; ++drop) {
    connect();
    if (drop % 4 > 0) {
      hub.text(R"({"type":"challenge","nonce":"bm9uY2Utbm9uY2Utbm9uY2U=","enrolled":false})");
      pass(20);
    }
    if (drop % 4 > 1) {
      hub.text(R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20})");
      pass(20);
    }
    if (drop % 4 > 2) {
      board.pins = kTalkBit;
      pass(50);
    }
    const int before = board.opens;
    board.state = StreamState::closed;
    board.opening_works = drop % 5 != 0;
    board.pins = 0;
    wait(40'000);
    board.opening_works = true;
    wait(40'000);
    ASSERT_GT(board.opens, before) << "after drop " << drop;
  }
}

TEST_F(TemplatePort, B27_AStreamThatTakesNothingStopsNothing) {
  go_online();
  board.room = 0;
  board.pins = kTalkBit;
  pass(200);
  board.heard.insert(board.heard.end(), kMicHz, 500);
  pass(3'000);
  board.pins = 0;
  pass(60'000);  // 3 x heartbeat: given up, and tried again
  EXPECT_NE(port->gadget().state(), device::screen::State::listening);
  EXPECT_GT(board.opens, 1);
}

TEST_F(TemplatePort, E28_ARefusalOfTheHubIsToldWithItsReason) {
  go_online();
  hub.frame(0x88, std::string{"\x03\xF0", 2} + "busy");
  pass(20);
  EXPECT_EQ(board.state, StreamState::closed);
  const int before = board.opens;
  pass(25'000);
  EXPECT_EQ(board.opens, before);  // E27: 30 to 60 s after `busy`
  pass(40'000);
  EXPECT_GT(board.opens, before);
}

TEST_F(TemplatePort, B50_TheClockGoesOnAcrossTheWrapOfTheTicks) {
  power_on();
  const auto before = port->now();
  board.ticks += 0x300;  // from 0xFFFFFFxx
  EXPECT_EQ(port->now(), before + 0x300);
}

TEST(HubAddress, UrlsAreTakenApart) {
  const auto full = parse_hub_address("wss://hub.local:1234/a/b?c");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host, "hub.local");
  EXPECT_EQ(full->port, 1234);
  EXPECT_EQ(full->authority, "hub.local:1234");
  EXPECT_EQ(full->path, "/a/b?c");
  const auto least = parse_hub_address("ws://[::1]");
  ASSERT_TRUE(least);
  EXPECT_FALSE(least->tls);
  EXPECT_EQ(least->host, "::1");
  EXPECT_EQ(least->port, 8765);
  EXPECT_EQ(least->path, "/gadget");
  for (const auto* bad : {"", "http://hub", "ws://", "ws://:1", "ws://hub:0", "ws://hub:65536",
                          "ws://hub:1x", "ws://[::1", "ws://[::1]x", "ws:///gadget"}) {
    EXPECT_FALSE(parse_hub_address(bad)) << bad;
  }
}

TEST_F(TemplatePort, AHubThatIsSetIsTheOneThatIsConnectedTo) {
  go_online();
  board.typed = "set hub ws://other.local:99/gadget\n";
  pass(2'000);
  EXPECT_EQ(board.opened, "other.local:99");
}

TEST_F(TemplatePort, TheConsoleAnswers) {
  go_online();
  board.typed = "set volume 35\nget volume\nnonsense\n";
  pass(20);
  ASSERT_EQ(board.console.size(), 3U);
  EXPECT_EQ(board.console[1], R"(ok {"volume":35})");
  EXPECT_EQ(board.console[2].rfind("error ", 0), 0U);
  board.typed = "text Hello\n";
  pass(20);
  EXPECT_TRUE(hub.got(R"("text":"Hello")"));
}

TEST_F(TemplatePort, ABouncingButtonIsOnePress) {
  go_online();
  for (int i = 0; i < 6; ++i) {
    board.pins = i % 2 == 0 ? kTalkBit : 0;
    board.ticks += 3;
    port->step();
  }
  EXPECT_FALSE(board.listening);
  board.pins = kTalkBit;
  pass(50);
  EXPECT_TRUE(board.listening);
}

}  // namespace
}  // namespace gadget::ports::port_template
