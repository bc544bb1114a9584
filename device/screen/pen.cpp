#include "device/screen/pen.hpp"

#include <algorithm>

#include "device/screen/layout.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr std::string_view kDots = "...";

}  // namespace

void Pen::put(const Rect& box, int y, const Font& font, std::string_view text, bool dots,
              Colour colour, Align align) {
  const int dots_width = dots ? text_width(font, kDots) : 0;
  if (dots) text = part(text, 0, fitting(font, text, box.w - dots_width));
  const int width = text_width(font, text);
  const int spare = box.w - width - dots_width;
  int x = box.x;
  if (align == Align::centre) x += spare / 2;
  if (align == Align::right) x += spare;
  draw_text(canvas_, font, x, y, text, colour);
  if (dots) draw_text(canvas_, font, x + width, y, kDots, colour);
  if (sink_ != nullptr) {
    sink_->text(text);
    if (dots) sink_->text(kDots);
  }
}

int Pen::line(const Rect& box, const Font& font, std::string_view text, Colour colour,
              Align align) {
  if (text.empty() || box.empty()) return 0;
  // Only what can be seen has to be measured: a hostile text may be long.
  const std::size_t fits = fitting(font, text, box.w);
  // Capitals in the middle, so that text stands beside symbols as the eye expects.
  const int y = box.y + (box.h + font.capital()) / 2 - font.ascent();
  put(box, y, font, fits < text.size() ? text : part(text, 0, fits), fits < text.size(), colour,
      align);
  if (sink_ != nullptr) sink_->text("\n");
  return fits < text.size() ? box.w : text_width(font, text);
}

Shown Pen::paragraph(const Rect& box, const Font& font, std::string_view text, Colour colour,
                     Align align, int page, bool dots) {
  const int lines_a_page = std::max(1, box.h / font.height());
  Shown shown;
  if (text.empty() || box.empty()) return shown;
  shown.pages = count_pages(text, font, box.w, lines_a_page);
  shown.page = std::clamp(page, 0, shown.pages - 1);
  shown.lines = lines_from(shown.page * lines_a_page, box, font, text, dots && shown.pages > 1,
                           colour, align);
  return shown;
}

void Pen::tail(const Rect& box, const Font& font, std::string_view text, Colour colour,
               Align align) {
  if (text.empty() || box.empty()) return;
  const int lines = count_lines(text, font, box.w);
  lines_from(std::max(0, lines - std::max(1, box.h / font.height())), box, font, text, false,
             colour, align);
}

const Font& Pen::fitting_font(const Rect& box, std::string_view text, const Font& font,
                              const Font& smaller) {
  const int room = std::max(1, box.h / font.height());
  return count_lines(text, font, box.w, room + 1) <= room ? font : smaller;
}

int Pen::lines_in(const Rect& box, const Font& font, std::string_view text) {
  return count_lines(text, font, box.w, std::max(1, box.h / font.height()));
}

int Pen::lines_from(int first, const Rect& box, const Font& font, std::string_view text, bool dots,
                    Colour colour, Align align) {
  const int room = std::max(1, box.h / font.height());
  Lines lines(text, font, box.w);
  Line line;
  for (int skipped = 0; skipped < first; ++skipped) {
    if (!lines.next(line)) return 0;
  }
  int shown = 0;
  while (shown < room && lines.next(line)) {
    ++shown;
    const bool last = shown == room;
    put(box, box.y + (shown - 1) * font.height(), font, line.text, dots && last, colour, align);
    if (sink_ != nullptr && !line.goes_on && !last) sink_->text(" ");
  }
  if (sink_ != nullptr) sink_->text("\n");
  return shown;
}

}  // namespace gadget::device::screen
