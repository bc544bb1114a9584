// The template port, whole, on a board in memory: what a maker starts from works.
#include "ports/template/port.hpp"

#include <algorithm>
#include <memory>
#include <vector>

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

  static constexpr int kReplyMs = 400;
  // The hub answers in 400 ms of voice.
  void speak_reply() {
    hub.text(R"({"type":"turn.start","turn":"t1"})");
    hub.text(R"({"type":"reply","turn":"t1","text":"Hello."})");
    hub.text(R"({"type":"audio.start","stream":3,"rate":)" + std::to_string(kSpeakerHz) +
             R"(,"format":"pcm16","turn":"t1"})");
    for (int i = 0; i < kReplyMs / 40; ++i) {
      std::string message{"\x01\x03", 2};
      message += static_cast<char>(i);
      message += '\0';
      for (std::size_t k = 0; k < kSpeakerHz / 25; ++k) message += std::string{"\x00\x10", 2};
      hub.binary(message);
    }
    hub.text(R"({"type":"audio.end","stream":3})");
    hub.text(R"({"type":"turn.end","turn":"t1","outcome":"success"})");
  }
  [[nodiscard]] bool logged(std::string_view part) const {
    return std::any_of(board.lines.begin(), board.lines.end(), [part](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
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

TEST_F(TemplatePort, AnUtteranceFromButtonToHub) {
  if (kMicHz == 0) GTEST_SKIP() << "no microphone";
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
}

TEST_F(TemplatePort, B48_AReplyIsPlayedToItsLastSample) {
  if (kSpeakerHz == 0) GTEST_SKIP() << "no speaker";
  go_online();
  speak_reply();
  pass(1'000);
  EXPECT_FALSE(board.awake);
  const auto voiced = std::count_if(board.played.begin(), board.played.end(),
                                    [](std::int16_t sample) { return sample != 0; });
  EXPECT_GE(voiced, kReplyMs * static_cast<int>(kSpeakerHz) / 1'000 - 100);  // volume and fades
  EXPECT_EQ(port->gadget().state(), device::screen::State::ready);
}

// speaker_on(false) came before the last piece was written: the last syllable was cut.
TEST_F(TemplatePort, TheSpeakerIsSwitchedOffWhenTheLastSyllableWasHeard) {
  if (kSpeakerHz == 0) GTEST_SKIP() << "no speaker";
  go_online();
  speak_reply();
  pass(1'000);
  EXPECT_FALSE(board.awake);
  EXPECT_EQ(board.speaker_faults, 0);
  EXPECT_GE(board.off_at - board.voice_at, 60U);  // what board.hpp lets a board queue
  EXPECT_LE(board.off_at - board.voice_at, 500U);
}

TEST(TemplateScreen, BandsCoverIt) {
  std::vector<std::vector<device::screen::Colour>> sent;
  for (const auto order :
       {device::screen::PixelOrder::as_is, device::screen::PixelOrder::bytes_swapped}) {
    FakeFlash flash;
    FakeBoard board{flash};
    board.keeps_pixels = true;
    std::vector<device::screen::Colour> pixels(160 * 32);
    ScreenOut out{board, pixels, {}, 160, 120, device::screen::kAsciiFonts, order, 2};
    device::screen::ScreenModel model;
    model.state = device::screen::State::ready;
    out.show(model, 0);
    EXPECT_EQ(board.screen_faults, 0);
    EXPECT_EQ(board.rows_sent, 120);
    EXPECT_GT(board.lit, 0U);
    sent.push_back(board.shown);
  }
  // A panel that takes the high byte first got bands as they were drawn: wrong colours.
  ASSERT_EQ(sent[0].size(), std::size_t{160} * 120);
  ASSERT_EQ(sent[1].size(), sent[0].size());
  for (std::size_t i = 0; i < sent[0].size(); ++i) {
    ASSERT_EQ(sent[1][i], static_cast<std::uint16_t>(sent[0][i] << 8U | sent[0][i] >> 8U));
  }
}

TEST(TemplateScreen, APanelOfEvenColumnsGetsEvenXAndWidth) {
  FakeFlash flash;
  FakeBoard board{flash};
  board.keeps_pixels = true;
  std::vector<device::screen::Colour> pixels(std::size_t{240} * 240);
  std::vector<device::screen::Colour> stripe(std::size_t{240} * 8);
  ScreenOut out{board, pixels, stripe, 240, 240, device::screen::kAsciiFonts, kPixelOrder, 2};
  device::screen::ScreenModel model;
  model.state = device::screen::State::ready;
  model.shape = device::screen::Shape::round;
  for (int ms = 0; ms < 20'000; ms += 40) out.show(model, ms);  // the face moves
  EXPECT_GT(board.areas.size(), 100U);
  for (const auto& area : board.areas) {
    ASSERT_EQ(area.x % 2, 0);
    ASSERT_EQ(area.w % 2, 0);
  }
}

TEST(TemplateScreen, WithMemoryForTheWholePictureOnlyWhatChangedIsSent) {
  FakeFlash flash;
  FakeBoard board{flash};
  constexpr int kHeight = 128;
  std::vector<device::screen::Colour> pixels(std::size_t{160} * kHeight);
  std::vector<device::screen::Colour> stripe(std::size_t{160} * 8);
  ScreenOut out{board, pixels, stripe, 160, kHeight, device::screen::kAsciiFonts};
  device::screen::ScreenModel model;
  model.state = device::screen::State::card;
  model.card.title = "Shopping";
  out.show(model, 0);
  EXPECT_GE(board.rows_sent, kHeight);
  EXPECT_GT(board.lit, 0U);
  EXPECT_EQ(board.screen_faults, 0);

  board.rows_sent = 0;
  out.show(model, 0);
  EXPECT_EQ(board.rows_sent, 0);
  model.card.body = "Milk";
  out.show(model, 0);
  EXPECT_GT(board.rows_sent, 0);
  EXPECT_LT(board.rows_sent, kHeight);
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

// Of 24 KB that waited when the hub closed, what did not fit into one step was dropped: the notice,
// and `busy` with it.
TEST_F(TemplatePort, TheHubsLastWordsAreHeardHoweverMuchWaits) {
  for (const int frames : {0, 100, 300, 1'000}) {
    board.lines.clear();
    go_online();
    for (int i = 0; i < frames; ++i) hub.binary(std::string(80, 'x'));
    hub.text(R"({"type":"notice","text":"last words"})");
    hub.frame(0x88, std::string{"\x03\xF0", 2} + "busy");
    board.state = StreamState::closed;
    pass(200);
    EXPECT_TRUE(logged("notice last words")) << frames;
    EXPECT_TRUE(logged("connection busy")) << frames;
  }
}

TEST_F(TemplatePort, TheNextStreamIsOpenedWhenTheOneBeforeIsGone) {
  go_online();
  board.drains = true;
  board.typed = "set hub ws://other.local:99/gadget\n";
  const int before = board.opens;
  for (int i = 0; i < 500 && board.stream_closes == 0; ++i) pass(10);
  ASSERT_EQ(board.stream_closes, 1);
  pass(1'500);
  EXPECT_EQ(board.opens, before);
  board.state = StreamState::closed;
  pass(20);
  EXPECT_EQ(board.opened, "other.local:99");
  EXPECT_EQ(board.stream_faults, 0);
}

TEST_F(TemplatePort, AStreamThatIsNeverGoneIsReplacedAllTheSame) {
  go_online();
  board.drains = true;
  board.typed = "set hub ws://other.local:99/gadget\n";
  pass(10'000);
  EXPECT_EQ(board.opened, "other.local:99");
}

// The console asked the board first: a port that reset at once never answered, and left the hub
// without a close.
TEST_F(TemplatePort, ARestartComesAfterItsAnswerAndTheClose) {
  go_online();
  board.typed = "restart\n";
  pass(1'000);
  ASSERT_EQ(board.console.size(), 1U);
  EXPECT_EQ(board.console[0].rfind("error unavailable", 0), 0U);

  board.restarts = 0;
  board.typed = "restart\n";
  pass(100);
  EXPECT_EQ(board.restarts, 0);
  ASSERT_EQ(board.console.size(), 2U);
  EXPECT_EQ(board.console[1].rfind("ok", 0), 0U);
  ASSERT_EQ(hub.closes.size(), 1U);
  EXPECT_EQ(hub.closes[0], std::string("\x03\xE9", 2) + "restart");
  pass(1'000);
  EXPECT_EQ(board.restarts, 1);
}

TEST_F(TemplatePort, EveryStepPumpsTheBoardFirst) {
  power_on();
  board.polls = 0;
  pass(100);
  EXPECT_EQ(board.polls, 10);
}

// A 32 kHz counter as `rtc * 1000 / 32768` wraps at 131,072,000 ms: now() jumped ahead by 48 days.
TEST_F(TemplatePort, ACounterThatWrapsEarlyIsNoJumpOf48Days) {
  board.ticks = 131'071'990;
  power_on();
  const auto before = port->now();
  board.ticks = 0;
  EXPECT_EQ(port->now(), before);
  board.ticks = 10;
  EXPECT_EQ(port->now(), before + 10);
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

TEST_F(TemplatePort, Q3_LongUpSaysNoWhereThereIsNoCancel) {
  if (!kLongUpIsCancel) GTEST_SKIP() << "there is CANCEL";
  go_online();
  hub.text(R"({"type":"prompt","id":"p","title":"Router","text":"Restart it?"})");
  pass(1'000);
  board.pins = kUpBit;
  pass(600);
  EXPECT_FALSE(hub.got("prompt.reply"));
  pass(200);
  EXPECT_TRUE(hub.got(R"({"type":"prompt.reply","id":"p","answer":"no"})"));
}

TEST_F(TemplatePort, ABouncingButtonIsOnePress) {
  if (kMicHz == 0) GTEST_SKIP() << "no microphone to see it by";
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
