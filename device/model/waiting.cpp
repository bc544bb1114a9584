#include "device/model/waiting.hpp"

#include <algorithm>

namespace gadget::device::model {

void Waiting::told(bool taken) {
  verdict_.require(taken || !sent_, "C1 S2: it was sent, and is said to be lost");
  if (taken && !sent_) {
    items_.push_back({kind_, said_, now_});
  } else if (!taken && !said_.empty()) {
    ++accounted(kind_);
  }
}

void Waiting::says(Kind kind, std::string_view what, bool taken, bool paired) {
  const auto is = [&](std::string_view mark) { return what.starts_with(mark); };
  if (!said_.empty() && kind == kind_ && is(said_)) {
    verdict_.require(!sent_, "C1 S2: sent twice");
    // Until it is paired, what waits stays where it is.
    const bool others = std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
      return !item.maybe_gone && now_ - item.at < age_limit(item.kind);
    });
    const std::uint32_t unknown = lost_.texts - std::min(lost_.texts, accounted_.texts) +
                                  (lost_.events - std::min(lost_.events, accounted_.events));
    verdict_.require(!paired || !others || unknown > 0, "it is told before what waits");
    sent_ = taken;
    return;
  }
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
    return item.kind == kind && is(item.mark);
  });
  if (found == items_.end()) {
    return verdict_.require(false, "C1 S2: said again, too late, withdrawn, or by nobody");
  }
  verdict_.require(paired, "E40: what waited is told before it is paired");
  verdict_.require(now_ - found->at < age_limit(kind), "C1 S2: it is told when it is too old");
  verdict_.require(++sent_late_ == 1, "E42: what waited comes in a burst");
  std::for_each(items_.begin(), found, [&](const Item& item) { skip(item); });
  items_.erase(items_.begin(), taken ? found + 1 : found);
}

// Passed over: it must have been lost, or be withdrawn.
void Waiting::skip(const Item& item) {
  if (!item.maybe_gone) ++accounted(item.kind);
}

void Waiting::withdraw_texts(bool certain) {
  for (auto& item : items_) item.maybe_gone |= item.kind == Kind::text;
  if (!certain) return;
  const auto gone = std::remove_if(items_.begin(), items_.end(),
                                   [](const Item& item) { return item.kind == Kind::text; });
  // Which of them had been lost before, nobody can tell any more.
  items_.erase(gone, items_.end());
}

void Waiting::count(const Lost& lost) {
  lost_ = lost;
  verdict_.require(accounted_.texts <= lost_.texts && accounted_.events <= lost_.events,
                   "something is lost that is not counted");
}

void Waiting::end_of_all() const {
  Lost left;
  for (const Item& item : items_) {
    if (!item.maybe_gone) ++(item.kind == Kind::text ? left.texts : left.events);
  }
  verdict_.require(accounted_.texts + left.texts <= lost_.texts,
                   "C1: a text waits for ever, or is lost and not counted");
  verdict_.require(accounted_.events + left.events <= lost_.events,
                   "S2: an event waits for ever, or is lost and not counted");
}

}  // namespace gadget::device::model
