// Pages of a reply that turn by themselves.
#include <string>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

TEST(Reading, TakesAboutAsLongAsSaying) {
  EXPECT_EQ(reading_ms(""), kReadPageMs);
  EXPECT_EQ(reading_ms(std::string(150, 'a')), 150 * kReadLetterMs);
  std::string cyrillic;
  std::string kana;
  for (int i = 0; i < 60; ++i) cyrillic += "\u0436";
  for (int i = 0; i < 60; ++i) kana += "\u3042";
  EXPECT_EQ(reading_ms(cyrillic), 60 * kReadLetterMs);
  EXPECT_EQ(reading_ms(kana), 60 * kReadIdeographMs);
}

// A reply of three pages of 45 letters, 2,970 ms each.
struct Read {
  static constexpr Ticks kPage = 45 * kReadLetterMs;
  // Lets time pass in steps of a port's tick.
  void pass(Ticks ms, bool reading = true) {
    for (const Ticks end = now + ms; now < end;) {
      now += 10;
      if (!pager.tick(now, reading)) continue;
      ++measured;
      (void)pager.measured(text, pager.page() + 1 < pages);
    }
  }
  Pager pager;
  Ticks now = 0;
  int pages = 3;
  int measured = 0;
  std::string text = std::string(45, 'a');
};

TEST(Pager, TurnsAtThePaceOfReadingUpToTheLastPage) {
  Read r;
  r.pass(10);
  r.pager.text(false);
  r.pass(Read::kPage - 100);
  EXPECT_EQ(r.pager.page(), 0);
  r.pass(200);
  EXPECT_EQ(r.pager.page(), 1);
  r.pass(Read::kPage);
  EXPECT_EQ(r.pager.page(), 2);
  r.pass(100'000);
  EXPECT_EQ(r.pager.page(), 2);
  EXPECT_LE(r.measured, 6) << "a page is measured when it opens and when it is read";
}

TEST(Pager, TextThatStreamsInOpensTheNextPageWhenItIsThere) {
  Read r;
  r.pages = 1;
  r.pager.text(false);
  r.pass(2 * Read::kPage);
  EXPECT_EQ(r.pager.page(), 0);
  r.pages = 2;
  r.pager.text(true);
  r.pass(20);
  EXPECT_EQ(r.pager.page(), 1) << "the first was read long ago";
  r.pager.text(false);
  EXPECT_EQ(r.pager.page(), 0) << "another text";
}

TEST(Pager, TimeInWhichSomethingElseShowsDoesNotCount) {
  Read r;
  r.pager.text(false);
  r.pass(Read::kPage / 2);
  r.pass(100'000, false);
  EXPECT_EQ(r.pager.page(), 0);
  r.pass(Read::kPage / 2 + 100);
  EXPECT_EQ(r.pager.page(), 1);
}

TEST(Pager, APersonsPageStays) {
  Read r;
  r.pager.text(false);
  r.pass(10);
  r.pager.turn(1, 3);
  r.pager.text(true);
  r.pass(100'000);
  EXPECT_EQ(r.pager.page(), 1);
  r.pager.turn(5, 3);
  EXPECT_EQ(r.pager.page(), 2);
  r.pager.turn(-9, 3);
  EXPECT_EQ(r.pager.page(), 0);
  r.pager.turn(1, 0);
  EXPECT_EQ(r.pager.page(), 0);
  r.pager.text(false);
  r.pass(Read::kPage + 100);
  EXPECT_EQ(r.pager.page(), 1) << "the next reply turns by itself again";
}

TEST(GadgetPager, R4_AReplyTurnsItsPagesWhileItStreamsInAndAfter) {
  test::Bench bench;
  bench.go_online();
  std::string text;
  const auto add = [&](int words) {
    for (int i = 0; i < words; ++i) text += "word" + std::to_string(i) + " ";
  };
  const auto page = [&] {
    screen::ScreenModel model;
    bench.gadget->fill(bench.now, model);
    return model.reply_page;
  };
  bench.hub(R"({"type":"turn.start","turn":"t"})");
  add(20);
  bench.hub(R"({"type":"reply.delta","turn":"t","text":")" + text + R"("})");
  bench.pass(500);
  EXPECT_EQ(page(), 0);
  add(100);
  bench.hub(R"({"type":"reply.delta","turn":"t","text":")" + text + R"("})");
  bench.pass(1'000);
  EXPECT_EQ(page(), 0) << "a page is not taken away from whoever reads it";
  EXPECT_TRUE(bench.shows_text("word0"));
  bench.pass(15'000);
  EXPECT_EQ(page(), 1);
  bench.hub(R"({"type":"reply","turn":"t","text":")" + text + R"(","interim":false})");
  bench.hub(R"({"type":"turn.end","turn":"t","outcome":"success"})");
  bench.pass(20);
  EXPECT_EQ(page(), 1) << "the same text";
  bench.pass(15'000);
  EXPECT_EQ(page(), 2);
  bench.press(Button::up);
  EXPECT_EQ(page(), 1);
  bench.pass(15'000);
  EXPECT_EQ(page(), 1);
}

}  // namespace
}  // namespace gadget::device
