// What is set is checked, kept as a whole, applied at once, and as new after a factory reset.
#include "device/core/settings.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using test::BenchStore;
using Outcome = Settings::Outcome;

const Settings::Defaults kDefaults{
    .screen_timeout_s = 60, .name = "board", .hub = "ws://a/gadget", .token = ""};

Settings::Outcome set(Settings& settings, Setting setting, std::string_view text) {
  return settings.set(setting, text);
}

TEST(Settings, EveryOneHasANameARuleAndADefault) {
  BenchStore store;
  Settings settings{store, kDefaults};
  settings.load({});
  for (std::size_t i = 0; i < kSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    EXPECT_FALSE(rule(setting).empty());
    EXPECT_EQ(setting_named(name(setting)), setting);
  }
  EXPECT_EQ(setting_named("colour"), std::nullopt);
  EXPECT_EQ(settings.number(Setting::volume), 100);
  EXPECT_EQ(settings.number(Setting::brightness), 100);
  EXPECT_EQ(settings.talk_mode(), protocol::TalkMode::hold);
  EXPECT_EQ(settings.number(Setting::screen_timeout), 60);
  EXPECT_EQ(settings.text(Setting::name), "board");
  EXPECT_EQ(settings.text(Setting::hub), "ws://a/gadget");
  EXPECT_EQ(settings.text(Setting::token), "");
  EXPECT_EQ(settings.damaged(), 0);
  EXPECT_TRUE(store.values.empty()) << "nothing is written that nobody set";
}

TEST(Settings, WhatIsWrongChangesNothing) {
  struct Case {
    Setting setting;
    std::vector<std::string> right;
    std::vector<std::string> wrong;
  };
  const std::string long_name(65, 'n');
  const std::string long_token(129, 't');
  const std::vector<Case> cases{
      {Setting::volume,
       {"0", "70", "100"},
       {"-1", "101", "", "7o", "70 %", "99999999999999999999", "1.0"}},
      {Setting::brightness, {"5", "80"}, {"0", "4", "101", "dark"}},
      {Setting::talk_mode, {"tap", "hold"}, {"Tap", "auto", "", "1"}},
      {Setting::screen_timeout, {"0", "never", "30", "3600"}, {"3601", "-5", "", "1m"}},
      {Setting::name,
       {"Kitchen",
        "K\xC3\xBC"
        "che",
        std::string(64, 'n')},
       {long_name, "bad\xFF", "two\nlines", "\x7F"}},
      {Setting::hub,
       {"ws://hub.local:8765/gadget", "wss://[::1]/"},
       {"http://hub/", "hub.local", "ws://", "ws://:8765", "ws:///gadget", "ws://a b",
        "ws://" + std::string(124, 'h')}},
      {Setting::token, {"secret", std::string(128, 't')}, {long_token, "a\tb"}},
  };
  for (const Case& one : cases) {
    BenchStore store;
    Settings settings{store, kDefaults};
    settings.load({});
    for (const auto& text : one.right) {
      SCOPED_TRACE(text);
      EXPECT_EQ(set(settings, one.setting, text), Outcome::kept);
      Settings again{store, kDefaults};
      again.load({});
      EXPECT_EQ(again.damaged(), 0);
      if (static_cast<std::size_t>(one.setting) < kNumberSettings) {
        EXPECT_EQ(again.number(one.setting), settings.number(one.setting));
      } else {
        EXPECT_EQ(again.text(one.setting), text);
      }
    }
    const auto kept = store.values;
    const auto writes = store.writes;
    for (const auto& text : one.wrong) {
      SCOPED_TRACE(text);
      EXPECT_EQ(set(settings, one.setting, text), Outcome::invalid);
      EXPECT_EQ(store.values, kept);
      EXPECT_EQ(store.writes, writes);
    }
  }
}

TEST(Settings, ANumberForATextIsInvalidAndChangesNothing) {
  BenchStore store;
  Settings settings{store, {.name = "kitchen", .hub = {}, .token = {}}};
  settings.load({});
  for (const auto setting : {Setting::name, Setting::hub, Setting::token}) {
    EXPECT_EQ(settings.set(setting, 1), Settings::Outcome::invalid);
  }
  EXPECT_EQ(settings.text(Setting::name), "kitchen");
  EXPECT_TRUE(store.values.empty());
}

TEST(Settings, OnlyWhatChangedIsWritten) {
  BenchStore store;
  Settings settings{store, kDefaults};
  settings.load({});
  settings.set(Setting::volume, 40);
  settings.set(Setting::volume, 40);
  EXPECT_EQ(set(settings, Setting::volume, "40"), Outcome::kept);
  EXPECT_EQ(store.writes["volume"], 1);
  set(settings, Setting::name, "Kitchen");
  set(settings, Setting::name, "Kitchen");
  EXPECT_EQ(store.writes["name"], 1);
  settings.preview(Setting::volume, 90);
  EXPECT_EQ(settings.number(Setting::volume), 90);
  EXPECT_EQ(store.writes["volume"], 1) << "a preview is not kept";
  EXPECT_EQ(store.writes.size(), 2U);
}

TEST(Settings, AnEmptyTextIsTheDefaultAgain) {
  BenchStore store;
  Settings settings{store, kDefaults};
  settings.load({});
  set(settings, Setting::name, "Kitchen");
  set(settings, Setting::hub, "ws://b/gadget");
  EXPECT_EQ(set(settings, Setting::name, ""), Outcome::kept);
  EXPECT_EQ(set(settings, Setting::hub, ""), Outcome::kept);
  EXPECT_EQ(settings.text(Setting::name), "board");
  EXPECT_EQ(settings.text(Setting::hub), "ws://a/gadget");
  Settings again{store, kDefaults};
  again.load({});
  EXPECT_EQ(again.text(Setting::name), "board");
  EXPECT_EQ(again.damaged(), 0);
}

// A flash cell that flips, a value cut short, a value of a later version: the default, and said.
TEST(Settings, ADamagedValueIsTheDefaultAndSaid) {
  for (std::size_t i = 0; i < kSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    const std::string word{name(setting)};
    BenchStore store;
    {
      Settings settings{store, kDefaults};
      settings.load({});
      const std::array<std::string_view, kSettings> values{"40", "40",       "tap",  "30",
                                                           "me", "ws://b/x", "token"};
      ASSERT_EQ(set(settings, setting, values[i]), Outcome::kept);
    }
    const auto whole = store.values[word];
    const auto damaged_by = [&](std::vector<std::byte> value) {
      store.values[word] = std::move(value);
      Settings settings{store, kDefaults};
      settings.load({});
      EXPECT_EQ(settings.text(Setting::name), "board");
      EXPECT_EQ(settings.number(Setting::volume), 100);
      EXPECT_EQ(settings.talk_mode(), protocol::TalkMode::hold);
      EXPECT_EQ(settings.text(Setting::token), "");
      return settings.damaged() == 1U << i;
    };
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      auto value = whole;
      value[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_TRUE(damaged_by(value)) << word << " bit " << bit;
    }
    for (std::size_t size = 1; size < whole.size(); ++size) {
      EXPECT_TRUE(damaged_by({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
    }
    store.values[word] = whole;
  }
}

TEST(Settings, WhatAStartForcesIsNotKeptAndALaterSetGoesBeforeIt) {
  BenchStore store;
  {
    Settings settings{store, kDefaults};
    settings.load({});
    set(settings, Setting::name, "Stored");
  }
  Settings settings{store, kDefaults};
  settings.load({.name = "Forced", .hub = "ws://forced", .token = "t"});
  EXPECT_EQ(settings.text(Setting::name), "Forced");
  EXPECT_EQ(settings.text(Setting::hub), "ws://forced");
  EXPECT_EQ(settings.text(Setting::token), "t");
  EXPECT_EQ(store.values.size(), 1U);
  set(settings, Setting::name, "Later");
  EXPECT_EQ(settings.text(Setting::name), "Later");
  Settings again{store, kDefaults};
  again.load({});
  EXPECT_EQ(again.text(Setting::name), "Later");
}

TEST(Settings, AStoreThatRefusesLeavesItForThisRun) {
  BenchStore store;
  store.broken = true;
  Settings settings{store, kDefaults};
  settings.load({});
  EXPECT_EQ(settings.set(Setting::volume, 10), Outcome::unkept);
  EXPECT_EQ(settings.number(Setting::volume), 10);
}

// ---- In a Gadget

TEST(GadgetSettings, VolumeBrightnessAndTalkModeCountAtOnce) {
  Bench bench;
  bench.go_online();
  const auto connects = bench.connects;
  EXPECT_EQ(bench.gadget->set(bench.now, Setting::volume, 30), Outcome::kept);
  EXPECT_EQ(bench.gadget->playback().volume(), 30);
  EXPECT_EQ(bench.gadget->set(bench.now, Setting::brightness, "40"), Outcome::kept);
  EXPECT_EQ(bench.light.back(), 40);
  EXPECT_EQ(bench.gadget->set(bench.now, Setting::brightness, "400"), Outcome::invalid);
  EXPECT_EQ(bench.gadget->set(bench.now, Setting::talk_mode, "tap"), Outcome::kept);
  bench.pass(2'000);
  EXPECT_EQ(bench.connects, connects) << "these need no new connection";
  bench.drop();
  bench.until_connect();
  bench.open();
  EXPECT_NE(bench.last().find(R"("talk_mode":"tap")"), std::string::npos);
}

TEST(GadgetSettings, NameHubAndTokenReconnectAtOnce) {
  Bench bench;
  bench.go_online();
  const auto reconnects = [&bench](Setting setting, std::string_view value) {
    const auto before = bench.connects;
    EXPECT_EQ(bench.gadget->set(bench.now, setting, value), Outcome::kept);
    EXPECT_EQ(bench.closes.back(), (std::pair<std::uint16_t, std::string>{1000, "leaving"}));
    bench.pass(40);
    EXPECT_EQ(bench.connects, before + 1);
    bench.open();
    const std::string hello = bench.last();
    bench.challenge(true);
    bench.welcome();
    return hello;
  };
  EXPECT_EQ(Bench::field(reconnects(Setting::name, "Kitchen"), "name"), "Kitchen");
  EXPECT_EQ(Bench::field(reconnects(Setting::token, "s3cret"), "token"), "s3cret");
  (void)reconnects(Setting::hub, "ws://other.local:1/gadget");
  EXPECT_EQ(bench.gadget->settings().text(Setting::hub), "ws://other.local:1/gadget");
  bench.drop();
  EXPECT_TRUE(bench.shows_text("other.local:1"));

  // It is what it is after a power cut, too.
  Bench again{Bench::default_config(), nullptr, bench.store};
  again.start();
  again.open();
  EXPECT_EQ(Bench::field(again.last(), "name"), "Kitchen");
  EXPECT_EQ(Bench::field(again.last(), "token"), "s3cret");
}

TEST(GadgetSettings, ADamagedOneIsSaidOnTheScreen) {
  Bench bench;
  bench.store->values["volume"] = {std::byte{1}, std::byte{9}};
  bench.start();
  EXPECT_TRUE(bench.noted(Fact::damaged));
  EXPECT_EQ(bench.gadget->playback().volume(), 100);
  EXPECT_TRUE(bench.shows_text("damaged"));
}

TEST(GadgetSettings, H1_AFactoryResetMakesANewKeyAndForgetsTrustAndSettings) {
  Bench bench;
  bench.go_online();
  bench.drop();
  bench.until_connect();
  bench.go_online(true);  // accepted by its MAC: it would ask before it reveals its key again
  bench.gadget->set(bench.now, Setting::name, "Kitchen");
  bench.gadget->set(bench.now, Setting::token, "s3cret");
  bench.gadget->set(bench.now, Setting::volume, 10);
  bench.pass(40);
  bench.go_online(true);
  const std::string old_id{bench.gadget->id().text()};
  const auto old_key = bench.store->values["key"];

  EXPECT_TRUE(bench.gadget->factory_reset(bench.now));
  EXPECT_TRUE(bench.noted(Fact::reset));
  EXPECT_NE(bench.store->values["key"], old_key);
  EXPECT_NE(std::string{bench.gadget->id().text()}, old_id);
  EXPECT_EQ(bench.gadget->playback().volume(), 100);
  for (const auto& [word, value] : bench.store->values) {
    EXPECT_TRUE(!setting_named(word) || value.empty()) << word;
  }
  bench.open();
  const std::string hello = bench.last();
  EXPECT_EQ(Bench::field(hello, "device_id"), std::string{bench.gadget->id().text()});
  EXPECT_EQ(Bench::field(hello, "token"), "");
  bench.challenge(false);
  EXPECT_NE(bench.last().find("\"key\""), std::string::npos) << "no trust is left to ask about";
}

// The power goes at each write of a factory reset: the next start ends it.
TEST(GadgetSettings, H1_APowerCutWithinAFactoryResetBringsNothingBack) {
  class Cut final : public Store {
   public:
    explicit Cut(BenchStore& of) : store(of) {}
    std::optional<std::size_t> get(std::string_view word, std::span<std::byte> out) override {
      return store.get(word, out);
    }
    bool put(std::string_view word, std::span<const std::byte> value) override {
      return left-- > 0 && store.put(word, value);
    }
    BenchStore& store;
    int left = 1'000;
  };
  int after = 0;
  for (bool cut = true; cut; ++after) {
    ASSERT_LT(after, 20);
    Bench bench;
    bench.go_online();
    bench.gadget->set(bench.now, Setting::token, "s3cret");
    bench.gadget->set(bench.now, Setting::name, "Kitchen");
    bench.gadget->set(bench.now, Setting::volume, 10);
    bench.drop();
    bench.until_connect();
    bench.go_online(true);
    const auto old_key = bench.store->values["key"];
    const std::string old_id{bench.gadget->id().text()};
    {
      Cut dying{*bench.store};
      GadgetMemory<> memory;
      Gadget gadget{bench.config, Platform{.link = bench, .store = dying, .entropy = bench},
                    memory.view()};
      ASSERT_TRUE(gadget.start(bench.now));
      dying.left = after;
      cut = !gadget.factory_reset(bench.now);
      EXPECT_EQ(gadget.state() == screen::State::error, cut);
    }
    Bench again{Bench::default_config(), nullptr, bench.store};
    again.seed = 77;
    again.start();
    again.open();
    if (after == 0) continue;  // nothing was begun: nothing is lost either
    EXPECT_NE(bench.store->values["key"], old_key) << after;
    EXPECT_NE(std::string{again.gadget->id().text()}, old_id) << after;
    EXPECT_EQ(Bench::field(again.last(), "token"), "") << after;
    EXPECT_EQ(Bench::field(again.last(), "name"), "bench") << after;
    again.challenge(false);
    EXPECT_NE(again.last().find("\"key\""), std::string::npos) << after;
  }
}

TEST(GadgetSettings, E32_AButtonHeldAtStartGivesTheKeyAgain) {
  const auto second_start = [](bool held) {
    Bench first;
    first.go_online();
    first.drop();
    first.until_connect();
    first.go_online(true);
    Bench again{Bench::default_config(), nullptr, first.store};
    if (held) again.gadget->button(again.now, Button::talk, true);
    again.start();
    again.gadget->button(again.now, Button::talk, false);
    again.open();
    again.sent.clear();
    again.challenge(false);
    return again.count("\"key\"");
  };
  EXPECT_EQ(second_start(false), 0);
  EXPECT_EQ(second_start(true), 1);
}

TEST(GadgetSettings, E32_PermissionEndsWhenTheHubKnowsTheDevice) {
  Bench bench;
  bench.go_online();
  bench.drop();
  bench.until_connect();
  bench.gadget->allow_reenrol(bench.now);
  bench.go_online(true);  // it was not needed
  bench.drop();
  bench.until_connect();
  bench.open();
  bench.sent.clear();
  bench.challenge(false);
  EXPECT_EQ(bench.count("\"key\""), 0);
}

}  // namespace
}  // namespace gadget::device
