// The screen goes dark when nothing happens, and is there when it is needed.
#include "device/core/lighting.hpp"

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;

TEST(Light, EveryPair) {
  using enum Light;
  using E = LightEvent;
  struct Row {
    Light from;
    E event;
    std::optional<Light> to;
  };
  const std::vector<Row> table{
      {bright, E::woken, bright}, {bright, E::idle, dim},        {bright, E::idle_longer, {}},
      {dim, E::woken, bright},    {dim, E::idle, std::nullopt},  {dim, E::idle_longer, dark},
      {dark, E::woken, bright},   {dark, E::idle, std::nullopt}, {dark, E::idle_longer, {}},
  };
  for (const Row& row : table) EXPECT_EQ(next(row.from, row.event), row.to);
}

GadgetConfig with_timeout(int seconds) {
  auto config = Bench::default_config();
  config.screen_timeout_s = seconds;
  return config;
}

TEST(Lighting, DimsAfterItsTimeAndGoesDarkTenSecondsLater) {
  Bench bench{with_timeout(30)};
  bench.go_online();
  bench.gadget->set(bench.now, Setting::brightness, 80);
  bench.gadget->button(bench.now, Button::up, true);
  bench.gadget->button(bench.now, Button::up, false);
  bench.pass(29'900);
  EXPECT_EQ(bench.light.back(), 80);
  bench.pass(200);
  EXPECT_EQ(bench.light.back(), 20);
  bench.pass(9'700);
  EXPECT_EQ(bench.light.back(), 20);
  bench.pass(300);
  EXPECT_EQ(bench.light.back(), 0);
  bench.gadget->set(bench.now, Setting::screen_timeout, 0);
  bench.pass(20);
  EXPECT_EQ(bench.light.back(), 80) << "never";
}

TEST(Lighting, WithoutABacklightNothingIsEverDark) {
  Bench parts;
  GadgetMemory<> memory;
  Gadget gadget{with_timeout(5), Platform{.link = parts, .store = *parts.store, .entropy = parts},
                memory.view()};
  gadget.start(0);
  for (Millis now = 0; now < 60'000; now += 100) gadget.tick(now);
  EXPECT_EQ(gadget.lighting().light(), Light::bright);
}

TEST(Lighting, ThePressThatWakesDoesNothingElse) {
  Bench bench{with_timeout(5)};
  bench.go_online();
  bench.pass(20'000);
  ASSERT_EQ(bench.gadget->lighting().light(), Light::dark);
  bench.press(Button::cancel);
  EXPECT_EQ(bench.count("\"cancel\""), 0);
  EXPECT_EQ(bench.light.back(), 100);
  bench.press(Button::cancel);
  EXPECT_EQ(bench.count("\"cancel\""), 1);
}

TEST(Lighting, C1_TalkRecordsAtOnceInTheDark) {
  Bench bench{with_timeout(5)};
  bench.go_online();
  bench.pass(20'000);
  ASSERT_EQ(bench.gadget->lighting().light(), Light::dark);
  bench.gadget->button(bench.now, Button::talk, true);
  EXPECT_TRUE(bench.gadget->talk().recording());
  EXPECT_EQ(bench.light.back(), 100);
}

// A question that nobody could see is not answered by a finger in the dark.
TEST(Lighting, Q3_NobodyAnswersAQuestionInTheDark) {
  Bench bench{with_timeout(5)};
  bench.go_online();
  bench.hub(R"({"type":"prompt","id":"p1","title":"","text":"Restart?"})");
  EXPECT_EQ(bench.light.back(), 100);
  bench.pass(20'000);
  ASSERT_EQ(bench.gadget->lighting().light(), Light::dark);
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 0);
  bench.press(Button::talk);
  EXPECT_EQ(bench.count("prompt.reply"), 1);
}

TEST(Lighting, WhatTheHubShowsWakesTheScreen) {
  for (const std::string_view message :
       {R"({"type":"reply","text":"Dinner"})", R"({"type":"notice","text":"Hello"})",
        R"({"type":"display","title":"T","body":"B"})",
        R"({"type":"prompt","id":"p","title":"t","text":"x"})",
        R"({"type":"pairing","code":"ABCD2345","command":"c"})"}) {
    Bench bench{with_timeout(5)};
    bench.go_online();
    bench.pass(20'000);
    ASSERT_EQ(bench.gadget->lighting().light(), Light::dark);
    bench.hub(R"({"type":"ping","ts":1})");
    EXPECT_EQ(bench.gadget->lighting().light(), Light::dark);
    bench.hub(message);
    EXPECT_EQ(bench.gadget->lighting().light(), Light::bright) << message;
  }
}

TEST(Lighting, NothingGoesDarkWhileSomethingGoesOn) {
  Bench bench{with_timeout(5)};
  bench.go_online();
  bench.hub(R"({"type":"turn.start","turn":"t"})");
  for (int i = 0; i < 60; ++i) {
    bench.pass(1'000);
    bench.hub(R"({"type":"ping","ts":1})");
    ASSERT_EQ(bench.gadget->lighting().light(), Light::bright);
  }
  bench.hub(R"({"type":"turn.end","turn":"t","outcome":"success"})");
  bench.pass(16'000);
  EXPECT_EQ(bench.gadget->lighting().light(), Light::dark);
}

}  // namespace
}  // namespace gadget::device
