// pen.hpp - how the pictures put text on a canvas: one line, centred, cut with dots, wrapped in a
// box; and a copy of what was written for whoever asks what is to be read. Used inside
// device/screen only.
#pragma once

#include <cstdint>
#include <string_view>

#include "device/screen/canvas.hpp"
#include "device/screen/font.hpp"

namespace gadget::device::screen {

// FNV-1a, going on from `from`: what tells pictures apart.
inline constexpr std::uint32_t kHashSeed = 2166136261U;
inline constexpr std::uint32_t kHashPrime = 16777619U;
[[nodiscard]] std::uint32_t hash(std::string_view text, std::uint32_t from = kHashSeed);

// Takes the text of a picture in the order in which it is drawn.
class TextSink {
 public:
  virtual void text(std::string_view piece) = 0;

 protected:
  ~TextSink() = default;
};

enum class Align : std::uint8_t { left, centre, right };

// What a wrapped text showed.
struct Shown {
  int lines = 0;  // on this page
  int page = 0;   // from 0
  int pages = 1;
};

class Pen {
 public:
  Pen(Canvas& canvas, TextSink* sink) : canvas_(canvas), sink_(sink) {}

  // One line in `box`, in the middle of its height, cut with "..." when it is too long. Returns the
  // width drawn.
  int line(const Rect& box, const Font& font, std::string_view text, Colour colour,
           Align align = Align::left);

  // Page `page` (or the last) of `text`, wrapped, from the top of `box`. With `dots`, a text that
  // has more than one page is cut after the first with "...".
  Shown paragraph(const Rect& box, const Font& font, std::string_view text, Colour colour,
                  Align align = Align::left, int page = 0, bool dots = false);

  // The same, page `page` from the top of `box`, drawing only the rows that changed since the last
  // time; for the one text of a picture that grows while it is read. True: something was drawn.
  bool rows(const Rect& box, const Font& font, std::string_view text, Colour colour, int page,
            Colour background);

  // The last lines of `text` that fit in `box`: for a text that grows while it is read.
  void tail(const Rect& box, const Font& font, std::string_view text, Colour colour, Align align);

  // `font` when all of `text` fits in `box` with it, else `smaller`.
  [[nodiscard]] static const Font& fitting_font(const Rect& box, std::string_view text,
                                                const Font& font, const Font& smaller);

  // `font` when `text` fits in one line of `width` with it, else `smaller`.
  [[nodiscard]] static const Font& one_line_font(int width, std::string_view text, const Font& font,
                                                 const Font& smaller) {
    return fitting(font, text, width) == text.size() ? font : smaller;
  }

  // Lines that `text` takes in `box`, at most as many as fit.
  [[nodiscard]] static int lines_in(const Rect& box, const Font& font, std::string_view text);

 private:
  int lines_from(int first, const Rect& box, const Font& font, std::string_view text, bool dots,
                 Colour colour, Align align);
  void put(const Rect& box, int y, const Font& font, std::string_view text, bool dots,
           Colour colour, Align align);

  Canvas& canvas_;
  TextSink* sink_;
};

}  // namespace gadget::device::screen
