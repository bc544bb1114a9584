// Updates as a hub sees them: the messages, the MAC, the screen, the restart (O1-O9, E38,
// B-61..B-67).
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"
#include "device/update/ab_slots.hpp"
#include "device/update/test_flash.hpp"
#include "device/update/test_image.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using test::Image;
using test::make_image;
using test::sha256_hex;
using test::TestFlash;

// A board with two slots; restart() is a power cut and the boot loader.
struct Board {
  Board() { restart(); }
  void restart() {
    const Millis now = bench ? bench->now : 1'000;
    bench.reset();
    flash.power_up();
    slots.emplace(flash, boot(flash));
    bench.emplace(Bench::default_config(), nullptr, store, &*slots);
    bench->now = now;
  }

  [[nodiscard]] protocol::Key key() const {
    return protocol::Key{std::span<const std::byte, 32>{store->values.at("key")}};
  }
  [[nodiscard]] std::string mac(std::string_view nonce, std::string_view sha, std::uint64_t size) {
    return std::string{
        protocol::view(protocol::ota_mac(key(), bench->gadget->id().text(), nonce, sha, size))};
  }
  // Offers; returns the nonce.
  std::string offer(const Image& image, std::string_view version = "2") {
    bench->hub(R"({"type":"ota.offer","stream":9,"size":)" + std::to_string(image.size()) +
               R"(,"sha256":")" + sha256_hex(image) + R"(","version":")" + std::string{version} +
               "\"}");
    return Bench::field(bench->last(), "nonce");
  }
  void begin(std::string_view with) {
    bench->hub(R"({"type":"ota.begin","mac":")" + std::string{with} + "\"}");
  }
  // Up to the ack of 0.
  void start(const Image& image) {
    sequence = 0;
    begin(mac(offer(image), sha256_hex(image), image.size()));
    bench->pass(400);
  }
  void frame(std::span<const std::byte> payload) {
    std::vector<std::byte> bytes(4);
    protocol::encode_header({protocol::Channel::firmware, 9, sequence++, {}}, bytes);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    bench->gadget->link_binary(bench->now, bench->epoch, bytes);
  }
  void send(const Image& image, std::size_t step = 1'024) {
    for (std::size_t at = 0; at < image.size(); at += step) {
      frame(std::span{image}.subspan(at, std::min(step, image.size() - at)));
    }
  }
  [[nodiscard]] std::string error() const {
    return bench->last().find("ota.error") == std::string::npos
               ? bench->last()
               : Bench::field(bench->last(), "code");
  }

  std::shared_ptr<test::BenchStore> store = std::make_shared<test::BenchStore>();
  TestFlash flash;
  std::optional<AbSlots> slots;
  std::optional<Bench> bench;
  std::uint16_t sequence = 0;
};

TEST(Updates, O1_O5_O9_FromTheOfferToTheConfirmation) {
  Board board;
  board.bench->start();
  board.bench->open();
  EXPECT_NE(board.bench->last().find(R"("ota":{"max_size":4096})"), std::string::npos);
  board.bench->challenge();
  board.bench->welcome();
  const std::string id{board.bench->gadget->id().text()};
  const Image image = make_image("2.0", "bench", 3'000);
  board.start(image);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.ack","offset":0})");
  EXPECT_EQ(board.bench->state, screen::State::updating);
  board.send(image);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.ack","offset":3000})");
  EXPECT_TRUE(board.bench->shows_text("Updating to 2"));
  EXPECT_TRUE(board.bench->shows_text("100 %"));
  board.bench->hub(R"({"type":"ota.end"})");
  board.bench->pass(100);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.done","version":"2.0"})");
  EXPECT_TRUE(board.bench->closes.empty());
  board.bench->pass(1'100);
  ASSERT_EQ(board.bench->closes.size(), 1U);
  EXPECT_EQ(board.bench->closes[0], (std::pair<std::uint16_t, std::string>{1001, "restart"}));
  EXPECT_EQ(board.bench->gadget->state(), screen::State::updating);
  board.bench->pass(600);
  EXPECT_EQ(board.flash.reboots(), 1);

  board.restart();
  EXPECT_TRUE(board.slots->on_probation());
  board.bench->go_online(true);
  EXPECT_EQ(board.bench->gadget->id().text(), id) << "the key stays";
  EXPECT_FALSE(board.slots->on_probation());
  EXPECT_EQ(load_record(board.flash).confirmed, 1);
  EXPECT_EQ(board.bench->facts.size() > 0 && board.bench->noted(Fact::update), true);
  board.restart();
  EXPECT_EQ(load_record(board.flash).confirmed, 1);
}

TEST(Updates, O9_B55_WithoutAWelcomeThePreviousFirmwareReturns) {
  Board board;
  board.bench->go_online();
  const Image image = make_image("2", "bench", 3'000);
  board.start(image);
  board.send(image);
  board.bench->hub(R"({"type":"ota.end"})");
  board.bench->pass(2'000);
  board.restart();
  board.bench->start();
  board.bench->open();  // a hub answers, but does not welcome
  EXPECT_TRUE(board.slots->on_probation());
  board.bench->pass(299'900);
  EXPECT_EQ(board.flash.reboots(), 0);
  board.bench->pass(700);
  EXPECT_EQ(board.flash.reboots(), 1);
  board.restart();
  EXPECT_FALSE(board.slots->on_probation());
  EXPECT_EQ(boot(board.flash), 0);
}

TEST(Updates, O2_B67_MacsThatAreWrong) {
  const Image image = make_image("2", "bench", 3'000);
  const std::string sha = sha256_hex(image);
  std::string upper = sha;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  Board board;
  board.bench->go_online();
  const std::string earlier = board.offer(image);
  const auto hex_of = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      out += {kDigits[static_cast<unsigned char>(c) >> 4U], kDigits[c & 15]};
    }
    return out;
  };
  const auto attempt = [&](const auto& make) {
    const std::string nonce = board.offer(image);
    board.begin(make(nonce));
    const std::string first = board.error();
    board.begin(board.mac(nonce, sha, 3'000));  // used up, right or wrong
    EXPECT_EQ(board.error(), "no_offer");
    return first;
  };
  EXPECT_EQ(attempt([&](auto nonce) { return board.mac(nonce, upper, 3'000); }), "unauthorized");
  EXPECT_EQ(attempt([&](auto nonce) { return board.mac(nonce, sha, 3'001); }), "unauthorized");
  EXPECT_EQ(attempt([&](auto nonce) { return hex_of(board.mac(nonce, sha, 3'000)); }),
            "unauthorized");
  EXPECT_EQ(attempt([&](auto) { return board.mac(earlier, sha, 3'000); }), "unauthorized");
  EXPECT_EQ(attempt([&](auto) { return std::string{}; }), "unauthorized");
  EXPECT_EQ(attempt([&](auto nonce) { return board.mac(nonce, sha, 3'000) + " "; }),
            "unauthorized");
  EXPECT_EQ(attempt([&](auto nonce) {  // the size with a zero in front
              const std::array<std::string_view, 8> parts{"hermes-gadget/v1|ota|",
                                                          board.bench->gadget->id().text(),
                                                          "|",
                                                          nonce,
                                                          "|",
                                                          sha,
                                                          "|",
                                                          "03000"};
              std::array<char, 44> text{};
              return std::string{protocol::base64_encode(
                  protocol::hmac_sha256(board.key().reveal(), parts), text)};
            }),
            "unauthorized");
  board.start(image);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.ack","offset":0})");
  // The nonce of a session before this one.
  const std::string nonce = board.offer(image);
  board.bench->drop();
  board.bench->until_connect();
  board.bench->go_online(true);
  board.begin(board.mac(nonce, sha, 3'000));
  EXPECT_EQ(board.error(), "no_offer");
  board.offer(image);
  board.begin(board.mac(nonce, sha, 3'000));
  EXPECT_EQ(board.error(), "unauthorized");
}

TEST(Updates, E38_E34_OffersThatAreWrong) {
  Board board;
  board.bench->go_online();
  const std::string sha(64, 'a');
  const auto offer = [&](const std::string& fields) {
    board.bench->sent.clear();
    board.bench->hub(R"({"type":"ota.offer",)" + fields + "}");
    return board.bench->sent.empty() ? "" : board.error();
  };
  const std::string good = R"("sha256":")" + sha + R"(","version":"2")";
  EXPECT_EQ(offer(R"("stream":0,"size":1,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":251,"size":1,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":0,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":-5,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":1.0,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":"1",)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,)" + good), "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":1,"version":"2","sha256":")" + std::string(64, 'A') + "\""),
            "bad_offer");
  EXPECT_EQ(offer(R"("stream":1,"size":4097,)" + good), "too_large");
  EXPECT_EQ(offer(R"("stream":1,"size":9223372036854775807,)" + good), "too_large");
  // An error ends the update that was under way.
  const Image image = make_image("2", "bench", 3'000);
  board.start(image);
  EXPECT_EQ(offer(R"("stream":1)"), "bad_offer");
  EXPECT_EQ(board.bench->gadget->updater().phase(), UpdatePhase::idle);
  EXPECT_EQ(board.bench->state, screen::State::ready);
}

TEST(Updates, T9_AnOfferBeforeTheWelcomeIsDropped) {
  Board board;
  board.bench->start();
  board.bench->open();
  board.bench->sent.clear();
  board.offer(make_image("2", "bench", 3'000));
  EXPECT_TRUE(board.bench->sent.empty());
  EXPECT_EQ(board.bench->gadget->counters().untimely, 1U);
}

TEST(Updates, T8_O3_E38_FramesOfAnySizeUpTo4100Bytes) {
  for (const std::size_t step : {1U, 23U, 4'095U, 4'096U}) {
    Board board;
    board.bench->go_online();
    const Image image = make_image("2", "bench", 4'096);
    board.start(image);
    board.send(image, step);
    board.bench->hub(R"({"type":"ota.end"})");
    board.bench->pass(100);
    EXPECT_EQ(board.bench->last(), R"({"type":"ota.done","version":"2"})") << step;
  }
  // Longer ones are no frames: the next one is then missing its predecessor.
  Board board;
  board.bench->go_online();
  const Image image = make_image("2", "bench", 4'096);
  board.start(image);
  const auto before = board.bench->gadget->counters().foreign_frames;
  board.frame(std::vector<std::byte>(4'097));
  EXPECT_EQ(board.bench->gadget->counters().foreign_frames, before + 1);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.ack","offset":0})");
  board.frame(std::span{image}.first(10));
  EXPECT_EQ(board.error(), "sequence");
}

TEST(Updates, B61_ADroppedConnectionAtEachStepLeavesTheDeviceFree) {
  const Image image = make_image("2", "bench", 3'000);
  for (int steps = 0; steps < 6; ++steps) {
    Board board;
    board.bench->go_online();
    if (steps > 0) (void)board.offer(image);
    if (steps > 1) board.start(image);
    if (steps > 2) board.frame(std::span{image}.first(1'000));
    if (steps > 3) {
      board.sequence = 0;
      board.start(image);
      board.send(image);
    }
    if (steps == 5) board.bench->hub(R"({"type":"ota.end"})");
    board.bench->drop();
    board.bench->sent.clear();
    EXPECT_EQ(board.bench->gadget->updater().phase(), UpdatePhase::idle);
    board.bench->until_connect();
    board.bench->go_online(true);
    EXPECT_TRUE(board.bench->sent.empty()) << "nothing of the update before";
    board.start(image);
    board.send(image);
    board.bench->hub(R"({"type":"ota.end"})");
    board.bench->pass(100);
    EXPECT_EQ(board.bench->last(), R"({"type":"ota.done","version":"2"})");
    board.bench->drop();  // the hub has no say any more
    board.bench->pass(2'000);
    EXPECT_EQ(board.flash.reboots(), 1);
  }
}

TEST(Updates, B62_TheHeartbeatGoesOnWhileFlashIsErased) {
  Board board;
  board.flash.erase_polls = 200;  // 4 s a sector
  board.bench->go_online();
  const Image image = make_image("2", "bench", 4'096);
  board.start(image);
  for (int i = 0; i < 15; ++i) {
    board.bench->pass(1'000);
    board.bench->hub(R"({"type":"ping","ts":7})");
    if (i < 14) {
      EXPECT_EQ(board.bench->last(), R"({"type":"pong","ts":7})");
      EXPECT_EQ(board.bench->count("ota.ack"), 0) << i;
    }
  }
  board.bench->pass(2'000);
  EXPECT_EQ(board.bench->count("ota.ack"), 1);
  board.send(image);
  board.bench->hub(R"({"type":"ota.end"})");
  board.bench->pass(100);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.done","version":"2"})");
}

TEST(Updates, AnAnswerThatTheLinkDidNotTakeIsSentLater) {
  Board board;
  board.bench->go_online();
  const Image image = make_image("2", "bench", 3'000);
  board.start(image);
  board.bench->sent.clear();
  board.bench->link_full = true;
  board.send(image);
  board.bench->pass(200);
  EXPECT_TRUE(board.bench->sent.empty());
  board.bench->link_full = false;
  board.bench->pass(40);
  EXPECT_EQ(board.bench->last(), R"({"type":"ota.ack","offset":3000})");
}

TEST(Updates, Q3_AQuestionIsSeenBeforeItIsAnsweredAlsoDuringAnUpdate) {
  Board board;
  board.bench->go_online();
  const Image image = make_image("2", "bench", 3'000);
  board.start(image);
  board.bench->hub(R"({"type":"prompt","id":"q","title":"","text":"Restart the router?"})");
  board.bench->pass(700);
  EXPECT_EQ(board.bench->state, screen::State::question);
  board.bench->press(Button::talk);
  EXPECT_EQ(board.bench->count(R"("answer":"yes")"), 1);
  board.bench->pass(100);
  EXPECT_EQ(board.bench->state, screen::State::updating);
  // In the last second before the restart, too.
  board.send(image);
  board.bench->hub(R"({"type":"ota.end"})");
  board.bench->pass(100);
  ASSERT_EQ(board.bench->gadget->updater().phase(), UpdatePhase::installed);
  board.bench->hub(R"({"type":"prompt","id":"r","title":"","text":"Another one?"})");
  board.bench->pass(40);
  EXPECT_EQ(board.bench->state, screen::State::question);
  board.bench->drop();
  board.bench->pass(40);
  EXPECT_EQ(board.bench->state, screen::State::updating);
}

TEST(Updates, O7_AnAbortIsSilent) {
  Board board;
  board.bench->go_online();
  const Image image = make_image("2", "bench", 3'000);
  board.start(image);
  board.bench->sent.clear();
  board.bench->hub(R"({"type":"ota.abort"})");
  board.bench->pass(100);
  EXPECT_TRUE(board.bench->sent.empty());
  EXPECT_EQ(board.bench->state, screen::State::ready);
  board.bench->hub(R"({"type":"ota.end"})");
  EXPECT_EQ(board.error(), "no_update");
}

}  // namespace
}  // namespace gadget::device
