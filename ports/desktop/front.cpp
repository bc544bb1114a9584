#include "ports/desktop/front.hpp"

#include <algorithm>

#include "device/screen/font.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Button;
using device::screen::Canvas;
using device::screen::Colour;
using device::screen::Rect;
using device::screen::rgb;

// The screen is enlarged to at most this, so that the front of any board fits a canvas.
constexpr int kMostScreenWidth = 660;
constexpr int kMostScreenHeight = 500;
constexpr int kMargin = 28;  // between the edge, the screen and the buttons
constexpr int kFrame = 10;   // of the screen
constexpr int kButtonWidth = 132;
constexpr int kButtonHeight = 44;
constexpr int kTalkHeight = 78;
constexpr int kGap = 12;
constexpr int kLineHeight = 36;
constexpr int kLamp = 14;  // radius

constexpr Colour kBody = rgb(58, 63, 74);
constexpr Colour kEdge = rgb(36, 40, 48);
constexpr Colour kKey = rgb(86, 94, 110);
constexpr Colour kKeyDown = rgb(238, 152, 72);
constexpr Colour kField = rgb(28, 31, 38);
constexpr Colour kBright = rgb(240, 243, 248);
constexpr Colour kDim = rgb(160, 168, 182);
constexpr Colour kDark = rgb(22, 24, 30);

struct Words {
  std::string_view label;
  std::string_view key;
};

Words words_of(Button button) {
  switch (button) {
    case Button::talk: return {"TALK", "Space"};
    case Button::cancel: return {"CANCEL", "Esc"};
    case Button::up: return {"UP", "\u2191"};
    case Button::down: return {"DOWN", "\u2193"};
  }
  return {};
}

Colour dimmed(Colour colour, unsigned percent) {
  const unsigned red = (colour >> 11U) * percent / 100;
  const unsigned green = (colour >> 5U & 0x3FU) * percent / 100;
  const unsigned blue = (colour & 0x1FU) * percent / 100;
  return static_cast<Colour>(red << 11U | green << 5U | blue);
}

void centred(Canvas& canvas, const device::screen::Font& font, const Rect& area, int y,
             std::string_view text, Colour colour) {
  const int x = area.x + (area.w - device::screen::text_width(font, text)) / 2;
  device::screen::draw_text(canvas, font, x, y, text, colour);
}

}  // namespace

Front::Front(const Profile& profile) : profile_(profile), canvas_({}, 1, 1) {
  scale_ =
      std::max(1, std::min(kMostScreenWidth / profile.width, kMostScreenHeight / profile.height));
  screen_ = {kMargin, kMargin, profile.width * scale_, profile.height * scale_};
  int x = screen_.right() + kMargin;
  int y = kMargin + 2 * kLamp + kGap;
  const auto place = [&](Button button, int height) {
    buttons_[static_cast<std::size_t>(button)] = {x, y, kButtonWidth, height};
    y += height + kGap;
  };
  place(Button::talk, kTalkHeight);
  place(Button::cancel, kButtonHeight);
  place(Button::up, kButtonHeight);
  place(Button::down, kButtonHeight);
  width_ = x + kButtonWidth + kMargin;
  const int below = std::max(screen_.bottom() + kMargin, y + kMargin - kGap);
  screen_.y += (below - kMargin - screen_.bottom()) / 2;
  line_ = {kMargin, below, width_ - 2 * kMargin, kLineHeight};
  height_ = line_.bottom() + kMargin;
  pixels_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  canvas_ = Canvas{pixels_, width_, height_};
}

std::optional<Button> Front::button_at(int x, int y) const {
  for (const auto button : {Button::talk, Button::cancel, Button::up, Button::down}) {
    if (place_of(button).contains({x, y, 1, 1})) return button;
  }
  return std::nullopt;
}

std::span<const Colour> Front::draw(const Panel& panel, const Look& look) {
  canvas_.fill(canvas_.bounds(), kBody);
  draw_screen(panel, look.backlight_percent);
  for (const auto button : {Button::talk, Button::cancel, Button::up, Button::down}) {
    draw_button(button, look.down[static_cast<std::size_t>(button)]);
  }
  if (profile_.lamp) {
    const auto& talk = place_of(Button::talk);
    const device::screen::Point at{(talk.x + talk.w / 2) * device::screen::kOnePixel,
                                   (kMargin + kLamp) * device::screen::kOnePixel};
    const std::uint32_t colour = look.lamp.value_or(0);
    canvas_.disc(at, (kLamp + 3) * device::screen::kOnePixel, kEdge);
    canvas_.disc(at, kLamp * device::screen::kOnePixel,
                 colour == 0 ? kDark : rgb(colour >> 16U, colour >> 8U & 0xFFU, colour & 0xFFU));
  }
  draw_typed(look);
  return pixels_;
}

void Front::draw_screen(const Panel& panel, int backlight_percent) {
  const bool round = profile_.shape == device::screen::Shape::round;
  if (round) {
    const int half = device::screen::kOnePixel / 2;
    canvas_.disc({(2 * screen_.x + screen_.w) * half, (2 * screen_.y + screen_.h) * half},
                 (screen_.w + 2 * kFrame) * half, kEdge);
  } else {
    canvas_.rounded(screen_.inset(-kFrame, -kFrame), kFrame, kEdge);
  }
  if (!profile_.display) {
    canvas_.fill(screen_, kField);
    return centred(canvas_, device::screen::kLatinFonts.medium, screen_,
                   screen_.y + screen_.h / 2 - 10, "this board has no screen", kDim);
  }
  const auto percent = static_cast<unsigned>(std::clamp(backlight_percent, 0, 100));
  const auto pixels = panel.pixels();
  for (int y = 0; y < screen_.h; ++y) {
    const auto row = static_cast<std::size_t>(screen_.y + y) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(screen_.x);
    for (int x = 0; x < screen_.w; ++x) {
      const int px = x / scale_;
      const int py = y / scale_;
      if (round && !panel.inside(px, py)) continue;
      const Colour colour =
          pixels[static_cast<std::size_t>(py) * static_cast<std::size_t>(panel.width()) +
                 static_cast<std::size_t>(px)];
      pixels_[row + static_cast<std::size_t>(x)] =
          percent == 100 ? colour : dimmed(colour, percent);
    }
  }
}

void Front::draw_button(Button button, bool down) {
  const auto& fonts = device::screen::kLatinFonts;
  Rect area = place_of(button);
  canvas_.rounded({area.x, area.y + 3, area.w, area.h}, 10, kEdge);
  if (down) area.y += 2;
  canvas_.rounded(area, 10, down ? kKeyDown : kKey);
  const auto words = words_of(button);
  const int text_height = fonts.medium.height() + fonts.small.height();
  const int y = area.y + (area.h - text_height) / 2;
  centred(canvas_, fonts.medium, area, y, words.label, down ? kDark : kBright);
  centred(canvas_, fonts.small, area, y + fonts.medium.height(), words.key,
          down ? kDark : rgb(200, 206, 216));
}

void Front::draw_typed(const Look& look) {
  const auto& font = device::screen::kLatinFonts.medium;
  canvas_.rounded(line_, 8, kField);
  const Rect inner = line_.inset(12, 0);
  const int y = line_.y + (line_.h - font.height()) / 2;
  const Rect before = canvas_.set_clip(inner);
  if (look.typed.empty()) {
    const std::string_view text =
        look.note.empty() ? "Type and press Enter" : std::string_view{look.note};
    device::screen::draw_text(canvas_, font, inner.x, y, text, kDim);
  } else {
    const int wide = device::screen::text_width(font, look.typed);
    const int x = inner.x - std::max(0, wide + 4 - inner.w);  // the end stays in view
    device::screen::draw_text(canvas_, font, x, y, look.typed, kBright);
    canvas_.fill({x + wide + 1, y, 2, font.height()}, kKeyDown);
  }
  canvas_.set_clip(before);
}

}  // namespace gadget::ports::desktop
