// profile.hpp - which board the virtual gadget plays (`--profile`): its screen, its sound, its
// lamp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "device/core/gadget.hpp"

namespace gadget::ports::desktop {

struct Profile {
  std::string_view name;
  std::string_view about;
  int width = 320;  // pixels of the screen that is drawn, also when the hub is not told of one
  int height = 240;
  device::screen::Shape shape = device::screen::Shape::rectangle;  // round: only the circle
  bool colour = true;                                              // else black and white
  bool display = true;
  bool utf8 = true;
  std::uint32_t mic_hz = 16'000;  // 0: none
  std::uint32_t speaker_hz = 16'000;
  bool lamp = true;
  std::size_t max_message_bytes = 8'192;
  std::uint32_t slot_bytes = 4U << 20U;  // of each of two firmware slots; 0: takes no updates
};

[[nodiscard]] const std::vector<Profile>& profiles();

// Error: invalid_argument that lists what there is.
[[nodiscard]] Result<Profile> profile_named(std::string_view name);

[[nodiscard]] const device::screen::FontSet* fonts_of(const Profile& profile);

// All of a profile but its description as words of a record, `width=320 height=240 ...`; and back.
// Error: invalid_argument for a word or a value that no profile has.
[[nodiscard]] std::string to_words(const Profile& profile);
[[nodiscard]] Result<Profile> profile_of_words(std::string_view words);

// All profiles as a table for people.
[[nodiscard]] std::string profile_table();

// What the core is told of such a board; firmware, name, token and hub are the caller's to fill.
[[nodiscard]] device::GadgetConfig config_of(const Profile& profile);

}  // namespace gadget::ports::desktop
