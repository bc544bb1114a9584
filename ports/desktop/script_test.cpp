// What scripts and URLs may say.
#include "ports/desktop/script.hpp"

#include <gtest/gtest.h>

#include "ports/desktop/hub_url.hpp"
#include "ports/desktop/profile.hpp"

namespace gadget::ports::desktop {
namespace {

TEST(Script, EveryStepOfTheTable) {
  const auto steps = parse_script(
      "# a whole conversation\n"
      "wait ready\n"
      "wait replying,card 2.5\r\n"
      "\n"
      "  sleep 0.7\n"
      "text  what time   is it? \n"
      "press talk\nrelease talk\ntap cancel\n"
      "wav a file.wav\nsay turn it on\ndrain\n"
      "sensor temperature_c 21.50\nsensor door open wide\nsensor gone null\n"
      "event motion\nevent motion {\"n\":1}\nevent! doorbell\n"
      "expect You said\nexpect-spoken 1.5\n"
      "screenshot a.png\nspeaker b.wav\n"
      "link down\nlink up\npower cut\nanswer-reenrol no\nconsole set volume 40\nquit");
  ASSERT_TRUE(steps) << to_line(steps.error());
  ASSERT_EQ(steps->size(), 26U);
  const auto& all = *steps;
  EXPECT_EQ(all[0].states, std::vector{device::screen::State::ready});
  EXPECT_EQ(all[1].states,
            (std::vector{device::screen::State::replying, device::screen::State::card}));
  EXPECT_EQ(all[0].seconds, 10);
  EXPECT_EQ(all[0].line, 2);
  EXPECT_EQ(all[1].seconds, 2.5);
  EXPECT_EQ(all[2].seconds, 0.7);
  EXPECT_EQ(all[3].text, "what time   is it?");
  EXPECT_EQ(all[6].kind, StepKind::tap);
  EXPECT_EQ(all[6].button, device::Button::cancel);
  EXPECT_EQ(all[7].text, "a file.wav");
  EXPECT_EQ(all[10].text, "21.50");
  EXPECT_EQ(all[11].text, "\"open wide\"");
  EXPECT_EQ(all[12].text, "null");
  EXPECT_EQ(all[14].text, "{\"n\":1}");
  EXPECT_EQ(all[15].kind, StepKind::event_notify);
  EXPECT_EQ(all[17].seconds, 1.5);
  EXPECT_EQ(all[20].kind, StepKind::link_down);
  EXPECT_EQ(all[21].kind, StepKind::link_up);
  EXPECT_EQ(all[23].yes, false);
  EXPECT_EQ(all[24].kind, StepKind::console);
  EXPECT_EQ(all[24].text, "set volume 40");
  EXPECT_EQ(all[25].line, 28);
}

TEST(Script, WhatIsWrongIsNamedWithItsLine) {
  for (const char* wrong : {"dance",
                            "wait",
                            "wait nowhere",
                            "wait ready soon",
                            "wait ready 5 6",
                            "sleep",
                            "sleep -1",
                            "sleep 1e9",
                            "sleep nan",
                            "text",
                            "press",
                            "press volume",
                            "press talk now",
                            "wav",
                            "say",
                            "drain 5",
                            "sensor",
                            "sensor x",
                            "event",
                            "event x {",
                            "expect",
                            "expect-spoken much",
                            "screenshot",
                            "speaker",
                            "link",
                            "link sideways",
                            "power on",
                            "power",
                            "answer-reenrol",
                            "answer-reenrol maybe",
                            "quit now",
                            "WAIT ready"}) {
    const auto steps = parse_script(std::string{"wait ready\n\n"} + wrong + "\n");
    ASSERT_FALSE(steps) << wrong;
    EXPECT_TRUE(steps.error().text.starts_with("line 3: ")) << steps.error().text;
    EXPECT_EQ(exit_code(steps.error().code), 2);
  }
}

TEST(Script, AValueAsSomebodyTypesIt) {
  EXPECT_EQ(json_of("1"), "1");
  EXPECT_EQ(json_of("true"), "true");
  EXPECT_EQ(json_of("\"quoted\""), "\"quoted\"");
  EXPECT_EQ(json_of("wide open"), "\"wide open\"");
  EXPECT_EQ(json_of("say \"hi\""), R"("say \"hi\"")");
  EXPECT_EQ(json_of("[1]"), "\"[1]\"");
}

TEST(HubUrl, T1_Defaults) {
  const auto plain = parse_hub_url("ws://hub.local");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->authority(), "hub.local:8765");
  EXPECT_EQ(plain->path, "/gadget");
  const auto full = parse_hub_url("wss://[::1]:443/other/?x=1");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->authority(), "[::1]:443");
  EXPECT_EQ(full->path, "/other/?x=1");
  EXPECT_EQ(parse_hub_url("ws://h/")->path, "/gadget");
  EXPECT_EQ(parse_hub_url("ws://h?x")->path, "/?x");
}

TEST(HubUrl, WhatIsNone) {
  for (const char* wrong :
       {"", "hub", "http://hub", "ws:/hub", "ws://", "ws:///gadget", "ws://:8765",
        "ws://h:", "ws://h:0", "ws://h:65536", "ws://h:80x", "ws://h:-1", "ws://user@h",
        "ws://[::1", "ws://[::1]80", "ws://h/a b", "ws://h/a\r\nX: y", "ws://h/#top", "WS://h"}) {
    const auto url = parse_hub_url(wrong);
    ASSERT_FALSE(url) << wrong;
    EXPECT_FALSE(url.error().hint.empty());
  }
}

TEST(Profiles, AreWithinTheContract) {
  for (const auto& profile : profiles()) {
    const auto config = config_of(profile);
    EXPECT_EQ(config.display.has_value(), profile.display);
    if (config.display) {
      EXPECT_GE(config.display->text_cols, 10) << profile.name;
      EXPECT_GE(config.display->text_rows, 2) << profile.name;
    }
    EXPECT_GE(config.max_message_bytes, protocol::kMinMaxMessageBytes);
  }
  EXPECT_FALSE(profile_named("toaster"));
}

}  // namespace
}  // namespace gadget::ports::desktop
