#include "ports/desktop/panel.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "device/screen/mono.hpp"
#include "media/png.hpp"
#include "ports/desktop/record_line.hpp"

namespace gadget::ports::desktop {
namespace {

using device::screen::Colour;
using device::screen::Shape;

constexpr Colour kBlack = 0;
constexpr Colour kWhite = 0xFFFF;

}  // namespace

Panel::Panel(const Profile& profile)
    : profile_(profile),
      drawn_(static_cast<std::size_t>(profile.width) * static_cast<std::size_t>(profile.height)),
      shown_(drawn_.size()),
      canvas_(drawn_, profile.width, profile.height) {}

void Panel::draw(const device::screen::ScreenModel& model, device::Millis now) {
  canvas_.clear_dirty();
  device::screen::draw(model, canvas_, static_cast<std::uint64_t>(now), *fonts_of(profile_));
  if (canvas_.dirty().empty() && version_ > 0) return;
  ++version_;
  const auto tone = device::screen::tone_of(model.state);
  std::size_t at = 0;
  for (int y = 0; y < profile_.height; ++y) {
    for (int x = 0; x < profile_.width; ++x, ++at) {
      Colour colour = drawn_[at];
      if (!profile_.colour) colour = device::screen::is_lit(colour, x, y, tone) ? kWhite : kBlack;
      shown_[at] = profile_.shape == Shape::round && !inside(x, y) ? kBlack : colour;
    }
  }
}

bool Panel::inside(int x, int y) const {
  if (x < 0 || y < 0 || x >= profile_.width || y >= profile_.height) return false;
  if (profile_.shape != Shape::round) return true;
  // In half pixels from the middle, so that the middles of pixels count.
  const int dx = 2 * x + 1 - profile_.width;
  const int dy = 2 * y + 1 - profile_.height;
  const int radius = std::min(profile_.width, profile_.height);
  return dx * dx + dy * dy <= radius * radius;
}

std::string Panel::fingerprint() const {
  return desktop::fingerprint(std::as_bytes(std::span{shown_}));
}

Result<void> Panel::save(const std::string& path) const {
  const auto png = media::encode_png_rgb565(shown_, static_cast<std::uint32_t>(profile_.width),
                                            static_cast<std::uint32_t>(profile_.height));
  if (!png) return tl::unexpected{png.error()};
  return files::write(path, *png);
}

}  // namespace gadget::ports::desktop
