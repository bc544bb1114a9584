// pager.hpp - which page of the reply shows: turned at the pace of reading (which is about that of
// speech), also while the text still streams in, until the person turns one.
//
// Sans-I/O; owned by Gadget, which measures the pages.
#pragma once

#include <cstdint>
#include <string_view>

#include "device/core/limits.hpp"

namespace gadget::device {

class Pager {
 public:
  // The text is another one. `goes_on`: it is the one before, longer.
  void text(bool goes_on);
  // The person turns `by` pages of `pages`; from now on they stay.
  void turn(int by, int pages);
  // Time passes. `reading`: the reply is what shows; only that time counts. Returns whether
  // measured() is to be called now.
  [[nodiscard]] bool tick(Ticks now, bool reading);
  // What the present page says, and whether there is one after it. True: it was turned.
  bool measured(std::string_view page, bool more);

  [[nodiscard]] std::uint16_t page() const { return page_; }

 private:
  enum class Mode : std::uint8_t {
    stale,    // the page is to be measured: its text changed
    waiting,  // there is one after it: until due_ms_ were read
    last,     // there is none
    by_hand,
  };

  void open(std::uint16_t page);

  Mode mode_ = Mode::last;
  std::uint16_t page_ = 0;
  Ticks last_tick_ = 0;
  Ticks read_ms_ = 0;  // of this page
  Ticks due_ms_ = 0;
};

// How long it takes to read `text`.
[[nodiscard]] Ticks reading_ms(std::string_view text);

}  // namespace gadget::device
