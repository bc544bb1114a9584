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
constexpr int kMaxDots = 8;               // pages shown as dots; more as numbers

void draw_link(Canvas& canvas, int x, int base, const ScreenModel& model) {
  const std::uint8_t bars = model.connected ? std::max<std::uint8_t>(1, model.link) : 0;
  for (int i = 0; i < kLinkBars; ++i) {
    const int height = 3 + 3 * i;
    canvas.fill({x + 4 * i, base - height, 3, height}, i < bars ? kSoft : kPanel);
  }
  if (!model.connected) {
    canvas.line({(x + 1) * kOnePixel, (base - 11) * kOnePixel},
                {(x + 8) * kOnePixel, (base - 4) * kOnePixel}, 14, accent(State::error));
    canvas.line({(x + 8) * kOnePixel, (base - 11) * kOnePixel},
                {(x + 1) * kOnePixel, (base - 4) * kOnePixel}, 14, accent(State::error));
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
  canvas.line({(x + 11) * kOnePixel, (middle - 2) * kOnePixel},
              {(x + 15) * kOnePixel, (middle + 3) * kOnePixel}, 11, kSoft);
  canvas.line({(x + 15) * kOnePixel, (middle - 2) * kOnePixel},
              {(x + 11) * kOnePixel, (middle + 3) * kOnePixel}, 11, kSoft);
}

}  // namespace

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

Plan plan_of(int width, int height, const FontSet& fonts) {
  Plan plan;
  plan.small = fonts.small;
  plan.tiny = width < kTinyWidth || height < kTinyHeight;
  plan.margin = width >= 240 ? 12 : width >= kTinyWidth ? 6 : 2;
  plan.body = plan.tiny ? fonts.small : fonts.medium;
  plan.title = plan.tiny ? fonts.small : width >= 200 ? fonts.large : fonts.medium;
  // 24 and 20 pixels: on 320x240 an image of 320x196 fits between.
  const int bar = plan.tiny ? 0 : fonts.small.height() + 8;
  const int foot = plan.tiny ? 0 : fonts.small.height() + 4;
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
  key.add(m.led ? 1ULL + *m.led : 0ULL).add(m.volume == 0 ? 1U : 0U);
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
    const int clock_width = std::min(text_width(scene.plan.small, clock), area.w / 3);
    if (clock_width > 0) {
      right -= clock_width + 10;
      scene.pen.line({right, area.y, clock_width, area.h}, scene.plan.small, clock, kText);
    }
    int left = area.x + scene.plan.margin;
    if (m.led) {
      const Colour lamp = rgb(*m.led >> 16U & 0xFFU, *m.led >> 8U & 0xFFU, *m.led & 0xFFU);
      const Point at{(left + 5) * kOnePixel, middle * kOnePixel};
      scene.canvas.disc(at, 7 * kOnePixel, lamp, kOpaque / 3);
      scene.canvas.disc(at, 4 * kOnePixel + 8, lamp);
      left += 18;
    }
    scene.pen.line({left, area.y, right - 8 - left, area.h}, scene.plan.small, m.device_name,
                   kSoft);
  });
}

namespace {

// What the buttons do now.
Words hint_of(const ScreenModel& m) {
  Words words;
  if (!m.hint.empty()) return words.add(m.hint);
  switch (m.state) {
    case State::ready: return words.add("Hold ").add(m.talk_button).add(" and speak");
    case State::listening:
      return words.add("Let go to send, ").add(m.cancel_button).add(" discards");
    case State::thinking:
    case State::replying: return words.add(m.cancel_button).add(" stops");
    case State::card:
    case State::image: return words.add(m.cancel_button).add(" closes");
    case State::question: return words.add(m.question.guard ? "One moment" : "");
    case State::pairing: return words.add(m.device_id);
    case State::settings:
      return words.add("UP and DOWN choose, ").add(m.talk_button).add(" changes");
    case State::error: return words.add(m.status);
    default: return words;
  }
}

constexpr int kNoticeLines = 3;

// The notice's text in its pill.
Rect notice_box(const Plan& plan, int lines) {
  const int height = lines * plan.small.height();
  return {plan.margin + 22, plan.foot.bottom() - height - 8, plan.foot.w - 2 * plan.margin - 32,
          height};
}

}  // namespace

int notice_lines(const ScreenModel& model, const Plan& plan) {
  if (plan.tiny || model.notice.empty() || model.hold_percent > 0) return 0;
  return Pen::lines_in(notice_box(plan, kNoticeLines), plan.small, model.notice);
}

void draw_tall_notice(Scene& scene) {
  const int lines = notice_lines(scene.model, scene.plan);
  if (lines < 2) return;
  const Rect box = notice_box(scene.plan, lines);
  const Rect area{0, box.y - 7, scene.plan.foot.w, box.h + 15};
  // What lies below may have been drawn over it.
  if (scene.drew) scene.canvas.forget_cell(static_cast<std::size_t>(Slot::notice));
  scene.cell(Slot::notice, area, Key().add(scene.model.notice), [&] {
    const Rect pill{scene.plan.margin, box.y - 4, area.w - 2 * scene.plan.margin, box.h + 8};
    scene.canvas.rounded(pill, 10, kPanel);
    scene.canvas.disc({(pill.x + 11) * kOnePixel, (box.y * 2 + scene.plan.small.height()) * 8},
                      3 * kOnePixel, accent(State::question));
    scene.pen.paragraph(box, scene.plan.small, scene.model.notice, kText, Align::left, 0, true);
  });
}

void draw_foot(Scene& scene, int page, int pages) {
  const ScreenModel& m = scene.model;
  const Rect area = scene.plan.foot;
  if (area.empty()) return;
  const Words words = hint_of(m);
  const std::string_view hint = words.view();
  const bool notice = notice_lines(m, scene.plan) == 1;
  Key key;
  key.add(notice ? m.notice : std::string_view{}).add(hint).add(m.hold_percent);
  key.add(static_cast<std::uint64_t>(page)).add(static_cast<std::uint64_t>(pages));
  scene.cell(Slot::foot, area, key, [&] {
    const Rect inner = area.inset(scene.plan.margin, 0);
    if (m.hold_percent > 0) {
      const Rect track{inner.x, area.y + 1, inner.w, area.h - 3};
      scene.canvas.rounded(track, track.h / 2, kPanel);
      const int filled = track.w * std::min<int>(m.hold_percent, 100) / 100;
      scene.canvas.rounded({track.x, track.y, std::max(track.h, filled), track.h}, track.h / 2,
                           blend(kBackground, accent(State::question), 14));
      scene.pen.line(track, scene.plan.small, "Keep holding: new conversation", kText,
                     Align::centre);
      return;
    }
    if (notice) {
      const Rect pill{inner.x, area.y + 1, inner.w, area.h - 3};
      scene.canvas.rounded(pill, pill.h / 2, kPanel);
      scene.canvas.disc({(pill.x + 10) * kOnePixel, (pill.y * 2 + pill.h) * kOnePixel / 2},
                        3 * kOnePixel, accent(State::question));
      scene.pen.line({pill.x + 20, pill.y, pill.w - 30, pill.h}, scene.plan.small, m.notice, kText);
      return;
    }
    Rect rest{inner.x, area.y, inner.w, area.h - 2};
    if (pages > kMaxDots) {
      const Words where = Words()
                              .add(static_cast<std::uint32_t>(page + 1))
                              .add("/")
                              .add(static_cast<std::uint32_t>(pages));
      const int width = text_width(scene.plan.small, where.view());
      scene.pen.line({rest.right() - width, rest.y, width, rest.h}, scene.plan.small, where.view(),
                     kSoft);
      rest.w -= width + 8;
    } else if (pages > 1) {
      const int from = rest.right() - 11 * pages + 5;
      for (int i = 0; i < pages; ++i) {
        scene.canvas.disc({(from + 11 * i) * kOnePixel, (rest.y * 2 + rest.h) * kOnePixel / 2},
                          i == page ? 52 : 40, i == page ? scene.accent : kFaint);
      }
      rest.w -= 11 * pages + 8;
    }
    scene.pen.line(rest, scene.plan.small, hint, kFaint, pages > 1 ? Align::left : Align::centre);
  });
}

void draw_face_cell(Scene& scene, const Rect& area) {
  const Pose pose = pose_of(scene.model, scene.now);
  scene.cell(Slot::face, area, Key().add(fingerprint(pose)),
             [&] { draw_face(scene.canvas, area, pose, scene.accent); });
}

}  // namespace gadget::device::screen
