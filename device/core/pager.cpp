#include "device/core/pager.hpp"

#include <algorithm>
#include <limits>

namespace gadget::device {
namespace {

constexpr std::uint16_t kMostPages = std::numeric_limits<std::uint16_t>::max() - 1;

}  // namespace

Ticks reading_ms(std::string_view text) {
  // The first byte of a character tells alphabets (up to two bytes) from ideographs and kana.
  Ticks ms = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    ms += byte < 0xE0 ? kReadLetterMs : kReadIdeographMs;
  }
  return std::max(ms, kReadPageMs);
}

void Pager::open(std::uint16_t page) {
  page_ = page;
  read_ms_ = 0;
  mode_ = Mode::stale;
}

void Pager::text(bool goes_on) {
  if (!goes_on) {
    open(0);
  } else if (mode_ != Mode::by_hand) {
    mode_ = Mode::stale;
  }
}

void Pager::turn(int by, int pages) {
  const int most = std::clamp<int>(pages - 1, 0, kMostPages);
  page_ = static_cast<std::uint16_t>(std::clamp(std::min<int>(page_, most) + by, 0, most));
  mode_ = Mode::by_hand;
}

bool Pager::tick(Ticks now, bool reading) {
  if (reading) read_ms_ += now - last_tick_;
  last_tick_ = now;
  return reading && (mode_ == Mode::stale || (mode_ == Mode::waiting && read_ms_ >= due_ms_));
}

bool Pager::measured(std::string_view page, bool more) {
  if (mode_ == Mode::by_hand) return false;
  mode_ = more ? Mode::waiting : Mode::last;
  due_ms_ = reading_ms(page);
  if (!more || read_ms_ < due_ms_ || page_ >= kMostPages) return false;
  open(static_cast<std::uint16_t>(page_ + 1));
  return true;
}

}  // namespace gadget::device
