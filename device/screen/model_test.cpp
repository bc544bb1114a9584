#include "device/screen/model.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/screen/sample_models.hpp"
#include "device/screen/test_allocations.hpp"

namespace gadget::device::screen {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 240;

std::vector<Colour> drawn(const ScreenModel& model, int width, int height, std::uint64_t now) {
  std::vector<Colour> memory(static_cast<std::size_t>(width * height));
  Canvas canvas(memory, width, height);
  draw(model, canvas, now);
  return memory;
}

bool sees(const ScreenModel& model, std::string_view needle) {
  return visible(model, kWidth, kHeight, needle);
}

TEST(States, NamesAreThoseOfScripts) {
  const std::string words =
      "boot setup offline connecting pairing ready listening thinking replying card image question "
      "updating settings error";
  std::string joined;
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    joined += (i == 0 ? "" : " ") + std::string(name(state));
    EXPECT_EQ(state_named(name(state)), state);
  }
  EXPECT_EQ(joined, words);
  EXPECT_EQ(state_named("asleep"), std::nullopt);
  EXPECT_EQ(name(static_cast<State>(99)), "");
}

// --- what is drawn ---

// A model of anything: texts point into `texts`, which outlives it.
struct RandomModels {
  std::mt19937 random;
  std::vector<std::string> texts;
  std::vector<Colour> pixels = std::vector<Colour>(5000, 0x1234);
  std::array<SettingView, 12> settings;
  std::uint32_t revision = 0;

  explicit RandomModels(unsigned seed) : random(seed) {
    texts = {"",
             "",
             "a",
             "Hello there",
             "14:05",
             "\n\n\n",
             std::string(300, 'W'),
             std::string(60, ' ') + "x",
             "\xC3\xA9\xE2\x80\xA6 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 \xFF\xFE\xC3",
             "Some words that take more than one line of the screen, and then some more of them."};
    std::string lorem;
    for (int i = 0; i < 400; ++i) lorem += "words " + std::to_string(i) + (i % 9 == 0 ? "\n" : " ");
    texts.push_back(lorem);
    std::string noise;
    for (int i = 0; i < 500; ++i) noise += static_cast<char>(random() & 0xFFU);
    texts.push_back(noise);
    for (auto& setting : settings) setting = {text(), text()};
  }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random()) % limit; }
  std::string_view text() { return texts[below(static_cast<unsigned>(texts.size()))]; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random()); }
  std::uint16_t page() { return below(4) == 0 ? kLastPage : static_cast<std::uint16_t>(below(6)); }

  ScreenModel next() {
    ScreenModel m;
    m.state = static_cast<State>(below(kStates));
    m.shape = below(3) == 0 ? Shape::round : Shape::rectangle;
    m.mono = below(4) == 0;
    m.device_name = text();
    m.clock = text();
    m.connected = below(2) == 0;
    m.link = byte();
    if (below(2) == 0) m.battery = Battery{byte(), below(2) == 0};
    if (below(2) == 0) m.led = random();
    m.volume = static_cast<std::uint8_t>(below(2) * byte());
    m.transcript = text();
    m.status = text();
    m.reply = text();
    m.reply_page = page();
    m.notice = text();
    m.mic_level = byte();
    m.speaker_level = byte();
    m.hub = text();
    m.device_id = text();
    m.pairing_code = text();
    m.pairing_command = text();
    if (below(2) == 0) m.talk_button = text();
    if (below(2) == 0) m.cancel_button = text();
    m.hint = text();
    m.question = {text(), text(), std::nullopt, below(100), below(2) == 0, below(2) == 0};
    if (below(2) == 0) m.question.seconds_left = static_cast<std::uint32_t>(random());
    m.card = {text(), text(), page()};
    m.image = {std::span(pixels).first(below(5000)), static_cast<int>(below(400)) - 20,
               static_cast<int>(random()), ++revision};
    m.update_percent = byte();
    m.update_version = text();
    m.error = text();
    m.settings = std::span(settings).first(below(13));
    m.setting_chosen = static_cast<std::uint16_t>(below(20));
    m.hold_percent = below(3) == 0 ? byte() : std::uint8_t{0};
    return m;
  }

  // As between two frames: one thing became different.
  void change(ScreenModel& m) {
    const ScreenModel other = next();
    switch (below(16)) {
      case 0: m.notice = other.notice; break;
      case 1: m.reply = other.reply; break;
      case 2: m.reply_page = other.reply_page; break;
      case 3: m.mic_level = other.mic_level; break;
      case 4: m.speaker_level = other.speaker_level; break;
      case 5: m.status = other.status; break;
      case 6: m.transcript = other.transcript; break;
      case 7: m.question = other.question; break;
      case 8: m.card = other.card; break;
      case 9: m.image = other.image; break;
      case 10: m.update_percent = other.update_percent; break;
      case 11: m.setting_chosen = other.setting_chosen; break;
      case 12: m.clock = other.clock; break;
      case 13: m.battery = other.battery; break;
      case 14: m.hold_percent = other.hold_percent; break;
      default: m = other; break;
    }
  }
};

TEST(DrawProperty, NothingIsWrittenOutsideCanvasesOfAnySize) {
  constexpr Colour kCanary = 0xA5C3;
  constexpr std::size_t kGuard = 600;
  RandomModels models(5);
  for (int size = 1; size <= 500; ++size) {
    const int other = 1 + static_cast<int>(models.below(500));
    for (const bool swapped : {false, true}) {
      const int width = swapped ? other : size;
      const int height = swapped ? size : other;
      const auto count = static_cast<std::size_t>(width * height);
      std::vector<Colour> memory(count + 2 * kGuard, kCanary);
      Canvas canvas(std::span<Colour>(memory).subspan(kGuard, count), width, height);
      draw(models.next(), canvas, models.random(), kLatinFonts);
      const auto intact = [](Colour c) { return c == kCanary; };
      ASSERT_TRUE(std::all_of(memory.begin(), memory.begin() + kGuard, intact))
          << width << "x" << height;
      ASSERT_TRUE(std::all_of(memory.end() - kGuard, memory.end(), intact))
          << width << "x" << height;
    }
  }
}

// Cells skip what did not change; the picture must be the one that a fresh canvas gets, and dirty()
// must cover it.
TEST(DrawProperty, PicturesDoNotDependOnTheOneBeforeAndDirtyCoversTheChange) {
  RandomModels models(6);
  std::vector<Colour> memory(std::size_t{kWidth} * kHeight);
  Canvas canvas(memory, kWidth, kHeight);
  ScreenModel model = models.next();
  std::uint64_t now = 0;
  for (int frame = 0; frame < 800; ++frame) {
    models.change(model);
    now += models.below(200);
    const std::vector<Colour> before = memory;
    canvas.clear_dirty();
    draw(model, canvas, now);
    ASSERT_EQ(memory, drawn(model, kWidth, kHeight, now))
        << name(model.state) << " frame " << frame;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const auto at = static_cast<std::size_t>(y * kWidth + x);
        if (memory[at] == before[at]) continue;
        ASSERT_TRUE(std::any_of(canvas.dirty().begin(), canvas.dirty().end(),
                                [&](const Rect& r) {
                                  return r.contains({x, y, 1, 1});
                                }))
            << name(model.state) << " " << x << "," << y;
      }
    }
  }
}

TEST(Draw, WhatDidNotChangeIsNotDrawnAgain) {
  for (const auto& sample : samples::all()) {
    std::vector<Colour> memory(std::size_t{kWidth} * kHeight);
    Canvas canvas(memory, kWidth, kHeight);
    draw(sample.model, canvas, sample.now_ms);
    canvas.clear_dirty();
    draw(sample.model, canvas, sample.now_ms);
    EXPECT_TRUE(canvas.dirty().empty()) << sample.name;
  }
}

TEST(Draw, BandsMakeTheSamePictureAsAWholeFrame) {
  constexpr int kBand = 37;
  for (const auto& sample : samples::all()) {
    const auto whole = drawn(sample.model, kWidth, kHeight, sample.now_ms);
    std::vector<Colour> together;
    for (int top = 0; top < kHeight; top += kBand) {
      const int rows = std::min(kBand, kHeight - top);
      std::vector<Colour> band(static_cast<std::size_t>(kWidth * rows));
      Canvas canvas(band, kWidth, kHeight, {0, top, kWidth, rows});
      draw(sample.model, canvas, sample.now_ms);
      together.insert(together.end(), band.begin(), band.end());
    }
    EXPECT_EQ(together, whole) << sample.name;
  }
}

TEST(Draw, AllocatesNothing) {
  const auto samples = samples::all();
  std::vector<Colour> memory(std::size_t{kWidth} * kHeight);
  std::array<char, 1000> text;
  const std::size_t before = test::allocations();
  for (const auto& sample : samples) {
    Canvas canvas(memory, kWidth, kHeight);
    draw(sample.model, canvas, sample.now_ms);
    (void)text_of(sample.model, kWidth, kHeight, text);
    (void)visible(sample.model, kWidth, kHeight, "something that is not there");
    (void)page_count(sample.model, kWidth, kHeight);
  }
  EXPECT_EQ(test::allocations(), before);
  EXPECT_GT(before, 0U) << "the counter works";
}

TEST(Draw, TheFaceLives) {
  const auto pictures_over = [](const ScreenModel& model) {
    std::vector<std::vector<Colour>> seen;
    for (std::uint64_t now = 0; now < 12000; now += 40) {
      auto picture = drawn(model, kWidth, kHeight, now);
      if (std::find(seen.begin(), seen.end(), picture) == seen.end())
        seen.push_back(std::move(picture));
    }
    return seen.size();
  };
  ScreenModel model;
  model.state = State::ready;
  const std::size_t resting = pictures_over(model);
  EXPECT_GT(resting, 8U) << "blinks and looks around";
  EXPECT_LT(resting, 120U) << "but rests most of the time";
  model.state = State::replying;
  model.speaker_level = 0;
  const auto silent = drawn(model, kWidth, kHeight, 9000);
  model.speaker_level = 200;
  EXPECT_NE(drawn(model, kWidth, kHeight, 9000), silent);
  model.state = State::listening;
  model.mic_level = 10;
  const auto quiet = drawn(model, kWidth, kHeight, 9000);
  model.mic_level = 240;
  EXPECT_NE(drawn(model, kWidth, kHeight, 9000), quiet);
}

// --- what is to be read ---

TEST(Visible, EveryStateSaysWhatItIs) {
  for (const auto& sample : samples::all()) {
    const ScreenModel& m = sample.model;
    EXPECT_TRUE(sees(m, m.device_name)) << sample.name;
    switch (m.state) {
      case State::setup: EXPECT_TRUE(sees(m, "http://192.168.4.1")); break;
      case State::offline: EXPECT_TRUE(sees(m, "No network")); break;
      case State::connecting: EXPECT_TRUE(sees(m, "hub.local")); break;
      case State::pairing:
        EXPECT_TRUE(sees(m, m.pairing_code));
        EXPECT_TRUE(sees(m, m.pairing_command));
        EXPECT_TRUE(sees(m, m.device_id));
        break;
      case State::thinking:
        EXPECT_TRUE(sees(m, m.status));
        EXPECT_TRUE(sees(m, m.transcript));
        break;
      case State::card: EXPECT_TRUE(sees(m, m.card.title) && sees(m, "- two lemons")); break;
      case State::question: EXPECT_TRUE(sees(m, "Yes") && sees(m, "No")); break;
      case State::updating: EXPECT_TRUE(sees(m, "0.3.1") && sees(m, "64 %")); break;
      case State::settings: {
        const SettingView& chosen = m.settings[m.setting_chosen];
        const std::string row = std::string(chosen.label) + " " + std::string(chosen.value);
        EXPECT_TRUE(sees(m, row)) << sample.name;
        break;
      }
      case State::error: EXPECT_TRUE(sees(m, m.error)); break;
      default: break;
    }
  }
}

TEST(Visible, ANoticeOfThreeLinesIsThereInFullInEveryState) {
  constexpr std::string_view kNotice =
      "The speech engine is still being prepared, this takes about half a minute. Then I can hear.";
  for (const auto& sample : samples::all()) {
    ScreenModel m = sample.model;
    m.hold_percent = 0;
    m.notice = "Too short";
    EXPECT_TRUE(sees(m, m.notice)) << sample.name;
    m.notice = kNotice;
    EXPECT_TRUE(sees(m, m.notice)) << sample.name;
  }
}

TEST(Visible, HintsNameTheButtonsOfTheBoard) {
  ScreenModel m;
  m.state = State::ready;
  EXPECT_TRUE(sees(m, "Hold TALK and speak"));
  m.talk_button = "SPACE";
  EXPECT_TRUE(sees(m, "Hold SPACE and speak"));
  m.tap_to_talk = true;
  EXPECT_TRUE(sees(m, "Tap SPACE and speak"));
  m.hint = "Touch me";
  EXPECT_TRUE(sees(m, "Touch me"));
  EXPECT_FALSE(sees(m, "SPACE"));
}

// Q7
TEST(Visible, Q7_ALongQuestionGetsSmallerLettersBeforeItIsCut) {
  ScreenModel m;
  m.state = State::question;
  m.question.title = "Delete all photos of the holidays in Norway?";
  const std::string text =
      "There are 412 of them on the shelf computer and no copy elsewhere. Nobody can bring "
      "them back, not even with a good excuse and cake. Say yes only if you are sure.";
  m.question.text = text;
  EXPECT_TRUE(sees(m, m.question.title));
  EXPECT_TRUE(sees(m, text));
  const std::string longer = text + text + text;
  m.question.text = longer;
  EXPECT_TRUE(sees(m, "...")) << "a cut shows";
}

TEST(Visible, E32_TheQuestionAboutTheKeyNamesTheHub) {
  ScreenModel m;
  m.state = State::question;
  m.question.reenrol = true;
  m.hub = "hub.local";
  EXPECT_TRUE(sees(m, "This hub does not know me. Send my key again? (hub.local)"));
}

TEST(Visible, WrappedTextReadsAsOneAndOnlyItsPageIsThere) {
  RandomModels models(7);
  ScreenModel m;
  m.state = State::replying;
  m.reply = models.texts[10];
  const int pages = page_count(m, kWidth, kHeight);
  ASSERT_GT(pages, 10);
  EXPECT_TRUE(sees(m, "words 0\nwords 1 words  2 words 3 words 4 words 5 words 6 words 7 words 8"));
  EXPECT_FALSE(sees(m, "words 399"));
  m.reply_page = kLastPage;
  EXPECT_TRUE(sees(m, "words 399"));
  EXPECT_FALSE(sees(m, "words 0 "));
  m.reply_page = static_cast<std::uint16_t>(pages - 1);
  EXPECT_TRUE(sees(m, "words 399"));
  m.reply = models.texts[6];
  m.reply_page = 0;
  EXPECT_TRUE(sees(m, std::string(60, 'W'))) << "a word over several lines has no spaces";
}

TEST(Visible, AllPagesTogetherShowTheWholeReply) {
  RandomModels models(8);
  for (const State state : {State::replying, State::ready, State::card}) {
    ScreenModel m;
    m.state = state;
    m.reply = m.card.body = models.texts[10];
    std::vector<std::string> seen;
    const int pages = page_count(m, kWidth, kHeight);
    std::string together;
    for (int page = 0; page < pages; ++page) {
      m.reply_page = m.card.page = static_cast<std::uint16_t>(page);
      std::array<char, 4000> buffer;
      together += std::string(text_of(m, kWidth, kHeight, buffer)) + "\n";
    }
    for (int i = 0; i < 400; ++i) {
      ASSERT_NE(together.find(" " + std::to_string(i)), std::string::npos) << i;
    }
  }
}

TEST(Visible, FindsWhatBeginsLikeSomethingElse) {
  ScreenModel m;
  m.state = State::error;
  m.error = "aaab aab ab abab abac";
  EXPECT_TRUE(sees(m, "aab a"));
  EXPECT_TRUE(sees(m, "aab ab ab"));
  EXPECT_TRUE(sees(m, "abab  abac "));
  EXPECT_FALSE(sees(m, "ababa"));
  EXPECT_TRUE(sees(m, ""));
  EXPECT_FALSE(sees(m, "abad"));
  m.error = "mmmn";
  EXPECT_TRUE(sees(m, "mmn")) << "begins within an attempt that failed";
  m.error = "m n m  n o";
  EXPECT_TRUE(sees(m, "m   n o"));
}

TEST(TextOf, NeverHalfACharacter) {
  ScreenModel m;
  m.state = State::replying;
  m.device_name =
      "K\xC3\xBC"
      "che";
  std::array<char, 64> buffer;
  EXPECT_EQ(text_of(m, kWidth, kHeight, std::span(buffer).first(2)), "K");
  EXPECT_EQ(text_of(m, kWidth, kHeight, std::span(buffer).first(3)), "K\xC3\xBC");
  EXPECT_EQ(text_of(m, kWidth, kHeight, std::span<char>{}), "");
  EXPECT_EQ(text_of(m, kWidth, kHeight, buffer),
            "K\xC3\xBC"
            "che\nCANCEL stops");
}

TEST(TextOfProperty, AnyModelOnAnySize) {
  RandomModels models(9);
  std::array<char, 3000> buffer;
  for (int i = 0; i < 2000; ++i) {
    const ScreenModel m = models.next();
    const int width = static_cast<int>(models.below(500));
    const int height = static_cast<int>(models.below(500));
    const std::string text(text_of(m, width, height, buffer, kLatinFonts));
    if (text.size() + 4 < buffer.size()) {
      ASSERT_TRUE(visible(m, width, height, text, kLatinFonts)) << text;
    }
    ASSERT_GE(page_count(m, width, height), 1);
  }
}

}  // namespace
}  // namespace gadget::device::screen
