// scene.cpp - the plan, the top bar and the bottom line.
#include "device/screen/scene.hpp"

#include <algorithm>

#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

// Below this there is room for the state's own part only.
constexpr int kTinyWidth = 160;
constexpr int kTinyHeight = 120;
constexpr std::uint8_t kBatteryLow = 15;  // percent; below it shows in red
constexpr int kNameWidth = 24;            // pixels; in less a name says nothing
constexpr int kMaxDots = 8;               // pages shown as dots; more as numbers

// From corner to corner of `box`.
[[gnu::noinline]] void draw_cross(Canvas& canvas, const Rect& box, Sub pen_radius, Colour colour) {
  const Sub left = box.x * kOnePixel;
  const Sub right = box.right() * kOnePixel;
  const Sub top = box.y * kOnePixel;
  const Sub bottom = box.bottom() * kOnePixel;
  canvas.line({left, top}, {right, bottom}, pen_radius, colour);
  canvas.line({right, top}, {left, bottom}, pen_radius, colour);
}

void draw_link(Canvas& canvas, int x, int base, const ScreenModel& model) {
  const Colour off = model.mono ? kBackground : kPanel;
  const Colour cross = model.mono ? kText : accent(State::error);
  const std::uint8_t bars = model.connected ? std::max<std::uint8_t>(1, model.link) : 0;
  for (int i = 0; i < kLinkBars; ++i) {
    const int height = 3 + 3 * i;
    canvas.fill({x + 4 * i, base - height, 3, height}, i < bars ? kSoft : off);
  }
  if (!model.connected) {
    draw_cross(canvas, {x + 1, base - 11, 7, 7}, 14, cross);
  }
}

void draw_battery(Canvas& canvas, int x, int middle, const Battery& battery) {
  const Rect body{x, middle - 5, 20, 10};
  const int full = std::min<int>(battery.percent, 100);
  const Colour colour = battery.charging     ? accent(State::ready)
                        : full < kBatteryLow ? accent(State::error)
                                             : kSoft;
  canvas.rounded_frame(body, 3, 1, colour);
  canvas.fill({body.right() + 1, middle - 2, 2, 4}, colour);
  canvas.fill({x + 2, middle - 3, std::max(1, 16 * full / 100), 6}, colour);
}

void draw_muted(Canvas& canvas, int x, int middle) {
  canvas.fill({x, middle - 2, 3, 5}, kSoft);
  for (int i = 0; i < 5; ++i) canvas.fill({x + 3 + i, middle - 2 - i, 1, 5 + 2 * i}, kSoft);
  draw_cross(canvas, {x + 11, middle - 2, 4, 5}, 11, kSoft);
}

}  // namespace

Key& Key::add(std::string_view text) {
  hash_ = hash(text, hash_) * kHashPrime ^ 0xFFU;  // no byte of UTF-8: "ab" "c" is not "a" "bc"
  return *this;
}

Key& Key::mix(std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) {
    hash_ = (hash_ ^ (number >> shift & 0xFFU)) * kHashPrime;
  }
  return *this;
}

Words& Words::add(std::string_view text) {
  const std::size_t room = buffer_.size() - size_;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const std::size_t next = first_character(part(text, bytes)).bytes;
    if (bytes + next > room) break;
    bytes += next;
  }
  std::copy_n(text.data(), bytes, buffer_.data() + size_);
  size_ += bytes;
  return *this;
}

Words& Words::add(std::uint32_t number) {
  std::array<char, 10> digits;
  std::size_t at = digits.size();
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return add(std::string_view(digits.data() + at, digits.size() - at));
}

namespace {

// Half of what a circle of radius `r` is wide at `dy` from its middle, rounded down.
int half_chord(int r, int dy) {
  int half = 0;
  const int square = r * r - dy * dy;
  for (int bit = kMaxSide / 2; bit > 0; bit /= 2) {
    if ((half + bit) * (half + bit) <= square) half += bit;
  }
  return half;
}

// The widest rectangle from row `top` to `bottom` that a circle in the middle of the screen holds.
Rect within_circle(int width, int height, int top, int bottom) {
  const int r = std::min(width, height) / 2;
  const int middle = height / 2;
  const int dy = std::max(middle - top, bottom - middle);
  const int half = dy >= r ? 0 : half_chord(r, dy);
  return {width / 2 - half, top, 2 * half, std::max(0, bottom - top)};
}

}  // namespace

Plan plan_of(int width, int height, Shape shape, const FontSet& fonts) {
  Plan plan;
  plan.small = fonts.small;
  plan.round = shape == Shape::round;
  plan.tiny = width < kTinyWidth || height < kTinyHeight;
  plan.margin = width >= 240 ? 12 : width >= kTinyWidth ? 6 : 2;
  plan.body = plan.tiny ? fonts.small : fonts.medium;
  // On a small screen large letters only where they are small ones (kMonoFonts).
  const bool large = plan.tiny ? fonts.large.height() * 4 <= height : width >= 200;
  plan.title = large ? fonts.large : plan.tiny ? fonts.small : fonts.medium;
  // 24 and 20 pixels: on 320x240 an image of 320x196 fits between.
  const int bar = plan.tiny ? 0 : fonts.small.height() + 8;
  const int foot = plan.tiny ? 0 : fonts.small.height() + 4;
  plan.foot_lines = plan.tiny || plan.round ? 0 : 1;
  if (plan.round) {
    plan.margin = plan.tiny ? 0 : 4;
    const int side = std::min(width, height);
    const int top = (height - side) / 2 + side * (plan.tiny ? 15 : 8) / 100;
    const int bottom = (height + side) / 2 - side * (plan.tiny ? 15 : 12) / 100;
    plan.bar = within_circle(width, height, top, top + bar);
    plan.main = within_circle(width, height, top + bar, bottom - foot);
    plan.foot = within_circle(width, height, bottom - foot, bottom);
    return plan;
  }
  plan.bar = {0, 0, width, bar};
  plan.main = {0, bar, width, height - bar - foot};
  plan.foot = {0, height - foot, width, foot};
  return plan;
}

void draw_bar(Scene& scene, bool with_clock) {
  const ScreenModel& m = scene.model;
  const Rect area = scene.plan.bar;
  if (area.empty()) return;
  const std::string_view clock = with_clock ? m.clock : std::string_view{};
  Key key;
  key.add(m.device_name).add(clock).add(m.connected ? 1U + m.link : 0U);
  key.add(m.battery ? 1U + m.battery->percent * 2U + (m.battery->charging ? 1U : 0U) : 0U);
  key.add(m.led ? 1U + *m.led : 0U).add(m.volume == 0 ? 1U : 0U);
  scene.cell(Slot::bar, area, key, [&] {
    const int middle = area.y + area.h / 2;
    int right = area.right() - scene.plan.margin - 15;
    draw_link(scene.canvas, right, middle + 6, m);
    if (m.battery) {
      right -= 32;
      draw_battery(scene.canvas, right, middle, *m.battery);
    }
    if (m.volume == 0) {
      right -= 26;
      draw_muted(scene.canvas, right, middle);
    }
    int left = area.x + scene.plan.margin;
    const bool lamp_shows = m.led && !m.mono;
    const int lamp_width = lamp_shows ? 18 : 0;
    const int clock_width = std::min(text_width(scene.plan.small, clock), area.w / 3);
    if (clock_width > 0 && right - clock_width - 10 >= left + lamp_width) {
      right -= clock_width + 10;
      scene.pen.line({right, area.y, clock_width, area.h}, scene.plan.small, clock, kText);
    }
    if (lamp_shows) {
      const Colour lamp = rgb(*m.led >> 16U & 0xFFU, *m.led >> 8U & 0xFFU, *m.led & 0xFFU);
      const Point at{(left + 5) * kOnePixel, middle * kOnePixel};
      scene.canvas.disc(at, 7 * kOnePixel, lamp, kOpaque / 3);
      scene.canvas.disc(at, 4 * kOnePixel + 8, lamp);
      left += lamp_width;
    }
    if (right - 8 - left < kNameWidth) return;
    scene.pen.line({left, area.y, right - 8 - left, area.h}, scene.plan.small, m.device_name,
                   scene.soft());
  });
}

namespace {

// What the buttons do now.
Words& hint_of(const ScreenModel& m, Words& words) {
  const bool cancels = !m.cancel_button.empty();
  const auto cancel = [&](std::string_view does) -> Words& {
    return cancels ? words.add(m.cancel_button).add(does) : words;
  };
  if (!m.cancel_does.empty()) return cancels ? words.add(m.hint), cancel(m.cancel_does) : words;
  if (!m.hint.empty()) return words.add(m.hint);
  switch (m.state) {
    case State::ready:
      if (!m.hears || m.talk_button.empty()) return words;
      return words.add(m.tap_to_talk ? "Tap " : "Hold ").add(m.talk_button).add(" and speak");
    case State::listening:
      words.add(m.tap_to_talk ? "Tap to send" : "Let go to send").add(cancels ? ", " : "");
      return cancel(" discards");
    case State::thinking:
    case State::replying: return cancel(" stops");
    case State::card:
    case State::image: return cancel(" closes");
    case State::question: return words.add(m.question.guard ? "One moment" : "");
    case State::pairing: return words.add(m.device_id);
    case State::settings: return words.add(m.talk_button).add(" changes, UP and DOWN choose");
    case State::error: return words.add(m.status);
    default: return words;
  }
}

constexpr int kNoticeLines = 3;
constexpr std::string_view kHold = "Keep holding: new conversation";
constexpr std::string_view kShortHold = "New conversation";

// As much of a hint as has a meaning and fits: all, or up to a comma, or up to "and", or nothing.
std::string_view short_hint(std::string_view hint, const Font& font, int width) {
  for (const std::string_view stop : {std::string_view{}, std::string_view{","}, {" and "}}) {
    const std::size_t end = stop.empty() ? hint.size() : std::min(hint.find(stop), hint.size());
    if (text_width(font, part(hint, 0, end)) <= width) return part(hint, 0, end);
  }
  return {};
}

// The text of the overlay in its pill.
Rect overlay_box(const Plan& plan, int lines) {
  const Rect& ground = plan.round ? plan.main : plan.foot;
  const int height = lines * plan.small.height();
  if (plan.tiny) return {plan.main.x + 3, plan.main.bottom() - height - 1, plan.main.w - 6, height};
  return {ground.x + plan.margin + 22, ground.bottom() - height - 8,
          ground.w - 2 * plan.margin - 32, height};
}

std::string_view overlay_text(const ScreenModel& model) {
  return model.hold_percent > 0 ? kHold : model.notice;
}

}  // namespace

void draw_track(Scene& scene, const Rect& track, std::uint32_t part, std::uint32_t whole,
                Colour colour) {
  const int radius = track.h / 2;
  if (scene.model.mono) {
    scene.canvas.rounded_frame(track, radius, 1, kText);
  } else {
    scene.canvas.rounded(track, radius, kPanel);
  }
  const auto full = static_cast<int>(std::uint64_t{std::min(part, whole)} *
                                     static_cast<std::uint64_t>(std::max(0, track.w)) / whole);
  if (full > 0) {
    scene.canvas.rounded({track.x, track.y, std::max(full, track.h), track.h}, radius, colour);
  }
}

int overlay_lines(const ScreenModel& model, const Plan& plan) {
  const std::string_view text = overlay_text(model);
  // The bottom line says how long CANCEL is held, where there is one.
  if (text.empty() || (model.hold_percent > 0 && plan.foot_lines > 0)) return 0;
  const int lines =
      Pen::lines_in(overlay_box(plan, plan.tiny ? 2 : kNoticeLines), plan.small, text);
  return lines > plan.foot_lines ? lines : 0;
}

void draw_overlay(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const int lines = overlay_lines(m, plan);
  if (lines == 0) return;
  const Rect box = overlay_box(plan, lines);
  const int out = plan.tiny ? 1 : 4;  // from the text to the edge of the pill
  const Rect pill{plan.tiny ? plan.main.x : box.x - 22, box.y - out,
                  plan.tiny ? plan.main.w : box.w + 32, box.h + 2 * out};
  const Rect area{pill.x, pill.y - 3, pill.w, pill.h + (plan.tiny ? 3 : 7)};
  // What lies below may have been drawn over it.
  if (scene.drew) scene.canvas.forget_cell(static_cast<std::size_t>(Slot::notice));
  scene.cell(Slot::notice, area, Key().add(overlay_text(m)).add(m.hold_percent), [&] {
    const int radius = plan.tiny ? 3 : 10;
    const Colour ground = m.mono ? kText : kPanel;
    scene.canvas.rounded(pill, radius, ground);
    if (m.hold_percent > 0) {
      // It fills up, or on black and white empties from the right.
      const int full = pill.w * std::min<int>(m.hold_percent, 100) / 100;
      const Rect rest = m.mono ? Rect{pill.x + full, pill.bottom() - 2, pill.w - full, 2}
                               : Rect{pill.x, pill.y, full, pill.h};
      if (!rest.empty()) {
        scene.canvas.rounded(
            rest, m.mono ? 0 : radius,
            m.mono ? kBackground : blend(kBackground, scene.tint(State::question), 14));
      }
    }
    if (!plan.tiny) {
      scene.canvas.disc({(pill.x + 11) * kOnePixel, (box.y * 2 + plan.small.height()) * 8},
                        3 * kOnePixel, scene.tint(State::question));
    }
    scene.pen.paragraph(box, plan.small, overlay_text(m), m.mono ? kBackground : kText, Align::left,
                        0, true);
  });
}

void draw_foot(Scene& scene, int page, int pages) {
  const ScreenModel& m = scene.model;
  const Rect area = scene.plan.foot;
  if (area.empty()) return;
  const Rect inner = area.inset(scene.plan.round ? 0 : scene.plan.margin, 0);
  Words words;
  const std::string_view hint = hint_of(m, words).view();
  const bool notice =
      scene.plan.foot_lines > 0 && !m.notice.empty() && overlay_lines(m, scene.plan) == 0;
  const bool held = m.hold_percent > 0 && scene.plan.foot_lines > 0;
  Key key;
  key.add(notice ? m.notice : std::string_view{}).add(hint).add(m.hold_percent);
  key.add(page).add(pages);
  scene.cell(Slot::foot, area, key, [&] {
    if (held) {
      const Rect track{inner.x, area.y + 1, inner.w, area.h - 3};
      draw_track(scene, track, m.hold_percent, 100,
                 blend(kBackground, accent(State::question), 14));
      const bool all = text_width(scene.plan.small, kHold) <= track.w;
      scene.pen.line(track, scene.plan.small, all ? kHold : kShortHold, kText, Align::centre);
      return;
    }
    if (notice) {
      const Rect pill{inner.x, area.y + 1, inner.w, area.h - 3};
      scene.canvas.rounded(pill, pill.h / 2, kPanel);
      scene.canvas.disc({(pill.x + 10) * kOnePixel, (pill.y * 2 + pill.h) * kOnePixel / 2},
                        3 * kOnePixel, scene.tint(State::question));
      scene.pen.line({pill.x + 20, pill.y, pill.w - 30, pill.h}, scene.plan.small, m.notice, kText);
      return;
    }
    Rect rest{inner.x, area.y, inner.w, area.h - 2};
    if (pages > kMaxDots) {
      Words where;
      where.add(static_cast<std::uint32_t>(page + 1))
          .add("/")
          .add(static_cast<std::uint32_t>(pages));
      const int width = text_width(scene.plan.small, where.view());
      const int from = scene.plan.round ? rest.x + (rest.w - width) / 2 : rest.right() - width;
      scene.pen.line({from, rest.y, width, rest.h}, scene.plan.small, where.view(), scene.soft());
      rest.w -= width + 8;
    } else if (pages > 1) {
      const int from =
          (scene.plan.round ? rest.x + (rest.w + 11 * pages) / 2 : rest.right()) - 11 * pages + 5;
      for (int i = 0; i < pages; ++i) {
        scene.canvas.disc({(from + 11 * i) * kOnePixel, (rest.y * 2 + rest.h) * kOnePixel / 2},
                          i == page          ? 52
                          : scene.model.mono ? 20
                                             : 40,
                          i == page ? scene.accent : scene.faint());
      }
      rest.w -= 11 * pages + 8;
    }
    if (scene.plan.round && pages > 1) return;  // no room for both
    const bool shortens = m.hint.empty() && m.state != State::error;
    scene.pen.line(rest, scene.plan.small,
                   shortens ? short_hint(hint, scene.plan.small, rest.w) : hint, scene.faint(),
                   pages > 1 ? Align::left : Align::centre);
  });
}

void draw_face_cell(Scene& scene, const Rect& area) {
  const Pose pose = pose_of(scene.model, scene.now);
  scene.cell(Slot::face, area, Key().add(fingerprint(pose)),
             [&] { draw_face(scene.canvas, area, pose, scene.accent); });
}

}  // namespace gadget::device::screen
