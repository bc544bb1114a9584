// scene_face.cpp - the states in which the face fills the screen, a few words below it.
#include <algorithm>

#include "device/screen/scene.hpp"

namespace gadget::device::screen {
namespace {

constexpr int kLevelSteps = 12;  // of the level meter; each is one more picture

// How high a face may be in `area`: on square screens it leaves air at the sides.
int face_size(const Rect& area) { return std::min(area.h, area.w * 45 / 100); }

Rect face_box(const Rect& area) {
  const int size = face_size(area);
  return {area.x, area.y + (area.h - size) / 2, area.w, size};
}

// Sound that comes to both ears: three arcs a side, lit one after the other by the level.
void draw_waves(Scene& scene, const Rect& area, int level) {
  constexpr int kArcs = 3;
  const int size = face_size(area);
  const Point centre{(area.x + area.w / 2) * kOnePixel, (area.y + area.h / 2) * kOnePixel};
  for (const bool right : {false, true}) {
    const int reach = area.w / 2 - size * 6 / 10;
    scene.canvas.set_clip(
        intersection(area, {right ? area.right() - reach : area.x, area.y, reach, area.h}));
    for (int i = 0; i < kArcs; ++i) {
      const int lit = std::clamp(level - i * kLevelSteps / kArcs, 0, kLevelSteps / kArcs);
      const Colour colour = blend(scene.model.mono ? kBackground : kPanel, scene.accent,
                                  static_cast<unsigned>(lit) * kOpaque * kArcs / kLevelSteps);
      scene.canvas.arc(centre, size * (80 + 19 * i) / 100 * kOnePixel,
                       std::max(2, size / 18) * kOnePixel, (right ? 256 : 768) - 84, 168, colour);
    }
  }
  scene.canvas.set_clip(area);
}

// Sleep, in letters that drift away.
void draw_sleep(Scene& scene, const Rect& area, unsigned step) {
  const int size = face_size(area);
  if (size < 60) return;
  for (unsigned i = 0; i < step; ++i) {
    const int by = static_cast<int>(i);
    draw_text(scene.canvas, i == 2 ? scene.plan.body : scene.plan.small,
              area.x + area.w / 2 + size * (60 + 13 * by) / 100,
              area.y + area.h / 2 - size * (10 + 16 * by) / 100, "z", kSoft);
  }
}

void draw_face_with_extras(Scene& scene, const Rect& area) {
  const ScreenModel& m = scene.model;
  const Pose pose = pose_of(m, scene.now);
  const int level = m.mic_level * kLevelSteps / 255;
  const auto sleep = static_cast<unsigned>(scene.now / 900 % 4);
  Key key;
  key.add(fingerprint(pose));
  if (m.state == State::listening) key.add(level);
  if (m.state == State::offline) key.add(sleep);
  scene.cell(Slot::face, area, key, [&] {
    if (m.state == State::listening) draw_waves(scene, area, level);
    if (m.state == State::offline) draw_sleep(scene, area, sleep);
    draw_face(scene.canvas, face_box(area), pose, scene.accent);
  });
}

// Three dots that take turns: something is going on.
void draw_busy(Scene& scene, const Rect& area) {
  const auto step = static_cast<int>(scene.now / 220 % 4);
  scene.cell(Slot::extra, area, Key().add(step), [&] {
    const int gap = std::max(6, area.h + 2);
    for (int i = 0; i < 3; ++i) {
      scene.canvas.disc({(area.x + area.w / 2 + (i - 1) * gap) * kOnePixel,
                         (area.y * 2 + area.h) * kOnePixel / 2},
                        std::min(area.h / 2, 4) * kOnePixel - 8,
                        i == step          ? scene.accent
                        : scene.model.mono ? kFaint
                                           : kPanel);
    }
  });
}

struct Caption {
  std::string_view heading;
  std::string_view text;
  bool text_first = false;  // the text is what counts: brighter and larger
  bool quoted = false;
  bool end = false;  // show the end of a text that is too long
};

Caption caption_of(const ScreenModel& m) {
  const auto or_else = [](std::string_view text, std::string_view other) {
    return text.empty() ? other : text;
  };
  switch (m.state) {
    case State::boot: return {or_else(m.device_name, "Hello"), or_else(m.status, "Starting")};
    case State::setup: return {"Let us set things up", or_else(m.status, "Waiting for settings")};
    case State::offline:
      return {"No network", or_else(m.status, "I will be back as soon as there is one.")};
    case State::connecting: return {"Looking for my hub", or_else(m.status, m.hub)};
    case State::listening: return {"Listening", or_else(m.transcript, m.status), true, false, true};
    case State::thinking: return {or_else(m.status, "Thinking"), m.transcript, false, true, true};
    case State::error: return {"Something is wrong", m.error, true};
    default: return {};
  }
}

void draw_caption(Scene& scene, const Rect& area, const Caption& caption) {
  scene.cell(Slot::body, area, Key().add(caption.heading).add(caption.text), [&] {
    const Rect box = area.inset(scene.plan.margin, 0);
    if (scene.plan.tiny) {
      const std::string_view text = caption.text.empty() ? caption.heading : caption.text;
      if (caption.end) {
        scene.pen.tail(box, scene.plan.small, text, kText, Align::centre);
      } else {
        scene.pen.paragraph(box, scene.plan.small, text, kText, Align::centre, 0, true);
      }
      return;
    }
    // Quotes only around what fits into the words put together: a long text goes without.
    Words quoted;
    std::string_view text = caption.text;
    if (caption.quoted && !text.empty() && text.size() + 2 <= Words::kRoom) {
      text = quoted.add("\"").add(text).add("\"").view();
    }
    const Colour colour = caption.text_first ? kText : kSoft;
    const int line = scene.plan.body.height();
    Rect rest{box.x, box.y + line + 3, box.w, box.h - line - 3};
    const Font& font = caption.text_first && !caption.end
                           ? Pen::fitting_font(rest, text, scene.plan.body, scene.plan.small)
                       : caption.text_first ? scene.plan.body
                                            : scene.plan.small;
    const int lines = text.empty() ? 0 : Pen::lines_in(rest, font, text);
    const int spare = std::max(0, rest.h - lines * font.height()) / 3;
    rest.y += spare;
    rest.h -= spare;
    scene.pen.line({box.x, box.y + spare, box.w, line},
                   Pen::one_line_font(box.w, caption.heading, scene.plan.body, scene.plan.small),
                   caption.heading, scene.accent, Align::centre);
    if (caption.end) {
      scene.pen.tail(rest, font, text, colour, Align::centre);
    } else {
      scene.pen.paragraph(rest, font, text, colour, Align::centre, 0, true);
    }
  });
}

// Idle: the time, large, for whoever looks up from work.
void draw_idle(Scene& scene, const Rect& area) {
  const ScreenModel& m = scene.model;
  if (!scene.plan.tiny && overlay_lines(m, scene.plan) > 0) return;  // it covers this place
  const std::string_view large = m.clock.empty() ? "Ready" : m.clock;
  scene.cell(Slot::body, area, Key().add(large).add(m.status), [&] {
    const Rect box = area.inset(scene.plan.margin, 0);
    if (scene.plan.tiny) {
      scene.pen.line(box, scene.plan.title, large, kText, Align::centre);
      return;
    }
    const int line = scene.plan.title.height();
    const int spare = m.status.empty() ? (box.h - line) / 2 : 0;
    scene.pen.line({box.x, box.y + spare, box.w, line}, scene.plan.title, large, kText,
                   Align::centre);
    scene.pen.paragraph({box.x, box.y + line, box.w, box.h - line}, scene.plan.small, m.status,
                        kSoft, Align::centre, 0, true);
  });
}

void draw_update(Scene& scene, const Rect& area) {
  const ScreenModel& m = scene.model;
  const auto percent = std::min<std::uint32_t>(m.update_percent, 100);
  scene.cell(Slot::body, area, Key().add(m.update_version).add(m.status).add(percent), [&] {
    const Rect box = area.inset(scene.plan.margin, 0);
    const int line = scene.plan.body.height();
    Words heading;
    heading.add("Updating");
    if (!m.update_version.empty()) heading.add(" to ").add(m.update_version);
    scene.pen.line({box.x, box.y, box.w, line}, scene.plan.body, heading.view(), scene.accent,
                   Align::centre);
    const int number_width = text_width(scene.plan.small, "100 %") + 6;
    const Rect track{box.x, box.y + line + (scene.plan.tiny ? 1 : 6), box.w - number_width, 8};
    draw_track(scene, track, percent, 100, scene.accent);
    scene.pen.line({track.right(), track.y - 2, number_width, 12}, scene.plan.small,
                   Words().add(percent).add(" %").view(), kText, Align::right);
    const std::string_view text = m.status.empty() ? "Please leave me switched on." : m.status;
    const Rect rest{box.x, track.bottom() + 6, box.w, box.bottom() - track.bottom() - 6};
    if (rest.h >= scene.plan.small.height()) {
      scene.pen.paragraph(rest, scene.plan.small, text, kSoft, Align::centre, 0, true);
    }
  });
}

}  // namespace

void draw_big_face(Scene& scene) {
  const Plan& plan = scene.plan;
  const Rect main = plan.main;
  const State state = scene.model.state;
  // A heading and two lines of text, or the clock alone; the face takes the rest, at least half.
  const int needed = state == State::ready ? plan.title.height() + plan.small.height()
                                           : 3 * plan.body.height() + 6;
  const int words = plan.tiny
                        ? std::max(1, main.h * 35 / 100 / plan.small.height()) * plan.small.height()
                        : std::min(main.h / 2, needed);
  const Rect face{main.x, main.y, main.w, main.h - words};
  const Rect caption{main.x, face.bottom(), main.w, words};
  const bool busy = (state == State::connecting || state == State::thinking) && !plan.tiny;
  const int dots = busy ? 12 : 0;
  draw_face_with_extras(scene, {face.x, face.y, face.w, face.h - dots - plan.margin / 2});
  if (busy) draw_busy(scene, {main.x + main.w / 2 - 24, face.bottom() - dots - 2, 48, 8});
  if (state == State::ready) {
    draw_idle(scene, caption);
  } else if (state == State::updating) {
    draw_update(scene, caption);
  } else {
    draw_caption(scene, caption, caption_of(scene.model));
  }
  draw_foot(scene);
}

}  // namespace gadget::device::screen
