// scene.hpp - one picture being drawn: the plan of the screen, its cells, and the parts that
// several states share. Used inside device/screen only.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "device/screen/canvas.hpp"
#include "device/screen/face.hpp"
#include "device/screen/model.hpp"
#include "device/screen/palette.hpp"
#include "device/screen/pen.hpp"

namespace gadget::device::screen {

// A hash (FNV-1a) of all that a cell shows.
class Key {
 public:
  Key& add(std::string_view text);
  template <std::integral Number>  // of 32 bits at most
  Key& add(Number number) {
    return mix(static_cast<std::uint32_t>(number));
  }
  [[nodiscard]] std::uint32_t value() const { return hash_; }

 private:
  Key& mix(std::uint32_t number);

  std::uint32_t hash_ = kHashSeed;
};

// A few words put together on the stack; what does not fit is left out, never half a character.
class Words {
 public:
  static constexpr std::size_t kRoom = 112;

  Words& add(std::string_view text);
  Words& add(std::uint32_t number);
  [[nodiscard]] std::string_view view() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, kRoom> buffer_;
  std::size_t size_ = 0;
};

// Where things are, from the size of the canvas alone.
struct Plan {
  bool tiny = false;   // too small for bar and bottom line
  bool round = false;  // nothing in the corners
  int margin = 0;
  int foot_lines = 1;  // of a notice that the bottom line has room for
  Rect bar;
  Rect main;
  Rect foot;
  Font title;
  Font body;
  Font small;
};

[[nodiscard]] Plan plan_of(int width, int height, Shape shape, const FontSet& fonts);

enum class Slot : std::uint8_t { bar, face, side, body, foot, extra, notice };

struct Scene {
  const ScreenModel& model;
  Canvas& canvas;
  Pen pen;
  std::uint64_t now;
  Plan plan;
  Colour accent;
  bool drew = false;  // a cell was drawn in this picture

  // Colours that are there on a panel of black and white too.
  [[nodiscard]] Colour tint(State state) const {
    return model.mono ? kText : screen::accent(state);
  }
  [[nodiscard]] Colour soft() const { return model.mono ? kText : kSoft; }
  [[nodiscard]] Colour faint() const { return model.mono ? kText : kFaint; }

  template <typename Paint>
  void cell(Slot slot, const Rect& area, const Key& key, Paint paint) {
    if (!canvas.begin_cell(static_cast<std::size_t>(slot), area, key.value(), kBackground)) return;
    drew = true;
    paint();
    canvas.end_cell();
  }
};

// Parts. Each draws its own cells. Never inlined: their boxes would all lie on one stack.
[[gnu::noinline]] void draw_bar(Scene& scene, bool with_clock);
// The bottom line: what is being held, else a notice of one line, else the dots of `pages` and a
// hint.
[[gnu::noinline]] void draw_foot(Scene& scene, int page = 0, int pages = 1);
// What the bottom line has no room for, over the lower part of everything else; last: a longer
// notice, and on small or round screens any notice and CANCEL being held. Lines of it; 0: nothing.
[[nodiscard]] int overlay_lines(const ScreenModel& model, const Plan& plan);
[[gnu::noinline]] void draw_overlay(Scene& scene);
// A bar that is `part` of `whole` full.
[[gnu::noinline]] void draw_track(Scene& scene, const Rect& track, std::uint32_t part,
                                  std::uint32_t whole, Colour colour);
[[gnu::noinline]] void draw_face_cell(Scene& scene, const Rect& area);

// States.
[[gnu::noinline]] void draw_big_face(
    Scene& scene);  // boot, setup, offline, connecting, listening, thinking, updating, error, idle
[[gnu::noinline]] void draw_conversation(Scene& scene);  // replying, and ready with a reply
[[gnu::noinline]] void draw_pairing(Scene& scene);
[[gnu::noinline]] void draw_question(Scene& scene);
[[gnu::noinline]] void draw_card(Scene& scene);
[[gnu::noinline]] void draw_image(Scene& scene);
[[gnu::noinline]] void draw_settings(Scene& scene);
[[gnu::noinline]] void draw_pattern(
    Scene& scene);  // settings, while a test pattern is wanted: all of the screen

// The boxes of the texts that have pages.
[[nodiscard]] Rect reply_box(const Plan& plan);
[[nodiscard]] Rect card_box(const Plan& plan, bool titled);
// Pages that `text` has in such a box; at least 1.
[[nodiscard]] std::uint16_t pages_in(const Rect& box, const Font& font, std::string_view text);

}  // namespace gadget::device::screen
