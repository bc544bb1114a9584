// scene_text.cpp - the states in which words fill the screen: replies, cards, images, questions,
// pairing, settings.
#include <algorithm>

#include "device/screen/scene.hpp"

namespace gadget::device::screen {
namespace {

// The strip with the small face above a reply.
int strip_height(const Plan& plan) {
  if (plan.tiny || plan.main.h < 140) return 0;
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

}  // namespace

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
  const Rect area = below(plan.main, strip);
  const Rect box = reply_box(plan);
  Shown shown;
  shown.pages = page_count(m, scene.canvas.width(), scene.canvas.height(),
                           {plan.small, plan.body, plan.title});
  shown.page = std::min<int>(m.reply_page, shown.pages - 1);
  scene.cell(Slot::body, area, Key().add(m.reply).add(static_cast<std::uint64_t>(shown.page)),
             [&] { scene.pen.paragraph(box, plan.body, m.reply, kText, Align::left, shown.page); });
  draw_foot(scene, shown.page, shown.pages);
}

void draw_card(Scene& scene) {
  const ScreenModel& m = scene.model;
  const Plan& plan = scene.plan;
  const bool titled = !m.card.title.empty();
  const Rect box = card_box(plan, titled);
  Shown shown;
  shown.pages = page_count(m, scene.canvas.width(), scene.canvas.height(),
                           {plan.small, plan.body, plan.title});
  shown.page = std::min<int>(m.card.page, shown.pages - 1);
  Key key;
  key.add(m.card.title).add(m.card.body).add(static_cast<std::uint64_t>(shown.page));
  scene.cell(Slot::body, plan.main, key, [&] {
    if (!plan.tiny) {
      const Rect bar{plan.margin, plan.main.y + 6, 4, plan.main.h - 12};
      scene.canvas.rounded(bar, 2, scene.accent);
    }
    if (titled) {
      scene.pen.line({box.x, plan.main.y + (plan.tiny ? 0 : 4), box.w, plan.title.height()},
                     plan.title, m.card.title, plan.tiny ? scene.accent : kText);
    }
    scene.pen.paragraph(box, plan.body, m.card.body, titled ? kSoft : kText, Align::left,
                        shown.page);
  });
  draw_foot(scene, shown.page, shown.pages);
}

void draw_image(Scene& scene) {
  const ImageView& image = scene.model.image;
  const Rect main = scene.plan.main;
  Key key;
  key.add(static_cast<std::uint64_t>(image.width)).add(static_cast<std::uint64_t>(image.height));
  key.add(std::uint64_t{image.revision});
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
  const int radius = std::min(area.h / 2, 10);
  if (asleep) {
    scene.canvas.rounded_frame(area, radius, 1, kFaint);
  } else {
    scene.canvas.rounded(area, radius, blend(kBackground, colour, 9));
    scene.canvas.rounded_frame(area, radius, 1, colour);
  }
  const Rect inner = area.inset(8, 0);
  const int key_width = text_width(scene.plan.small, key) + 8;
  const int meaning_width = text_width(scene.plan.body, meaning);
  const int left = inner.x + std::max(0, inner.w - key_width - meaning_width) / 2;
  scene.pen.line({left, inner.y, key_width, inner.h}, scene.plan.small, key,
                 asleep ? kFaint : kSoft);
  scene.pen.line({left + key_width, inner.y, meaning_width, inner.h}, scene.plan.body, meaning,
                 asleep ? kFaint : kText);
}

void draw_time_left(Scene& scene, const Rect& track, std::uint32_t left, std::uint32_t total) {
  scene.canvas.rounded(track, track.h / 2, kPanel);
  const auto width = static_cast<int>(std::uint64_t{std::min(left, total)} *
                                      static_cast<std::uint64_t>(std::max(0, track.w)) / total);
  if (width > 0) {
    scene.canvas.rounded({track.x, track.y, std::max(width, track.h), track.h}, track.h / 2,
                         scene.accent);
  }
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
  key.add(title).add(text).add(q.guard ? 1U : 0U).add(q.seconds_left ? 1ULL + *q.seconds_left : 0U);
  scene.cell(Slot::body, plan.main, key.add(q.seconds_total), [&] {
    const Rect box = plan.main.inset(plan.margin, plan.tiny ? 0 : 4);
    const int button = plan.tiny ? plan.small.height() : 36;
    const int bar = q.seconds_left && !plan.tiny ? plan.small.height() + 4 : 0;
    int y = box.y;
    if (!title.empty()) {
      // A long title gets two lines in smaller letters.
      const bool large = plan.tiny || text_width(plan.title, title) <= box.w;
      const Font& font = large ? plan.title : plan.body;
      const int height = large ? font.height() : 2 * font.height();
      if (large) {
        scene.pen.line({box.x, y, box.w, height}, font, title, scene.accent);
        y += height + (plan.tiny ? 0 : 4);
      } else {
        y += 4 + font.height() * scene.pen
                                     .paragraph({box.x, y, box.w, height}, font, title,
                                                scene.accent, Align::left, 0, true)
                                     .lines;
      }
    }
    const Rect words{box.x, y, box.w, box.bottom() - button - bar - 4 - y};
    scene.pen.paragraph(words, Pen::fitting_font(words, text, plan.body, plan.small), text, kText,
                        Align::left, 0, true);
    if (bar > 0) {
      const Words left = Words().add(*q.seconds_left).add(" s");
      const int width = text_width(plan.small, left.view()) + 8;
      const Rect line{box.x, box.bottom() - button - bar - 2, box.w, plan.small.height()};
      scene.pen.line(line, plan.small, left.view(), kSoft, Align::right);
      if (q.seconds_total > 0) {
        draw_time_left(scene, {line.x, line.y + line.h / 2 - 2, line.w - width, 4}, *q.seconds_left,
                       q.seconds_total);
      }
    }
    const int half = (box.w - plan.margin) / 2;
    const int top = box.bottom() - button;
    draw_button(scene, {box.x, top, half, button}, plan.tiny ? "" : m.talk_button, "Yes",
                accent(State::ready), q.guard);
    draw_button(scene, {box.right() - half, top, half, button}, plan.tiny ? "" : m.cancel_button,
                "No", accent(State::error), q.guard);
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
      scene.pen.line({right.x, y, right.w, plan.body.height()}, plan.body, "Nice to meet you",
                     scene.accent);
      const Words text =
          Words().add("Please approve me on ").add(m.hub.empty() ? "the hub" : m.hub);
      scene.pen.paragraph({right.x, y + plan.body.height(), right.w, 2 * plan.small.height()},
                          plan.small, text.view(), kSoft, Align::left, 0, true);
    });
  }
  const Rect area = below(plan.main, strip);
  Key key;
  key.add(m.pairing_code).add(m.pairing_command).add(m.status);
  scene.cell(Slot::body, area, key, [&] {
    const Rect box = area.inset(plan.margin, plan.tiny ? 0 : 4);
    if (m.pairing_code.empty()) {
      scene.pen.paragraph(box, plan.body, m.status.empty() ? "Waiting for approval" : m.status,
                          kText, Align::centre, 0, true);
      return;
    }
    const Rect code{box.x, box.y, box.w, plan.title.height() + (plan.tiny ? 0 : 16)};
    if (!plan.tiny) scene.canvas.rounded(code, 10, kPanel);
    scene.pen.line(code, plan.title, m.pairing_code, kText, Align::centre);
    const int y = code.bottom() + (plan.tiny ? 0 : 8);
    scene.pen.paragraph({box.x, y, box.w, box.bottom() - y}, plan.small, m.pairing_command, kSoft,
                        Align::left, 0, true);
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
  key.add(static_cast<std::uint64_t>(chosen)).add(static_cast<std::uint64_t>(count));
  for (int i = first; i < std::min(count, first + rows); ++i) {
    const SettingView& setting = m.settings[static_cast<std::size_t>(i)];
    key.add(setting.label).add(setting.value);
  }
  scene.cell(Slot::body, plan.main, key, [&] {
    int y = plan.main.y;
    for (int i = first; i < std::min(count, first + rows); ++i) {
      const SettingView& setting = m.settings[static_cast<std::size_t>(i)];
      const Rect line{plan.main.x + plan.margin / 2, y, plan.main.w - plan.margin, row};
      const bool here = i == chosen;
      if (here) scene.canvas.rounded(line.inset(0, 1), plan.tiny ? 2 : 8, kPanel);
      const Rect inner = line.inset(plan.margin / 2 + 2, 0);
      const int used = scene.pen.line({inner.x, y, inner.w * 6 / 10, row}, plan.body, setting.label,
                                      here ? kText : kSoft);
      scene.pen.line({inner.x + used + 8, y, inner.w - used - 8, row}, plan.body, setting.value,
                     here ? accent(State::ready) : kFaint, Align::right);
      y += row;
    }
  });
  draw_foot(scene);
}

}  // namespace gadget::device::screen
