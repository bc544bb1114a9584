#include "ports/desktop/profile.hpp"

#include <algorithm>

namespace gadget::ports::desktop {
const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all{
      {.name = "desktop", .about = "screen of 320x240, microphone, speaker, lamp"},
      {.name = "ascii", .about = "the same with a font of ASCII only", .utf8 = false},
      {.name = "wideband", .about = "the same with a speaker of 48 kHz", .speaker_hz = 48'000},
      {.name = "small",
       .about = "screen of 240x135, ASCII, messages of 4 KB",
       .width = 240,
       .height = 135,
       .utf8 = false,
       .max_message_bytes = protocol::kMinMaxMessageBytes},
      {.name = "voice", .about = "microphone and speaker, no screen", .display = false},
      {.name = "text", .about = "screen only", .mic_hz = 0, .speaker_hz = 0, .lamp = false},
  };
  return all;
}

Result<Profile> profile_named(std::string_view name) {
  std::string names;
  for (const auto& profile : profiles()) {
    if (profile.name == name) return profile;
    names += (names.empty() ? "" : ", ") + std::string{profile.name};
  }
  return fail(FailureCode::invalid_argument, "there is no profile \"" + std::string{name} + "\"",
              "the profiles are " + names);
}

device::GadgetConfig config_of(const Profile& profile) {
  namespace screen = device::screen;
  device::GadgetConfig config;
  config.board = "desktop";
  config.firmware = GADGET_VERSION;
  config.fonts = profile.utf8 ? &screen::kLatinFonts : &screen::kAsciiFonts;
  config.shape = profile.shape;
  config.mic_hz = profile.mic_hz;
  config.speaker_hz = profile.speaker_hz;
  config.inputs.talk = profile.mic_hz != 0;
  config.max_message_bytes = profile.max_message_bytes;
  if (profile.display) {
    const auto room = screen::room_of(profile.width, profile.height, profile.shape, *config.fonts);
    protocol::DisplayCaps caps;
    caps.width = profile.width;
    caps.height = profile.height;
    caps.color = profile.colour;
    caps.charset = profile.utf8 ? protocol::Charset::utf8 : protocol::Charset::ascii;
    caps.text_cols = room.text_cols;
    caps.text_rows = room.text_rows;
    caps.image = protocol::ImageBox{room.image_width, room.image_height};
    config.display = caps;
  }
  return config;
}

}  // namespace gadget::ports::desktop
