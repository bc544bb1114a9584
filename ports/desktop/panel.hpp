// panel.hpp - the screen of a virtual board: what the core wants shown, as the pixels that this
// board would have. A round one has nothing in its corners, one without colours is black and white.
//
// One thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/screen/model.hpp"
#include "ports/desktop/profile.hpp"

namespace gadget::ports::desktop {

class Panel {
 public:
  explicit Panel(const Profile& profile);

  void draw(const device::screen::ScreenModel& model, device::Millis now);

  [[nodiscard]] int width() const { return profile_.width; }
  [[nodiscard]] int height() const { return profile_.height; }
  // Row by row.
  [[nodiscard]] std::span<const device::screen::Colour> pixels() const { return shown_; }
  // Whether a pixel is on the panel: not so in the corners of a round one.
  [[nodiscard]] bool inside(int x, int y) const;
  [[nodiscard]] std::string fingerprint() const;
  // Counts up with every picture that differs from the one before.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Error: io.
  [[nodiscard]] Result<void> save(const std::string& path) const;

 private:
  Profile profile_;
  std::vector<device::screen::Colour> drawn_;
  std::vector<device::screen::Colour> shown_;
  device::screen::Canvas canvas_;
  std::uint64_t version_ = 0;
};

}  // namespace gadget::ports::desktop
