#include "device/screen/pen.hpp"

#include <algorithm>

#include "device/screen/layout.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr std::string_view kDots = "...";
// How far a line's accents may reach above it, and its tails below.
constexpr int kOverhang = 4;

}  // namespace

std::uint32_t hash(std::string_view text, std::uint32_t from) {
  for (const char c : text) from = (from ^ static_cast<std::uint8_t>(c)) * kHashPrime;
  return from;
}

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

bool Pen::rows(const Rect& box, const Font& font, std::string_view text, Colour colour, int page,
               Colour background) {
  const int room = std::max(1, box.h / font.height());
  if (box.empty()) return false;
  Lines lines(text, font, box.w);
  Line line;
  for (int skipped = 0; skipped < page * room; ++skipped) {
    if (!lines.next(line)) break;
  }
  Lines again = lines;
  int first = room;
  int last = -1;
  for (int row = 0; row < room; ++row) {
    const std::string_view shown = lines.next(line) ? line.text : std::string_view{};
    if (!canvas_.set_row(static_cast<std::size_t>(row), hash(shown))) continue;
    first = std::min(first, row);
    last = row;
  }
  if (last < first) return false;
  // The neighbours are drawn too: their accents and tails reach into what is cleared.
  const Rect changed{box.x, box.y + first * font.height() - kOverhang, box.w,
                     (last - first + 1) * font.height() + kOverhang};
  const Rect clip = canvas_.set_clip(intersection(changed, canvas_.clip()));
  canvas_.fill(changed, background);
  for (int row = 0; row <= last + 1 && row < room && again.next(line); ++row) {
    if (row < first - 1) continue;
    put(box, box.y + row * font.height(), font, line.text, false, colour, Align::left);
    if (sink_ != nullptr && !line.goes_on && row + 1 < room) sink_->text(" ");
  }
  if (sink_ != nullptr && !text.empty()) sink_->text("\n");
  canvas_.set_clip(clip);
  return true;
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
