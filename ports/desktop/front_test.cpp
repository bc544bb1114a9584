// The front of the virtual gadget, pixel by pixel; and what panels of other kinds show.
#include "ports/desktop/front.hpp"

#include <set>

#include <gtest/gtest.h>

namespace gadget::ports::desktop {
namespace {

using device::Button;
using device::screen::Colour;

constexpr std::array kEveryButton{Button::talk, Button::cancel, Button::up, Button::down};

Colour at(const Front& front, std::span<const Colour> pixels, int x, int y) {
  return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(front.width()) +
                static_cast<std::size_t>(x)];
}

device::screen::ScreenModel ready() {
  device::screen::ScreenModel model;
  model.state = device::screen::State::ready;
  model.device_name = "kitchen";
  return model;
}

TEST(Front, EveryBoardHasRoomForItsScreenAndItsButtons) {
  for (const auto& profile : profiles()) {
    Front front{profile};
    EXPECT_LE(front.width(), device::screen::kMaxSide) << profile.name;
    EXPECT_LE(front.height(), device::screen::kMaxSide) << profile.name;
    EXPECT_GE(front.scale(), 1);
    const device::screen::Rect all{0, 0, front.width(), front.height()};
    EXPECT_TRUE(all.contains(front.screen_place())) << profile.name;
    EXPECT_EQ(front.screen_place().w, front.scale() * profile.width);
    for (const auto button : kEveryButton) {
      const auto& place = front.place_of(button);
      EXPECT_TRUE(all.contains(place));
      EXPECT_TRUE(device::screen::intersection(place, front.screen_place()).empty());
      EXPECT_EQ(front.button_at(place.x, place.y), button);
      EXPECT_EQ(front.button_at(place.right() - 1, place.bottom() - 1), button);
    }
    EXPECT_FALSE(front.button_at(0, 0));
    EXPECT_FALSE(front.button_at(-1, 99'999));
  }
}

TEST(Front, ShowsTheScreenEnlargedWithoutMixingItsPixels) {
  const auto profile = *profile_named("desktop");
  Panel panel{profile};
  panel.draw(ready(), 1'000);
  Front front{profile};
  ASSERT_GT(front.scale(), 1);
  const auto pixels = front.draw(panel, {});
  const auto& place = front.screen_place();
  for (int y = 0; y < place.h; ++y) {
    for (int x = 0; x < place.w; ++x) {
      const auto index =
          static_cast<std::size_t>(y / front.scale() * panel.width() + x / front.scale());
      ASSERT_EQ(at(front, pixels, place.x + x, place.y + y), panel.pixels()[index]);
    }
  }
}

TEST(Front, ABacklightThatIsOffIsBlack) {
  const auto profile = *profile_named("desktop");
  Panel panel{profile};
  panel.draw(ready(), 1'000);
  Front front{profile};
  Front::Look dark;
  dark.backlight_percent = 0;
  const auto pixels = front.draw(panel, dark);
  const auto& place = front.screen_place();
  for (int x = 0; x < place.w; ++x) {
    EXPECT_EQ(at(front, pixels, place.x + x, place.y + place.h / 3), 0);
  }
}

TEST(Front, APressALampATextAndANoteAreToBeSeen) {
  const auto profile = *profile_named("desktop");
  Panel panel{profile};
  Front front{profile};
  const auto picture = [&](const Front::Look& look) {
    const auto pixels = front.draw(panel, look);
    return std::vector<Colour>{pixels.begin(), pixels.end()};
  };
  std::set<std::vector<Colour>> all;
  Front::Look look;
  all.insert(picture(look));
  for (const auto button : kEveryButton) {
    look.down = {};
    look.down[static_cast<std::size_t>(button)] = true;
    all.insert(picture(look));
  }
  look.down = {};
  look.lamp = 0xFF0000;
  all.insert(picture(look));
  look.note = "no microphone";
  all.insert(picture(look));
  look.typed = "hello";
  all.insert(picture(look));
  look.typed = std::string(500, 'x') + "y";  // its end is what is seen
  all.insert(picture(look));
  look.typed = std::string(500, 'x') + "z";
  all.insert(picture(look));
  EXPECT_EQ(all.size(), 10U);
}

TEST(Panel, ARoundOneHasNothingInItsCornersAndAMonoOneTwoColours) {
  Panel round{*profile_named("round")};
  round.draw(ready(), 1'000);
  EXPECT_FALSE(round.inside(0, 0));
  EXPECT_FALSE(round.inside(239, 239));
  EXPECT_FALSE(round.inside(-1, 120));
  EXPECT_TRUE(round.inside(0, 120));
  EXPECT_TRUE(round.inside(120, 120));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(round.pixels()[static_cast<std::size_t>(i * 240 + i)], 0);
  }
  Panel mono{*profile_named("mono")};
  mono.draw(ready(), 1'000);
  const std::set<Colour> colours{mono.pixels().begin(), mono.pixels().end()};
  EXPECT_EQ(colours, (std::set<Colour>{0, 0xFFFF}));
}

TEST(Profiles, ComeBackFromTheWordsOfARecord) {
  for (const auto& profile : profiles()) {
    const auto back = profile_of_words(to_words(profile));
    ASSERT_TRUE(back) << profile.name;
    EXPECT_EQ(to_words(*back), to_words(profile));
    EXPECT_NE(profile_table().find(std::string{"\n"} + std::string{profile.name} + " "),
              std::string::npos);
  }
  for (const char* words : {"width=0", "width=99999", "width", "width=", "width=1x", "wings=2",
                            "mic_hz=-1", "colour=2"}) {
    EXPECT_FALSE(profile_of_words(words)) << words;
  }
}

}  // namespace
}  // namespace gadget::ports::desktop
