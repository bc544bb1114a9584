// Pictures: D2, T7, E46, E35, E20, H5.
#include <random>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using screen::Colour;
using screen::State;

protocol::Number seconds(std::string_view token) { return protocol::Number{token}; }

struct Receiving {
  explicit Receiving(std::int64_t width = 4, std::int64_t height = 2, std::int64_t stream = 7) {
    EXPECT_EQ(picture.start({.stream = stream,
                             .width = width,
                             .height = height,
                             .format = "rgb565",
                             .ttl_s = seconds("5")}),
              Picture::Start::begun);
  }
  bool chunk(std::uint16_t sequence, std::vector<int> bytes, std::uint8_t stream = 7) {
    std::vector<std::byte> payload;
    for (const int byte : bytes) payload.push_back(static_cast<std::byte>(byte));
    return picture.chunk(stream, sequence, payload);
  }

  std::vector<Colour> room = std::vector<Colour>(64, 0xAAAA);
  Picture picture{room, protocol::ImageBox{8, 8}};
};

TEST(PicturePhases, EveryPhaseAndEvent) {
  using enum PicturePhase;
  using enum PictureEvent;
  const std::optional<PicturePhase> no;
  const struct {
    PictureEvent event;
    std::array<std::optional<PicturePhase>, 4> to;  // from none, receiving, waiting, showing
  } table[] = {
      {start, {receiving, receiving, receiving, receiving}},
      {PictureEvent::end, {no, waiting, no, no}},
      {PictureEvent::shown, {no, no, showing, no}},
      {gone, {no, none, none, none}},
      {lost, {no, none, no, no}},
  };
  for (const auto& row : table) {
    for (std::size_t from = 0; from < row.to.size(); ++from) {
      EXPECT_EQ(next(static_cast<PicturePhase>(from), row.event), row.to[from])
          << "event " << static_cast<int>(row.event) << " from " << from;
    }
  }
}

TEST(Picture, T7_PixelsAreLittleEndianAndGoOnWhereTheChunkBeforeStopped) {
  Receiving r;
  EXPECT_TRUE(r.chunk(65'535, {0x34, 0x12, 0x78}));  // ends in the midst of a pixel
  EXPECT_TRUE(r.chunk(0, {}));
  EXPECT_TRUE(r.chunk(1, {0x56}));
  EXPECT_TRUE(r.chunk(2, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
  EXPECT_TRUE(r.picture.end(7));
  const auto view = r.picture.view();
  EXPECT_EQ(view.width, 4);
  EXPECT_EQ(view.height, 2);
  EXPECT_EQ(std::vector<Colour>(view.pixels.begin(), view.pixels.end()),
            (std::vector<Colour>{0x1234, 0x5678, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(r.room[8], 0xAAAA) << "beyond the picture";
}

TEST(Picture, E46_AnEndThatIsTooEarlyShowsWhatCame) {
  Receiving r;
  EXPECT_TRUE(r.chunk(9, {1, 0, 2, 0, 3}));
  EXPECT_TRUE(r.picture.end(7));
  const auto view = r.picture.view();
  EXPECT_EQ(std::vector<Colour>(view.pixels.begin(), view.pixels.end()),
            (std::vector<Colour>{1, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(Picture, E46_AnEndWithoutAnythingShowsNothing) {
  Receiving r;
  EXPECT_FALSE(r.picture.end(7));
  EXPECT_EQ(r.picture.phase(), PicturePhase::none);
  EXPECT_EQ(r.picture.counters().dropped, 1U);
}

TEST(Picture, E46_AGapDropsThePicture) {
  Receiving r;
  EXPECT_TRUE(r.chunk(0, {1, 0}));
  EXPECT_TRUE(r.chunk(2, {1, 0}));
  EXPECT_EQ(r.picture.phase(), PicturePhase::none);
  EXPECT_FALSE(r.chunk(3, {1, 0})) << "frames of a stream that is over (E20)";
  EXPECT_FALSE(r.picture.end(7));
}

TEST(Picture, E46_MoreThanAnnouncedDropsThePictureAndWritesNothingBeyondIt) {
  Receiving r;
  EXPECT_TRUE(r.chunk(0, std::vector<int>(15, 1)));
  EXPECT_TRUE(r.chunk(1, {1, 1}));
  EXPECT_EQ(r.picture.phase(), PicturePhase::none);
  EXPECT_EQ(r.room[8], 0xAAAA);
}

TEST(Picture, E17_RepeatsAndLateChunksArePassedOver) {
  Receiving r;
  EXPECT_TRUE(r.chunk(5, {1, 0}));
  EXPECT_TRUE(r.chunk(5, {9, 9}));
  EXPECT_TRUE(r.chunk(4, {9, 9}));
  EXPECT_TRUE(r.chunk(static_cast<std::uint16_t>(5 + 32'768), {9, 9}));
  EXPECT_TRUE(r.chunk(6, {2, 0}));
  EXPECT_TRUE(r.picture.end(7));
  EXPECT_EQ(r.picture.view().pixels[0], 1);
  EXPECT_EQ(r.picture.view().pixels[1], 2);
  EXPECT_EQ(r.picture.counters().repeated, 3U);
}

TEST(Picture, E46_LargerThanTheAnnouncedBoxIsMalformedAndChangesNothing) {
  Receiving r;
  EXPECT_TRUE(r.chunk(0, {1, 0}));
  const auto start = [&](std::int64_t width, std::int64_t height) {
    return r.picture.start(
        {.stream = 8, .width = width, .height = height, .format = "rgb565", .ttl_s = {}});
  };
  EXPECT_EQ(start(9, 1), Picture::Start::malformed);
  EXPECT_EQ(start(1, 9), Picture::Start::malformed);
  EXPECT_EQ(r.picture.phase(), PicturePhase::receiving);
  EXPECT_TRUE(r.chunk(1, {2, 0}));
  EXPECT_EQ(start(8, 8), Picture::Start::begun);
  EXPECT_FALSE(r.chunk(2, {2, 0})) << "a new picture replaces";
}

TEST(Picture, E20_ForeignStreamsAndFormatsAreNotTaken) {
  Receiving r;
  EXPECT_FALSE(r.chunk(0, {1, 0}, 8));
  EXPECT_FALSE(r.picture.end(8));
  for (const std::int64_t stream : {-1, 0, 251, 263, 1'000'000}) {
    EXPECT_EQ(r.picture.start(
                  {.stream = stream, .width = 1, .height = 1, .format = "rgb565", .ttl_s = {}}),
              Picture::Start::ignored);
  }
  EXPECT_EQ(
      r.picture.start({.stream = 1, .width = 1, .height = 1, .format = "rgb888", .ttl_s = {}}),
      Picture::Start::ignored);
  EXPECT_EQ(r.picture.phase(), PicturePhase::receiving);
}

TEST(Picture, H5_WithoutRoomForTheBoxThereIsNoCapability) {
  std::vector<Colour> room(63);
  EXPECT_FALSE(Picture(room, protocol::ImageBox{8, 8}).box());
  EXPECT_FALSE(Picture({}, protocol::ImageBox{8, 8}).box());
  EXPECT_FALSE(Picture(room, {}).box());
  EXPECT_FALSE(Picture(room, protocol::ImageBox{0, 8}).box());
  EXPECT_FALSE(Picture(room, protocol::ImageBox{-1, -1}).box());
  EXPECT_FALSE(Picture(room, protocol::ImageBox{1LL << 40U, 1LL << 40U}).box());
  EXPECT_TRUE(Picture(room, protocol::ImageBox{9, 7}).box());
}

// Any order of anything: never outside the room that the picture takes, and what shows has all its
// pixels.
TEST(PictureProperty, E46_RandomMessagesKeepInsideTheRoom) {
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  std::vector<Colour> guarded(66, 0xBEEF);
  Picture picture(std::span<Colour>(guarded).subspan(1, 64), protocol::ImageBox{8, 8});
  Ticks now = 0;
  std::uint16_t sequence = 0;
  for (int step = 0; step < 200'000; ++step) {
    switch (below(8)) {
      case 0:
        (void)picture.start({.stream = below(3) + 1,
                             .width = below(9) + 1,
                             .height = below(9) + 1,
                             .format = "rgb565",
                             .ttl_s = seconds("0.1")});
        break;
      case 1: (void)picture.end(below(3) + 1); break;
      case 2: picture.shown(now); break;
      case 3: (void)picture.tick(now += static_cast<Ticks>(below(200))); break;
      case 4:
        if (below(20) == 0) picture.dismiss();
        break;
      default: {
        const std::vector<std::byte> bytes(static_cast<std::size_t>(below(40)), std::byte{1});
        if (below(30) == 0) sequence = static_cast<std::uint16_t>(random());
        (void)picture.chunk(static_cast<std::uint8_t>(below(3) + 1), ++sequence, bytes);
      }
    }
    ASSERT_EQ(guarded.front(), 0xBEEF);
    ASSERT_EQ(guarded.back(), 0xBEEF);
    const auto view = picture.view();
    ASSERT_EQ(view.pixels.size(), static_cast<std::size_t>(view.width * view.height));
  }
  EXPECT_GT(picture.counters().shown, 1'000U);
}

// ---- In a Gadget

GadgetConfig with_pictures() {
  GadgetConfig config = test::Bench::default_config();
  config.display->image = protocol::ImageBox{320, 196};
  return config;
}

struct Online {
  explicit Online(const GadgetConfig& config = with_pictures()) : bench(config) {
    bench.start();
    bench.open();
    bench.challenge();
    hello = bench.sent.at(0);
    bench.welcome();
    bench.sent.clear();
  }
  void start(std::string_view more = "", std::string_view size = R"("width":2,"height":2)") {
    bench.hub(R"({"type":"image.start","stream":3,)" + std::string{size} + R"(,"format":"rgb565")" +
              std::string{more} + "}");
  }
  void frame(std::uint16_t sequence, std::vector<std::int16_t> pixels) {
    bench.hub_frame(3, sequence, std::move(pixels), protocol::Channel::image);
  }
  void end() { bench.hub(R"({"type":"image.end","stream":3})"); }
  void send(std::string_view more = "") {
    start(more);
    frame(0, {1, 2, 3, 4});
    end();
  }

  test::Bench bench;
  std::string hello;
};

TEST(GadgetPicture, H4_TheBoxIsAnnouncedWhereThereIsRoom) {
  EXPECT_NE(Online{}.hello.find(R"("image":{"width":320,"height":196,"format":"rgb565"})"),
            std::string::npos);
  EXPECT_EQ(Online{test::Bench::default_config()}.hello.find("image"), std::string::npos);
}

TEST(GadgetPicture, D2_E35_ShowsForItsTimeCountedFromWhenItShows) {
  Online o;
  o.send();
  EXPECT_EQ(o.bench.gadget->state(), State::image);
  EXPECT_TRUE(o.bench.noted(Fact::image));
  o.bench.pass(29'900);
  EXPECT_EQ(o.bench.gadget->state(), State::image);
  o.bench.pass(200);
  EXPECT_EQ(o.bench.gadget->state(), State::ready);

  o.bench.hub(R"({"type":"turn.start","turn":"t"})");
  o.send(R"(,"ttl_s":2)");
  EXPECT_EQ(o.bench.gadget->state(), State::thinking);
  o.bench.pass(5'000);
  o.bench.hub(R"({"type":"turn.end","turn":"t","outcome":"success"})");
  EXPECT_EQ(o.bench.gadget->state(), State::image) << "its time runs from when it shows";
  o.bench.pass(2'100);
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
}

TEST(GadgetPicture, E35_ZeroKeepsItUntilCancel) {
  Online o;
  o.send(R"(,"ttl_s":0)");
  o.bench.pass(50'000);
  EXPECT_EQ(o.bench.gadget->state(), State::image);
  o.bench.press(Button::cancel);
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
  EXPECT_EQ(o.bench.count("cancel"), 0) << "it closed the picture, nothing else";
}

TEST(GadgetPicture, E46_OtherMessagesAndSpeechMayComeBetweenItsFrames) {
  Online o;
  o.start();
  o.frame(0, {1, 2});
  o.bench.hub(R"({"type":"notice","text":"in between"})");
  o.bench.hub(R"({"type":"audio.start","stream":4,"rate":16000,"format":"pcm16"})");
  o.bench.hub_frame(4, 0, std::vector<std::int16_t>(640, 100));
  o.frame(1, {3, 4});
  o.bench.hub(R"({"type":"audio.end","stream":4})");
  o.end();
  (void)o.bench.listen_for(200);
  EXPECT_EQ(o.bench.gadget->state(), State::image);
  screen::ScreenModel model;
  o.bench.gadget->fill(o.bench.now, model);
  ASSERT_EQ(model.image.pixels.size(), 4U);
  EXPECT_EQ(model.image.pixels[3], 4);
}

TEST(GadgetPicture, E46_TooLargeIsCountedAsMalformed) {
  Online o;
  o.start("", R"("width":321,"height":1)");
  EXPECT_EQ(o.bench.gadget->counters().malformed, 1U);
  o.frame(0, {1});
  o.end();
  EXPECT_EQ(o.bench.gadget->counters().foreign_frames, 1U);
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
}

TEST(GadgetPicture, E31_APictureThatWasOnItsWayIsGoneWithItsConnection) {
  Online o;
  o.start();
  o.frame(0, {1, 2});
  o.bench.drop();
  o.bench.until_connect();
  o.bench.go_online(true);
  o.frame(1, {3, 4});
  o.end();
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
}

TEST(GadgetPicture, D1_D2_TheLaterOfCardAndPictureIsAbove) {
  Online o;
  o.send(R"(,"ttl_s":0)");
  o.bench.hub(R"({"type":"display","title":"T","body":"B","ttl_s":0})");
  EXPECT_EQ(o.bench.gadget->state(), State::card);
  o.send(R"(,"ttl_s":0)");
  EXPECT_EQ(o.bench.gadget->state(), State::image);
  o.bench.press(Button::cancel);
  EXPECT_EQ(o.bench.gadget->state(), State::card);
  o.bench.press(Button::cancel);
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
}

TEST(GadgetPicture, H5_WithoutTheCapabilityNothingIsTaken) {
  Online o{test::Bench::default_config()};
  o.send();
  EXPECT_EQ(o.bench.gadget->state(), State::ready);
  EXPECT_EQ(o.bench.gadget->counters().foreign_frames, 1U);
}

}  // namespace
}  // namespace gadget::device
