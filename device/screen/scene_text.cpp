// scene_text.cpp - the states in which words fill the screen: replies, cards, images, questions,
// pairing, settings.
#include <algorithm>

#include "device/screen/layout.hpp"
#include "device/screen/scene.hpp"

namespace gadget::device::screen {
namespace {

// Below so many pixels of height there is no room for the larger forms of things.
constexpr int kFlat = 110;

// The strip with the small face above a reply.
int strip_height(const Plan& plan) {
  if (plan.tiny || plan.main.h < 150) return 0;
  return std::max(56, plan.main.h * 3 / 10);
}

Rect below(const Rect& area, int height) {
  return {area.x, area.y + height, area.w, area.h - height};
}

// The small face at the left of the strip; returns what is right of it.
Rect draw_strip_face(Scene& scene, const Rect& strip) {
  const int width = strip.h * 13 / 10 + 2 * scene.plan.margin;
  draw_face_cell(scene, Rect{strip.x, strip.y, width, strip.h}.inset(scene.plan.margin / 2, 2));
  return {strip.x + width, strip.y, strip.w - width - scene.plan.margin, strip.h};
}

// Which page of how many. They are counted again only when the text is another one.
Shown shown_of(Scene& scene, const Rect& box, std::string_view text, int page) {
  Key key;
  key.add(text).add(box.w).add(box.h);
  Shown shown;
  shown.pages = scene.canvas.noted(key.value());
  if (shown.pages == 0) {
    shown.pages = pages_in(box, scene.plan.body, text);
    scene.canvas.note(key.value(), shown.pages);
  }
  shown.page = std::min(page, shown.pages - 1);
  return shown;
}

}  // namespace

std::uint16_t pages_in(const Rect& box, const Font& font, std::string_view text) {
  if (box.empty()) return 1;
  const int pages = count_pages(text, font, box.w, std::max(1, box.h / font.height()));
  return static_cast<std::uint16_t>(std::min<int>(pages, kLastPage));
}

Rect reply_box(const Plan& plan) {
  return below(plan.main, strip_height(plan)).inset(plan.margin, 2);
}

Rect card_box(const Plan& plan, bool titled) {
  const int title = titled ? plan.title.height() + (plan.tiny ? 0 : 6) : 0;
  Rect box = below(plan.main, title).inset(plan.margin, plan.tiny ? 0 : 4);
  if (!plan.tiny) {  // the accent bar at the left
    box.x += 10;
    box.w -= 10;
  }
  return box;
}

void draw_conversation(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const int strip = strip_height(plan);
  if (strip > 0) {
    const Rect right = draw_strip_face(scene, {plan.main.x, plan.main.y, plan.main.w, strip});
    scene.cell(Slot::side, right, Key().add(m.transcript).add(m.status), [&] {
      const int line = plan.small.height();
      const int status = m.status.empty() ? 0 : line;
      const int lines = std::max(1, (right.h - 8 - status) / line);
      Rect box{right.x, right.y + 4, right.w, lines * line};
      const Shown shown =
          scene.pen.paragraph(box, plan.small, m.transcript, kSoft, Align::left, 0, true);
      if (status == 0) return;
      box = {right.x, box.y + std::min(shown.lines, lines) * line, right.w, line};
      scene.pen.line(box, plan.small, m.status, scene.accent);
    });
  }
  const Rect box = reply_box(plan);
  const Shown shown = shown_of(scene, box, m.reply, m.reply_page);
  if (scene.pen.rows(box, plan.body, m.reply, kText, shown.page, kBackground)) scene.drew = true;
  draw_foot(scene, shown.page, shown.pages);
}

void draw_card(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const bool titled = !m.card.title.empty();
  const Rect box = card_box(plan, titled);
  const Shown shown = shown_of(scene, box, m.card.body, m.card.page);
  Key key;
  key.add(m.card.title).add(m.card.body).add(shown.page);
  scene.cell(Slot::body, plan.main, key, [&] {
    if (!plan.tiny) {
      const Rect bar{plan.main.x + plan.margin, plan.main.y + 6, 4, plan.main.h - 12};
      scene.canvas.rounded(bar, 2, scene.accent);
    }
    if (titled) {
      scene.pen.line({box.x, plan.main.y + (plan.tiny ? 0 : 4), box.w, plan.title.height()},
                     Pen::one_line_font(box.w, m.card.title, plan.title, plan.body), m.card.title,
                     plan.tiny ? scene.accent : kText);
      if (plan.tiny && m.mono) scene.canvas.fill({box.x, box.y - 1, box.w, 1}, kText);
    }
    scene.pen.paragraph(box, plan.body, m.card.body, titled ? scene.soft() : kText, Align::left,
                        shown.page);
  });
  draw_foot(scene, shown.page, shown.pages);
}

void draw_image(Scene& scene) {
  const ImageView& image = scene.model.image;
  const Rect main = scene.plan.main;
  Key key;
  key.add(image.width).add(image.height);
  key.add(image.revision);
  scene.cell(Slot::body, main, key, [&] {
    scene.canvas.image(main.x + (main.w - std::clamp(image.width, 0, kMaxSide)) / 2,
                       main.y + (main.h - std::clamp(image.height, 0, kMaxSide)) / 2, image.width,
                       image.height, image.pixels);
  });
  draw_foot(scene);
}

namespace {

void draw_button(Scene& scene, const Rect& area, std::string_view key, std::string_view meaning,
                 Colour colour, bool asleep) {
  const int radius = std::min(area.h / 2, scene.plan.tiny ? 4 : 10);
  if (asleep) {
    scene.canvas.rounded_frame(area, radius, 1, kFaint);
  } else {
    scene.canvas.rounded(area, radius, blend(kBackground, colour, scene.model.mono ? 0 : 9));
    scene.canvas.rounded_frame(area, radius, 1, colour);
  }
  const Rect inner = area.inset(scene.plan.tiny ? 2 : 8, 0);
  const int meaning_width = text_width(scene.plan.body, meaning);
  int key_width = key.empty() ? 0 : text_width(scene.plan.small, key) + 8;
  if (key_width + meaning_width > inner.w) key_width = 0;  // what it means counts
  const int left = inner.x + std::max(0, inner.w - key_width - meaning_width) / 2;
  if (key_width > 0) {
    scene.pen.line({left, inner.y, key_width, inner.h}, scene.plan.small, key,
                   asleep ? kFaint : scene.soft());
  }
  scene.pen.line({left + key_width, inner.y, meaning_width, inner.h}, scene.plan.body, meaning,
                 asleep ? kFaint : kText);
}

}  // namespace

void draw_question(Scene& scene) {
  const ScreenModel& m = scene.model;
  const QuestionView& q = m.question;
  const Plan& plan = scene.plan;
  Words hub;
  hub.add("This hub does not know me. Send my key again?");
  if (!m.hub.empty()) hub.add(" (").add(m.hub).add(")");
  const std::string_view own_text = q.reenrol ? hub.view() : std::string_view{};
  const std::string_view text = q.text.empty() ? own_text : q.text;
  const std::string_view title = !q.title.empty() ? q.title
                                 : q.reenrol      ? std::string_view("Is this your hub?")
                                                  : std::string_view{};
  Key key;
  key.add(title).add(text).add(q.guard ? 1U : 0U).add(q.seconds_left ? 1U + *q.seconds_left : 0U);
  scene.cell(Slot::body, plan.main, key.add(q.seconds_total), [&] {
    const Rect box = plan.main.inset(plan.margin, plan.tiny ? 0 : 4);
    const bool flat = plan.tiny || plan.main.h < kFlat;
    const int button = flat                ? plan.small.height() + (plan.tiny ? 2 : 6)
                       : plan.main.h < 150 ? 26
                                           : 36;
    const int bar = q.seconds_left && !flat ? plan.small.height() + 4 : 0;
    int y = box.y;
    if (!title.empty()) {
      // A long title gets two lines in smaller letters.
      const bool large = text_width(plan.title, title) <= box.w;
      const Font& font = large  ? plan.title
                         : flat ? Pen::one_line_font(box.w, title, plan.body, plan.small)
                                : plan.body;
      const int height = large ? font.height() : 2 * font.height();
      if (large) {
        scene.pen.line({box.x, y, box.w, height}, font, title, scene.accent);
        y += height + (flat ? 0 : 4);
      } else {
        y += (flat ? 1 : 4) + font.height() * scene.pen
                                                  .paragraph({box.x, y, box.w, height}, font, title,
                                                             scene.accent, Align::left, 0, true)
                                                  .lines;
      }
    }
    const Rect words{box.x, y, box.w, box.bottom() - button - bar - 4 - y};
    scene.pen.paragraph(words, Pen::fitting_font(words, text, plan.body, plan.small), text, kText,
                        Align::left, 0, true);
    if (bar > 0) {
      Words left;
      left.add(*q.seconds_left).add(" s");
      const int width = text_width(plan.small, left.view()) + 8;
      const Rect line{box.x, box.bottom() - button - bar - 2, box.w, plan.small.height()};
      scene.pen.line(line, plan.small, left.view(), scene.soft(), Align::right);
      if (q.seconds_total > 0) {
        const int high = m.mono ? 6 : 4;
        draw_track(scene, {line.x, line.y + line.h / 2 - high / 2, line.w - width, high},
                   *q.seconds_left, q.seconds_total, scene.accent);
      }
    }
    const int top = box.bottom() - button;
    // On a flat screen the time left stands between the buttons.
    const int between = flat && q.seconds_left ? text_width(plan.small, "000 s") : 0;
    if (q.guard && m.mono) {
      scene.pen.line({box.x, top, box.w, button}, plan.small, "One moment", kText, Align::centre);
      return;
    }
    if (between > 0) {
      Words left;
      scene.pen.line({box.x, top, box.w, button}, plan.small,
                     left.add(*q.seconds_left).add(" s").view(), scene.soft(), Align::centre);
    }
    const int half = (box.w - std::max(plan.margin, between)) / 2;
    draw_button(scene, {box.x, top, half, button}, flat ? "" : m.talk_button, "Yes",
                scene.tint(State::ready), q.guard);
    if (m.cancel_button.empty()) return;
    draw_button(scene, {box.right() - half, top, half, button}, flat ? "" : m.cancel_button, "No",
                scene.tint(State::error), q.guard);
  });
  draw_foot(scene);
}

void draw_pairing(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const int strip = strip_height(plan);
  if (strip > 0) {
    const Rect right = draw_strip_face(scene, {plan.main.x, plan.main.y, plan.main.w, strip});
    scene.cell(Slot::side, right, Key().add(m.hub), [&] {
      const int lines = plan.body.height() + 2 * plan.small.height();
      const int y = right.y + std::max(0, (right.h - lines) / 2);
      constexpr std::string_view kWelcome = "Nice to meet you";
      scene.pen.line({right.x, y, right.w, plan.body.height()},
                     Pen::one_line_font(right.w, kWelcome, plan.body, plan.small), kWelcome,
                     scene.accent);
      Words text;
      text.add("Please approve me on ").add(m.hub.empty() ? "the hub" : m.hub);
      scene.pen.paragraph({right.x, y + plan.body.height(), right.w, 2 * plan.small.height()},
                          plan.small, text.view(), kSoft, Align::left, 0, true);
    });
  }
  const Rect area = below(plan.main, strip);
  Key key;
  key.add(m.pairing_code).add(m.pairing_command).add(m.status).add(m.device_id);
  scene.cell(Slot::body, area, key, [&] {
    const Rect box = area.inset(plan.margin, plan.tiny ? 0 : 4);
    if (m.pairing_code.empty()) {
      scene.pen.paragraph(box, plan.body, m.status.empty() ? "Waiting for approval" : m.status,
                          kText, Align::centre, 0, true);
      return;
    }
    const Rect code{box.x, box.y, box.w, plan.title.height() + (plan.tiny ? 0 : 16)};
    if (!plan.tiny) scene.canvas.rounded(code, 10, kPanel);
    scene.pen.line(code, Pen::one_line_font(code.w, m.pairing_code, plan.title, plan.body),
                   m.pairing_code, kText, Align::centre);
    const int y = code.bottom() + (plan.tiny ? 2 : 8);
    // The bottom line has the id (E14); without one it stands here.
    const int id = plan.tiny ? plan.small.height() : 0;
    scene.pen.line({box.x, box.bottom() - id, box.w, id}, plan.small, m.device_id, scene.soft());
    scene.pen.paragraph({box.x, y, box.w, box.bottom() - id - y}, plan.small, m.pairing_command,
                        scene.soft(), Align::left, 0, true);
  });
  draw_foot(scene);
}

void draw_settings(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const int row = plan.tiny ? plan.small.height() : plan.body.height() + 8;
  const auto count = static_cast<int>(std::min<std::size_t>(m.settings.size(), 0xFFFF));
  const int rows = std::max(1, plan.main.h / row);
  const int chosen = std::clamp<int>(m.setting_chosen, 0, std::max(0, count - 1));
  const int first = std::clamp(chosen - rows / 2, 0, std::max(0, count - rows));
  Key key;
  key.add(chosen).add(count);
  for (int i = first; i < std::min(count, first + rows); ++i) {
    const SettingView& setting = m.settings[static_cast<std::size_t>(i)];
    key.add(setting.label).add(setting.value);
  }
  const Colour ground = m.mono ? kText : kPanel;
  const Colour chosen_text = m.mono ? kBackground : kText;
  scene.cell(Slot::body, plan.main, key, [&] {
    int y = plan.main.y;
    for (int i = first; i < std::min(count, first + rows); ++i) {
      const SettingView& setting = m.settings[static_cast<std::size_t>(i)];
      const Rect line{plan.main.x + plan.margin / 2, y, plan.main.w - plan.margin, row};
      const bool here = i == chosen;
      // On black and white the chosen row is black on white.
      if (here) scene.canvas.rounded(line.inset(0, m.mono ? 0 : 1), plan.tiny ? 2 : 8, ground);
      const Rect inner = line.inset(plan.margin / 2 + 2, 0);
      // The label has more than half of the row, or what the value leaves of it.
      const int value = text_width(plan.body, setting.value);
      const Rect label{inner.x, y, std::max(inner.w * 6 / 10, inner.w - value - 8), row};
      const int used =
          scene.pen.line(label, plan.body, setting.label, here ? chosen_text : scene.soft()) + 8;
      scene.pen.line({inner.x + used, y, inner.w - used, row},
                     Pen::one_line_font(inner.w - used, setting.value, plan.body, plan.small),
                     setting.value,
                     !here    ? scene.faint()
                     : m.mono ? kBackground
                              : accent(State::ready),
                     Align::right);
      y += row;
    }
  });
  draw_foot(scene);
}

}  // namespace gadget::device::screen
