#include "ports/desktop/profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <type_traits>

namespace gadget::ports::desktop {
namespace {

constexpr std::int64_t kMaxRateHz = 48'000;
constexpr std::int64_t kMaxSlotBytes = 64 << 20;
constexpr std::uint32_t kSmallSlotBytes = 1U << 20U;

// One number of a profile, as records write it.
struct Field {
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
  std::int64_t (*get)(const Profile&);
  void (*set)(Profile&, std::int64_t);
};

template <auto Member>
constexpr Field field(std::string_view name, std::int64_t least, std::int64_t most) {
  return {name, least, most,
          [](const Profile& profile) { return static_cast<std::int64_t>(profile.*Member); },
          [](Profile& profile, std::int64_t value) {
            using Type = std::remove_reference_t<decltype(profile.*Member)>;
            profile.*Member = static_cast<Type>(value);
          }};
}

constexpr std::array kFields{
    field<&Profile::width>("width", 1, device::screen::kMaxSide),
    field<&Profile::height>("height", 1, device::screen::kMaxSide),
    field<&Profile::display>("display", 0, 1),
    field<&Profile::shape>("round", 0, 1),
    field<&Profile::colour>("colour", 0, 1),
    field<&Profile::utf8>("utf8", 0, 1),
    field<&Profile::mic_hz>("mic_hz", 0, kMaxRateHz),
    field<&Profile::speaker_hz>("speaker_hz", 0, kMaxRateHz),
    field<&Profile::lamp>("lamp", 0, 1),
    field<&Profile::max_message_bytes>("max_message_bytes", protocol::kMinMaxMessageBytes,
                                       protocol::kMaxMessageBytes),
    field<&Profile::slot_bytes>("slot_bytes", 0, kMaxSlotBytes),
};

}  // namespace

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
       .max_message_bytes = protocol::kMinMaxMessageBytes,
       .slot_bytes = kSmallSlotBytes},
      {.name = "round",
       .about = "round screen of 240x240",
       .width = 240,
       .shape = device::screen::Shape::round},
      {.name = "round-large",
       .about = "round screen of 480x480",
       .width = 480,
       .height = 480,
       .shape = device::screen::Shape::round},
      {.name = "mono",
       .about = "black and white screen of 128x64, ASCII",
       .width = 128,
       .height = 64,
       .colour = false,
       .utf8 = false,
       .lamp = false,
       .max_message_bytes = protocol::kMinMaxMessageBytes,
       .slot_bytes = kSmallSlotBytes},
      {.name = "no-speaker", .about = "listens and shows, says nothing", .speaker_hz = 0},
      {.name = "no-mic", .about = "typed to, speaks and shows", .mic_hz = 0},
      {.name = "voice", .about = "microphone and speaker, no screen", .display = false},
      {.name = "text",
       .about = "screen only, takes no updates",
       .mic_hz = 0,
       .speaker_hz = 0,
       .lamp = false,
       .slot_bytes = 0},
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

const device::screen::FontSet* fonts_of(const Profile& profile) {
  if (!profile.colour) return &device::screen::kMonoFonts;
  return profile.utf8 ? &device::screen::kWideFonts : &device::screen::kAsciiFonts;
}

std::string to_words(const Profile& profile) {
  std::string words;
  for (const auto& field : kFields) {
    words += (words.empty() ? "" : " ") + std::string{field.name} + "=" +
             std::to_string(field.get(profile));
  }
  return words;
}

Result<Profile> profile_of_words(std::string_view words) {
  Profile profile;
  profile.name = "recorded";
  profile.slot_bytes = 0;  // of records that do not say
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const auto equals = word.find('=');
    const auto* const field = std::find_if(kFields.begin(), kFields.end(), [&](const Field& one) {
      return one.name == word.substr(0, equals);
    });
    std::int64_t value = -1;
    if (equals != std::string_view::npos) {
      const auto* const end = word.data() + word.size();
      const auto read = std::from_chars(word.data() + equals + 1, end, value);
      if (read.ec != std::errc{} || read.ptr != end) value = -1;
    }
    if (field == kFields.end() || value < field->least || value > field->most) {
      return fail(FailureCode::invalid_argument, "no board has \"" + std::string{word} + "\"");
    }
    field->set(profile, value);
  }
  return profile;
}

std::string profile_table() {
  std::string table = "NAME         SCREEN   COLOURS  CHARSET  MIC HZ  SPEAKER HZ  WHAT IT IS\n";
  for (const auto& profile : profiles()) {
    const auto hz = [](std::uint32_t rate) { return rate == 0 ? "-" : std::to_string(rate); };
    const std::string size = std::to_string(profile.width) + "x" + std::to_string(profile.height);
    char line[160];
    std::snprintf(line, sizeof line, "%-12s %-8s %-8s %-8s %-7s %-11s %s\n",
                  std::string{profile.name}.c_str(), profile.display ? size.c_str() : "-",
                  !profile.display  ? "-"
                  : !profile.colour ? "no"
                                    : "yes",
                  profile.utf8 ? "utf-8" : "ascii", hz(profile.mic_hz).c_str(),
                  hz(profile.speaker_hz).c_str(), std::string{profile.about}.c_str());
    table += line;
  }
  return table;
}

device::GadgetConfig config_of(const Profile& profile) {
  namespace screen = device::screen;
  device::GadgetConfig config;
  config.board = "desktop";
  config.fonts = fonts_of(profile);
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
