// waiting.hpp - what must hold of texts and events that a person or a board says while there is no
// hub (limits.hpp, E40, E42): they keep their order, come once, not too late, and not after they
// were withdrawn; none is lost without being counted. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "device/core/limits.hpp"
#include "device/model/verdict.hpp"

namespace gadget::device::model {

class Waiting {
 public:
  enum class Kind : std::uint8_t { text, event };
  struct Lost {
    std::uint32_t texts = 0, events = 0;
  };

  explicit Waiting(Verdict& verdict) : verdict_(verdict) {}

  // A call of the gadget begins.
  void begin(Millis now) {
    now_ = now;
    sent_late_ = 0;
    said_.clear();
  }
  // In this call it is said, for the first time: `mark` makes it different from all others.
  void tell(Kind kind, std::string mark) {
    kind_ = kind;
    said_ = std::move(mark);
    sent_ = false;
  }
  // What came of it: the gadget says that it took it.
  void told(bool taken);

  // The gadget sends a text, or an event by its name; `taken` by the link. `paired`: E40.
  void says(Kind kind, std::string_view what, bool taken, bool paired);

  // The person withdrew what was typed: for certain, or maybe.
  void withdraw_texts(bool certain);
  // The power went, it is as new, or it was said to another hub.
  void clear() { items_.clear(); }
  void power_lost() {
    items_.clear();
    lost_ = accounted_ = {};
  }
  // After each call, what the gadget counted as lost.
  void count(const Lost& lost);
  // A hub was there for long, paired: nothing waits that was not lost.
  void end_of_all() const;

 private:
  struct Item {
    Kind kind;
    std::string mark;
    Millis at;
    bool maybe_gone = false;
  };

  [[nodiscard]] Millis age_limit(Kind kind) const {
    return kind == Kind::text ? kTextMaxAgeMs : kEventMaxAgeMs;
  }
  std::uint32_t& accounted(Kind kind) {
    return kind == Kind::text ? accounted_.texts : accounted_.events;
  }
  void skip(const Item& item);

  Verdict& verdict_;
  std::deque<Item> items_;
  Lost lost_;       // as the gadget counts
  Lost accounted_;  // that must have been lost
  Millis now_ = 0;
  Kind kind_ = Kind::text;
  std::string said_;
  bool sent_ = false;
  int sent_late_ = 0;
};

}  // namespace gadget::device::model
