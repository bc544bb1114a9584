// Pictures from the owner or an agent to a device's screen.
#include "hub/core/bench.hpp"
#include "hub/core/limits.hpp"
#include "media/png.hpp"

namespace gadget::hub::bench {
namespace {

using Types = std::vector<std::string>;

constexpr const char* kScreen =
    R"(,"caps":{"display":{"width":320,"height":240,"image":{"width":320,"height":196,"format":"rgb565"}}})";

std::string png(std::uint32_t width, std::uint32_t height) {
  return *media::encode_png(
      {width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height, 200)});
}

struct Shown {
  std::optional<Result<PictureSent>> result;
  int times = 0;
  void show(Bench& bench, const Device& device, std::string file, Millis ttl_ms = 30'000) {
    bench.hub->image(device.id, {.file = std::move(file), .ttl_ms = ttl_ms}, [this](auto got) {
      result = std::move(got);
      ++times;
    });
  }
  [[nodiscard]] FailureCode code() const { return result->error().code; }
};

class Pictures : public ::testing::Test {
 protected:
  void SetUp() override {
    device.come(kScreen);
    ASSERT_TRUE(bench.hub->approve(device.id.text()));
    device.forget_all();
  }
  Bench bench;
  Device device{bench};
};

TEST_F(Pictures, D2_E46_StartFramesInOrderEnd) {
  Shown shown;
  shown.show(bench, device, png(640, 480));
  EXPECT_FALSE(shown.result);  // never on the loop
  bench.advance(0);
  ASSERT_TRUE(shown.result && *shown.result);
  EXPECT_EQ((*shown.result)->width, 261U);
  EXPECT_EQ((*shown.result)->height, 196U);
  EXPECT_EQ(device.types(), (Types{"image.start", "frames", "image.end"}));
  const Written start = device.need("image.start");
  EXPECT_EQ(start.get("width"), "261");
  EXPECT_EQ(start.get("height"), "196");
  EXPECT_EQ(start.get("format"), "rgb565");
  EXPECT_EQ(start.get("ttl_s"), "30");
  EXPECT_EQ(device.need("image.end").get("stream"), start.get("stream"));
  std::size_t pixels = 0;
  std::uint16_t sequence = 0;
  for (const Written& one : device.got()) {
    EXPECT_EQ(one.kind, Link::Kind::image);  // so that control overtakes all of it
    if (one.type != "frame") continue;
    EXPECT_EQ(std::to_string(one.stream), start.get("stream"));
    EXPECT_EQ(one.sequence, sequence++);
    EXPECT_LE(one.samples, 2048U);  // 4,100 bytes with the header (E33)
    pixels += one.samples;
  }
  EXPECT_EQ(pixels, 261U * 196U);
  EXPECT_EQ(bench.fact("picture.sent", "width"), "261");
}

TEST_F(Pictures, H5_NoPictureForADeviceThatTakesNone) {
  Device bare(bench, 2);
  bare.come(R"(,"caps":{"display":{"width":128,"height":64}})");
  ASSERT_TRUE(bench.hub->approve(bare.id.text()));
  Shown shown;
  shown.show(bench, bare, png(2, 2));
  ASSERT_TRUE(shown.result);
  EXPECT_EQ(shown.code(), FailureCode::refused);
  bench.advance(1000);
  EXPECT_EQ(bare.count("image.start"), 0U);
}

TEST_F(Pictures, E40_NoneForADeviceThatIsNotPairedAndNoneForOneThatIsAway) {
  Device stranger(bench, 2);
  stranger.come(kScreen);
  Shown shown;
  shown.show(bench, stranger, png(2, 2));
  EXPECT_EQ(shown.code(), FailureCode::refused);
  device.drop();
  shown.show(bench, device, png(2, 2));
  EXPECT_EQ(shown.code(), FailureCode::unavailable);
  EXPECT_NE(shown.result->error().text.find("not connected"), std::string::npos);
}

TEST_F(Pictures, D3_WhatIsNoPictureIsSaidAndNothingSent) {
  Shown shown;
  shown.show(bench, device, "GIF89a");
  bench.advance(0);
  ASSERT_TRUE(shown.result);
  EXPECT_EQ(shown.code(), FailureCode::invalid_argument);
  EXPECT_TRUE(device.got().empty());
  EXPECT_NE(bench.fact("picture.failed", "text").find("a GIF"), std::string::npos);
}

TEST_F(Pictures, E26_TheTimeIsClamped) {
  for (const auto& [ttl_ms, sent] : {std::pair<Millis, const char*>{0, "0"},
                                     {-5'000, "0"},
                                     {1'999, "1"},
                                     {90'000'000'000, "86400"}}) {
    Shown shown;
    shown.show(bench, device, png(2, 2), ttl_ms);
    bench.advance(0);
    EXPECT_EQ(device.need("image.start").get("ttl_s"), sent);
  }
}

TEST_F(Pictures, ASlowLinkIsGivenNoMoreThanItTakes) {
  Shown shown;
  device.link->waiting = limits::kPictureLinkBytes;
  shown.show(bench, device, png(320, 196));
  bench.advance(5'000);
  EXPECT_FALSE(shown.result);
  EXPECT_EQ(device.types(), Types{"image.start"});
  device.link_takes();
  ASSERT_TRUE(shown.result && *shown.result);
}

// What is given to a link that is being closed is lost: it must not count as sent.
TEST_F(Pictures, WhatALinkThatClosesLosesIsNotSent) {
  Shown shown;
  device.link->waiting = limits::kPictureLinkBytes;
  shown.show(bench, device, png(320, 196));
  bench.advance(10);
  device.link->lost = true;
  device.link_takes();
  bench.advance(1'000);
  EXPECT_FALSE(shown.result);
  EXPECT_EQ(device.count("frame"), 0U);
  device.drop();
  ASSERT_TRUE(shown.result);
  EXPECT_EQ(shown.code(), FailureCode::unavailable);
}

TEST_F(Pictures, E46_ANewerPictureReplacesOneThatIsBeingWritten) {
  Shown first;
  Shown second;
  device.link->waiting = limits::kPictureLinkBytes;
  first.show(bench, device, png(320, 196));
  bench.advance(100);
  second.show(bench, device, png(4, 4));
  EXPECT_FALSE(first.result);
  bench.settle();
  device.link_takes();
  ASSERT_TRUE(first.result && second.result);
  EXPECT_EQ(first.code(), FailureCode::cancelled);
  EXPECT_TRUE(*second.result);
  ASSERT_EQ(device.link->dropped_streams.size(), 1U);
  const auto& got = device.got();
  EXPECT_EQ(std::to_string(device.link->dropped_streams.front()), got.front().get("stream"));
  EXPECT_NE(got.front().get("stream"), device.need("image.end").get("stream"));  // E20
  bench.advance(1000);
  EXPECT_EQ(first.times, 1);
}

TEST_F(Pictures, ANewerPictureTakesThePlaceOfOneThatIsNotReady) {
  bench.work_ms = 50;
  Shown first;
  Shown second;
  first.show(bench, device, png(320, 196));
  second.show(bench, device, png(4, 4));
  ASSERT_TRUE(first.result);
  EXPECT_EQ(first.code(), FailureCode::cancelled);
  bench.advance(100);
  EXPECT_TRUE(second.result && *second.result);
  EXPECT_EQ(device.count("image.start"), 1U);
  EXPECT_EQ(device.need("image.start").get("width"), "4");
}

TEST_F(Pictures, ADamagedOneLeavesTheOneBeforeAlone) {
  Shown first;
  Shown second;
  device.link->waiting = limits::kPictureLinkBytes;
  first.show(bench, device, png(320, 196));
  bench.advance(100);
  second.show(bench, device, "rubbish");
  bench.settle();
  EXPECT_EQ(second.code(), FailureCode::invalid_argument);
  device.link_takes();
  bench.advance(100);
  EXPECT_TRUE(first.result && *first.result);
}

TEST_F(Pictures, E31_NothingOutlivesTheConnection) {
  for (const bool fitting : {true, false}) {
    bench.work_ms = fitting ? 50 : 0;
    device.link->waiting = limits::kPictureLinkBytes;
    Shown shown;
    shown.show(bench, device, png(320, 196));
    if (!fitting) bench.advance(10);
    device.drop();
    ASSERT_TRUE(shown.result);
    EXPECT_EQ(shown.code(), FailureCode::unavailable);
    device.come(kScreen);
    device.forget_all();
    bench.advance(1000);
    EXPECT_EQ(device.count("image.start") + device.count("frame"), 0U);
    EXPECT_EQ(shown.times, 1);
  }
}

TEST_F(Pictures, E44_ARevocationEndsIt) {
  device.link->waiting = limits::kPictureLinkBytes;
  Shown shown;
  shown.show(bench, device, png(320, 196));
  bench.advance(10);
  ASSERT_TRUE(bench.hub->revoke(device.id));
  ASSERT_TRUE(shown.result);
  EXPECT_EQ(shown.code(), FailureCode::unavailable);
  EXPECT_EQ(device.link->dropped_streams.size(), 1U);
  device.link_takes();
  bench.advance(1000);
  EXPECT_EQ(device.count("frame"), 0U);
}

TEST_F(Pictures, WhatWaitsForTheWorkerIsBounded) {
  bench.work_ms = 50;
  std::vector<Shown> shown(5);
  // Each but the last is replaced, and still counts until the worker is done with it.
  for (Shown& one : shown) {
    one.show(bench, device, std::string(limits::kPictureWaitingBytes / 4, 'x'));
  }
  EXPECT_EQ(shown.back().code(), FailureCode::unavailable);
  EXPECT_NE(shown.back().result->error().text.find("too many"), std::string::npos);
  bench.advance(100);
  Shown later;
  later.show(bench, device, png(2, 2));
  bench.advance(100);
  EXPECT_TRUE(later.result && *later.result);
}

TEST_F(Pictures, AnAgentShowsOneToo) {
  EXPECT_TRUE(bench.host->device(device.id)->takes_pictures);
  std::optional<Result<PictureSent>> result;
  bench.host->show_picture(device.id, {.file = png(4, 4)},
                           [&result](auto got) { result = std::move(got); });
  bench.advance(0);
  EXPECT_TRUE(result && *result);
  Device unknown(bench, 9);
  bench.host->show_picture(unknown.id, {.file = png(4, 4)},
                           [&result](auto got) { result = std::move(got); });
  EXPECT_EQ(result->error().code, FailureCode::not_found);
}

TEST(PicturesEnd, TheHubMayGoWhileOneIsBeingMadeReadyOrWritten) {
  for (const Millis work_ms : {0, 50}) {
    Shown shown;
    Bench bench;
    bench.work_ms = work_ms;
    Device device(bench);
    device.come(kScreen);
    ASSERT_TRUE(bench.hub->approve(device.id.text()));
    device.link->waiting = limits::kPictureLinkBytes;
    shown.show(bench, device, png(320, 196));
    bench.advance(10);
    bench.hub.reset();
    bench.settle();  // the worker posts to a hub that is no more
    EXPECT_FALSE(shown.result);
  }
}

}  // namespace
}  // namespace gadget::hub::bench
