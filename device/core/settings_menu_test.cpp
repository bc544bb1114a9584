// The settings on the screen: every page by its buttons, and what a press does there.
#include "device/core/settings_menu.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

TEST(MenuPages, EveryPair) {
  using enum MenuPage;
  const std::array<MenuPage, kMenuPages> pages{closed,  list,    edit,   info, microphone,
                                               speaker, display, inputs, erase};
  // A row a page; a column an event, in the order of MenuEvent. `closed` twice: nothing happens.
  struct To {
    std::optional<MenuPage> page;
  };
  const To no{std::nullopt};
  const std::array<std::array<To, kMenuEvents>, kMenuPages> table{{
      {{{list}, no, no, {microphone}, {speaker}, {display}, {inputs}, no, no, no}},
      {{no,
        {edit},
        {info},
        {microphone},
        {speaker},
        {display},
        {inputs},
        {erase},
        {closed},
        {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
      {{no, no, no, no, no, no, no, no, {list}, {closed}}},
  }};
  for (std::size_t page = 0; page < kMenuPages; ++page) {
    for (std::size_t event = 0; event < kMenuEvents; ++event) {
      EXPECT_EQ(next(pages[page], static_cast<MenuEvent>(event)), table[page][event].page)
          << page << ' ' << event;
    }
  }
}

class Menu : public ::testing::Test {
 protected:
  void SetUp() override { bench.go_online(); }

  void hold_both(Millis ms) {
    bench.gadget->button(bench.now, Button::up, true);
    bench.gadget->button(bench.now, Button::down, true);
    bench.pass(ms);
    bench.gadget->button(bench.now, Button::up, false);
    bench.gadget->button(bench.now, Button::down, false);
  }
  void open() {
    hold_both(1'100);
    ASSERT_EQ(bench.gadget->state(), screen::State::settings);
  }
  // From the first row.
  void enter(std::string_view label) {
    for (int i = 0; i < 12; ++i) {
      screen::ScreenModel model;
      bench.gadget->fill(bench.now, model);
      if (model.settings[model.setting_chosen].label == label) return bench.press(Button::talk);
      bench.press(Button::down);
    }
    FAIL() << "no row " << label;
  }
  MenuPage page() { return bench.gadget->menu().page(); }
  int number(Setting setting) { return bench.gadget->settings().number(setting); }

  Bench bench;
};

TEST_F(Menu, UpAndDownHeldForASecondOpenIt) {
  hold_both(900);
  EXPECT_EQ(page(), MenuPage::closed);
  bench.gadget->button(bench.now, Button::up, true);
  bench.pass(2'000);
  EXPECT_EQ(page(), MenuPage::closed) << "one of them is for paging";
  bench.gadget->button(bench.now, Button::up, false);
  open();
  EXPECT_TRUE(bench.shows_text("Volume"));
  bench.press(Button::cancel);
  EXPECT_EQ(bench.gadget->state(), screen::State::ready);
  EXPECT_EQ(bench.count("cancel"), 0) << "CANCEL went back, it stopped nothing";
}

TEST_F(Menu, HeldOnTheyDoNotOpenItAgain) {
  bench.gadget->button(bench.now, Button::up, true);
  bench.gadget->button(bench.now, Button::down, true);
  bench.pass(1'100);
  bench.press(Button::cancel);
  bench.pass(3'000);
  EXPECT_EQ(page(), MenuPage::closed);
}

TEST_F(Menu, ItOpensWithoutAHubToo) {
  bench.drop();
  open();
  EXPECT_TRUE(bench.shows_text("Volume"));
}

TEST_F(Menu, NotDuringAQuestionNorWhileListening) {
  bench.gadget->button(bench.now, Button::talk, true);
  hold_both(1'500);
  EXPECT_EQ(page(), MenuPage::closed);
  bench.gadget->button(bench.now, Button::talk, false);
  bench.hub(R"({"type":"prompt","id":"p","title":"","text":"Restart?"})");
  hold_both(1'500);
  EXPECT_EQ(page(), MenuPage::closed);
}

TEST_F(Menu, VolumeIsHeardAtOnceKeptByTalkAndUndoneByCancel) {
  open();
  enter("Volume");
  EXPECT_EQ(page(), MenuPage::edit);
  bench.press(Button::down);
  bench.press(Button::down);
  EXPECT_EQ(bench.gadget->playback().volume(), 80);
  EXPECT_TRUE(bench.shows_text("< 80 % >"));
  EXPECT_EQ(bench.store->writes["volume"], 0) << "flash is not worn by trying";
  bench.press(Button::talk);
  EXPECT_EQ(page(), MenuPage::list);
  EXPECT_EQ(bench.store->writes["volume"], 1);

  bench.press(Button::talk);
  bench.press(Button::up);
  EXPECT_EQ(bench.gadget->playback().volume(), 90);
  bench.press(Button::cancel);
  EXPECT_EQ(bench.gadget->playback().volume(), 80);
  EXPECT_EQ(bench.store->writes["volume"], 1);
  for (int i = 0; i < 12; ++i) bench.press(i == 0 ? Button::talk : Button::down);
  EXPECT_EQ(bench.gadget->playback().volume(), 0) << "and no further";
}

TEST_F(Menu, BrightnessStopsWhereItCanStillBeSeen) {
  open();
  enter("Brightness");
  for (int i = 0; i < 20; ++i) bench.press(Button::down);
  EXPECT_EQ(bench.light.back(), kMinBrightness);
  bench.press(Button::talk);
  EXPECT_EQ(number(Setting::brightness), kMinBrightness);
}

TEST_F(Menu, TalkModeTurnsBetweenItsTwo) {
  open();
  enter("Talk mode");
  EXPECT_EQ(bench.gadget->settings().talk_mode(), protocol::TalkMode::tap);
  EXPECT_TRUE(bench.shows_text("tap"));
  bench.press(Button::talk);
  EXPECT_EQ(bench.gadget->settings().talk_mode(), protocol::TalkMode::hold);
  EXPECT_EQ(bench.store->writes["talk_mode"], 2);
}

TEST_F(Menu, TheScreensTimeoutGoesFromQuarterOfAMinuteToNever) {
  bench.gadget->set(bench.now, Setting::screen_timeout, 45);  // none of those that are offered
  open();
  enter("Screen off after");
  bench.press(Button::down);
  EXPECT_EQ(number(Setting::screen_timeout), 30);
  bench.press(Button::down);
  bench.press(Button::down);
  EXPECT_EQ(number(Setting::screen_timeout), 15);
  EXPECT_TRUE(bench.shows_text("< 15 s >"));
  std::vector<int> seen;
  for (int i = 0; i < 8; ++i) {
    bench.press(Button::up);
    seen.push_back(number(Setting::screen_timeout));
  }
  EXPECT_EQ(seen, (std::vector<int>{30, 60, 120, 300, 900, 3'600, 0, 0}));
  EXPECT_TRUE(bench.shows_text("never"));
  bench.press(Button::down);
  EXPECT_EQ(number(Setting::screen_timeout), 3'600);
}

TEST_F(Menu, ItClosesByItselfAndUndoesWhatWasNotKept) {
  open();
  enter("Volume");
  bench.press(Button::down);
  for (int i = 0; i < 6; ++i) {
    bench.pass(10'000);
    bench.hub(R"({"type":"ping","ts":1})");
  }
  EXPECT_EQ(page(), MenuPage::closed);
  EXPECT_EQ(bench.gadget->playback().volume(), 100);
}

TEST_F(Menu, AQuestionGoesBeforeItAndIsAnsweredByItsButtons) {
  open();
  bench.hub(R"({"type":"prompt","id":"p","title":"","text":"Restart?"})");
  EXPECT_EQ(bench.gadget->state(), screen::State::question);
  bench.pass(700);
  bench.press(Button::talk);
  EXPECT_EQ(bench.count(R"("answer":"yes")"), 1);
  EXPECT_EQ(bench.gadget->state(), screen::State::settings);
}

TEST_F(Menu, InformationSaysWhatTheDeviceIs) {
  bench.gadget->set(bench.now, Setting::hub, "ws://hub.local:8765/gadget");
  bench.pass(40);
  bench.go_online(true);
  open();
  enter("This device...");
  std::string all;
  for (int i = 0; i < 11; ++i) {
    all += bench.screen_now() + "\n";
    bench.press(Button::down);
  }
  for (const std::string_view what :
       {std::string_view{bench.gadget->id().text()}, std::string_view{"0.1.0"},
        std::string_view{"bench"}, std::string_view{"hub.local:8765"}, std::string_view{"Protocol"},
        std::string_view{"connected"}, std::string_view{"Lost messages"}}) {
    EXPECT_NE(all.find(what), std::string::npos) << what << " in\n" << all;
  }
  bench.press(Button::cancel);
  EXPECT_EQ(page(), MenuPage::list);
}

TEST_F(Menu, TheMicrophonesLevelIsLive) {
  open();
  enter("Microphone...");
  EXPECT_TRUE(bench.listening);
  EXPECT_TRUE(bench.shows_text("No sound yet"));
  bench.speak_for(50, 16'384);
  EXPECT_FALSE(bench.shows_text("No sound yet"));
  EXPECT_TRUE(bench.shows_text("49 %")) << bench.screen_now();
  bench.speak_for(1'000, 0);
  EXPECT_TRUE(bench.shows_text("Loudest\n49 %")) << bench.screen_now();
  EXPECT_TRUE(bench.shows_text("0 %"));
  EXPECT_TRUE(bench.frames.empty()) << "nothing of it leaves the device";
  bench.press(Button::cancel);
  EXPECT_FALSE(bench.listening);
}

TEST_F(Menu, TheSpeakersToneGoesThroughThePlaybackAndItsVolume) {
  open();
  enter("Speaker...");
  const auto heard = bench.listen_for(700);
  const auto loudest = *std::max_element(heard.begin(), heard.end());
  EXPECT_NEAR(loudest, 8'192, 100);
  int crossings = 0;
  for (std::size_t i = 1; i < heard.size(); ++i) crossings += heard[i - 1] < 0 && heard[i] >= 0;
  EXPECT_NEAR(crossings, 330, 5) << "660 Hz for half a second";
  EXPECT_TRUE(bench.gadget->playback().idle());
  bench.gadget->set(bench.now, Setting::volume, 50);
  bench.press(Button::talk);
  const auto softer = bench.listen_for(700);
  EXPECT_LT(*std::max_element(softer.begin(), softer.end()), 5'000);
  EXPECT_GT(*std::max_element(softer.begin(), softer.end()), 500);
}

TEST_F(Menu, TheDisplaysPatternsFollowEachOther) {
  open();
  enter("Display...");
  std::vector<int> seen;
  for (int i = 0; i < 6; ++i) {
    screen::ScreenModel model;
    bench.gadget->fill(bench.now, model);
    seen.push_back(model.test_pattern);
    bench.press(i % 2 == 0 ? Button::talk : Button::up);
  }
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4, 5, 1}));
  bench.press(Button::cancel);
  EXPECT_TRUE(bench.shows_text("Display"));
}

TEST_F(Menu, TheButtonsAreShownAsTheyArePressed) {
  open();
  enter("Buttons...");
  for (const auto& [button, word] :
       {std::pair{Button::up, "UP\npressed"}, std::pair{Button::down, "DOWN\npressed"},
        std::pair{Button::talk, "TALK\npressed"}, std::pair{Button::cancel, "CANCEL\npressed"}}) {
    bench.press(button);
    EXPECT_TRUE(bench.shows_text(word)) << bench.screen_now();
    EXPECT_EQ(page(), MenuPage::inputs);
  }
  bench.press(Button::cancel, 1'100);
  EXPECT_EQ(page(), MenuPage::list);
}

TEST_F(Menu, H1_AFactoryResetWantsTalkHeld) {
  const std::string old_id{bench.gadget->id().text()};
  open();
  enter("Factory reset...");
  EXPECT_TRUE(bench.shows_text("hold TALK"));
  bench.press(Button::talk, 2'900);
  EXPECT_EQ(std::string{bench.gadget->id().text()}, old_id);
  bench.press(Button::cancel);
  EXPECT_EQ(page(), MenuPage::list);
  enter("Factory reset...");
  bench.press(Button::talk, 3'100);
  EXPECT_NE(std::string{bench.gadget->id().text()}, old_id);
  EXPECT_EQ(page(), MenuPage::closed);
  EXPECT_TRUE(bench.noted(Fact::reset));
}

// A board shows only what it has, and every row leads somewhere.
TEST(MenuRows, AreThoseOfTheBoard) {
  auto config = Bench::default_config();
  config.mic_hz = 0;
  config.speaker_hz = 0;
  Bench bench{config};
  bench.go_online();
  bench.gadget->button(bench.now, Button::up, true);
  bench.gadget->button(bench.now, Button::down, true);
  bench.pass(1'100);
  screen::ScreenModel model;
  bench.gadget->fill(bench.now, model);
  ASSERT_EQ(model.settings.size(), 6U);
  EXPECT_EQ(model.settings[0].label, "Brightness");
  EXPECT_EQ(model.setting_chosen, 0);
  EXPECT_FALSE(bench.gadget->check(bench.now, MenuEvent::microphone));
  EXPECT_FALSE(bench.gadget->check(bench.now, MenuEvent::speaker));
}

// The screen of a board without CANCEL said "CANCEL closes" all the same.
TEST(BoardWithoutCancel, NoHintSpeaksOfAButtonThatIsNotThere) {
  for (const std::string_view stand_in : {"Long UP", ""}) {
    auto config = Bench::default_config();
    config.inputs.cancel = false;
    config.cancel_stand_in = stand_in;
    Bench bench{config};
    bench.go_online();
    const auto says = [&](std::string_view does) {
      EXPECT_FALSE(bench.shows_text("CANCEL")) << bench.screen_now();
      EXPECT_EQ(bench.shows_text(std::string{stand_in} + std::string{does}), !stand_in.empty())
          << bench.screen_now();
    };
    EXPECT_TRUE(bench.shows_text("Hold TALK and speak"));
    bench.hub(R"({"type":"display","title":"Shopping","body":"Milk"})");
    bench.pass(20);
    says(" closes");
    bench.gadget->button(bench.now, Button::talk, true);
    bench.pass(20);
    says(" discards");
    EXPECT_TRUE(bench.shows_text("Let go to send"));
    bench.gadget->button(bench.now, Button::talk, false);
    bench.hub(R"({"type":"prompt","id":"p","title":"Router","text":"Restart it?"})");
    bench.pass(1'000);
    EXPECT_TRUE(bench.shows_text("Yes"));
    EXPECT_EQ(bench.shows_text("No"), !stand_in.empty());
    EXPECT_FALSE(bench.shows_text("CANCEL"));
    EXPECT_TRUE(bench.gadget->answer(bench.now, true));
    bench.pass(10'000);  // notices pass
    ASSERT_TRUE(bench.gadget->check(bench.now, MenuEvent::inputs));
    says(" goes back");
    EXPECT_TRUE(bench.shows_text("DOWN"));
  }
}

TEST(BoardWithoutMicrophone, IsNotToldToHoldTalkAndSpeak) {
  auto config = Bench::default_config();
  config.mic_hz = 0;
  Bench bench{config};
  bench.go_online();
  EXPECT_EQ(bench.state, screen::State::ready);
  EXPECT_FALSE(bench.shows_text("TALK")) << bench.screen_now();
}

}  // namespace
}  // namespace gadget::device
